/** Tools and a prompt that answer `input_required` and are called again with what they asked for (2026-07-28). */
import {
  acceptedContent,
  inputRequired,
  inputResponse,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { askModel, askUser } from "./fixture-asking.ts";
import { said, text } from "./fixture-samples.ts";

/** What a tool remembers between two rounds; it travels through the client, signed. */
export interface RoundState {
  readonly tool: string;
  readonly round: number;
  readonly name?: string;
}

const NAME = z.object({ name: z.string() });
const COLOR = z.object({ color: z.string() });
const CONFIRMATION = z.object({ ok: z.boolean() });
const CONTEXT = z.object({ context: z.string() });

export function addInputRequired(server: McpServer, codec: RequestStateCodec<RoundState>): void {
  addSingleRounds(server);
  addConfirmed(server, codec, "test_input_required_result_request_state", "Remembers by a signed state");
  addConfirmed(server, codec, "test_input_required_result_tampered_state", "Refuses a state it didn't sign");
  addManyInputs(server, codec);
  addManyRounds(server, codec);
  addWhatTheClientCan(server);
  server.registerPrompt(
    "test_input_required_result_prompt",
    { description: "A prompt that asks the user first" },
    (context) => {
      const given = acceptedContent(context.mcpReq.inputResponses, "user_context", CONTEXT);
      if (given) return { messages: [{ role: "user", content: text(`Use this context: ${given.context}`) }] };
      const question = askUser("What context should the prompt use?", CONTEXT);
      return inputRequired({ inputRequests: { user_context: question } });
    },
  );
}

function addSingleRounds(server: McpServer): void {
  const asks = (name: string, description: string, run: Parameters<typeof addTool>[3]) =>
    addTool(server, `test_input_required_result_${name}`, description, run);
  asks("elicitation", "Asks for a name", ({ mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, "user_name", NAME);
    if (given) return said(`Hello, ${given.name}!`);
    return inputRequired({ inputRequests: { user_name: askUser("What is your name?", NAME) } });
  });
  asks("sampling", "Asks the client's model", ({ mcpReq }) => {
    const given = inputResponse(mcpReq.inputResponses, "capital_question");
    if (given.kind === "sampling") return said(JSON.stringify(given.result.content));
    return inputRequired({
      inputRequests: { capital_question: askModel("What is the capital of France?", 100) },
    });
  });
  asks("list_roots", "Asks for the client's roots", ({ mcpReq }) => {
    const given = inputResponse(mcpReq.inputResponses, "client_roots");
    if (given.kind === "roots") return said(`Roots: ${given.roots.map(({ uri }) => uri).join(", ")}`);
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
}

function addConfirmed(
  server: McpServer,
  codec: RequestStateCodec<RoundState>,
  tool: string,
  description: string,
): void {
  addTool(server, tool, description, async ({ mcpReq }) => {
    const state = mcpReq.requestState<RoundState>();
    const given = acceptedContent(mcpReq.inputResponses, "confirm", CONFIRMATION);
    if (given && state?.tool === tool) return said(`state-ok: ${given.ok}`);
    return inputRequired({
      inputRequests: { confirm: askUser("Please confirm", CONFIRMATION) },
      requestState: await codec.mint({ tool, round: 1 }),
    });
  });
}

function addManyInputs(server: McpServer, codec: RequestStateCodec<RoundState>): void {
  const tool = "test_input_required_result_multiple_inputs";
  addTool(server, tool, "Asks for three things at once", async ({ mcpReq }) => {
    const name = acceptedContent(mcpReq.inputResponses, "user_name", NAME);
    const greeting = inputResponse(mcpReq.inputResponses, "greeting");
    const roots = inputResponse(mcpReq.inputResponses, "client_roots");
    const remembered = mcpReq.requestState<RoundState>()?.tool === tool;
    if (remembered && name && greeting.kind === "sampling" && roots.kind === "roots")
      return said(`${JSON.stringify(greeting.result.content)} ${name.name}, of ${roots.roots.length} roots`);
    return inputRequired({
      inputRequests: {
        user_name: askUser("What is your name?", NAME),
        greeting: askModel("Generate a greeting", 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await codec.mint({ tool, round: 1 }),
    });
  });
}

function addManyRounds(server: McpServer, codec: RequestStateCodec<RoundState>): void {
  const tool = "test_input_required_result_multi_round";
  addTool(server, tool, "Asks twice, one after the other", async ({ mcpReq }) => {
    const state = mcpReq.requestState<RoundState>();
    const color = acceptedContent(mcpReq.inputResponses, "step2", COLOR);
    if (state?.round === 2 && color) return said(`${state.name} likes ${color.color}`);
    const name = acceptedContent(mcpReq.inputResponses, "step1", NAME);
    if (state?.round === 1 && name) {
      return inputRequired({
        inputRequests: { step2: askUser("Step 2: What is your favorite color?", COLOR) },
        requestState: await codec.mint({ tool, round: 2, name: name.name }),
      });
    }
    return inputRequired({
      inputRequests: { step1: askUser("Step 1: What is your name?", NAME) },
      requestState: await codec.mint({ tool, round: 1 }),
    });
  });
}

function addWhatTheClientCan(server: McpServer): void {
  const tool = "test_input_required_result_capabilities";
  addTool(server, tool, "Asks only for what the client declared", ({ mcpReq }) => {
    if (Object.keys(mcpReq.inputResponses ?? {}).length > 0) return said("Thank you.");
    const declared = server.server.getClientCapabilities();
    const inputRequests = {
      ...(declared?.sampling && { sample: askModel("What can you do?", 50) }),
      ...(declared?.elicitation && { user: askUser("What is your name?", NAME) }),
    };
    if (Object.keys(inputRequests).length === 0) return said("The client can be asked nothing.");
    return inputRequired({ inputRequests });
  });
}

type ToolAnswer = ReturnType<typeof said> | ReturnType<typeof inputRequired>;

function addTool(
  server: McpServer,
  name: string,
  description: string,
  run: (context: ServerContext) => ToolAnswer | Promise<ToolAnswer>,
): void {
  server.registerTool(name, { description }, run);
}
