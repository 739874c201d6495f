/** Tools that ask the client while they run. Written once: on older revisions the SDK turns each into a request. */
import { inputRequired, inputResponse, type McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { said } from "./fixture-samples.ts";

type ElicitParams = Parameters<typeof inputRequired.elicit>[0];
type FormSchema = ElicitParams["requestedSchema"];

export function addAskingTools(server: McpServer): void {
  server.registerTool(
    "test_sampling",
    { description: "Asks the client's model", inputSchema: z.object({ prompt: z.string() }) },
    ({ prompt }, context) => {
      const answer = inputResponse(context.mcpReq.inputResponses, "sample");
      if (answer.kind === "sampling") return said(`LLM response: ${JSON.stringify(answer.result.content)}`);
      return inputRequired({ inputRequests: { sample: askModel(prompt, 100) } });
    },
  );
  server.registerTool(
    "test_elicitation",
    { description: "Asks the user", inputSchema: z.object({ message: z.string() }) },
    ({ message }, context) => {
      const answer = inputResponse(context.mcpReq.inputResponses, "user");
      if (answer.kind === "elicit") return said(`User response: ${describe(answer)}`);
      return inputRequired({ inputRequests: { user: askUser(message, USER) } });
    },
  );
  addForm(server, "test_elicitation_sep1034_defaults", "Asks the user, with defaults", DEFAULTS);
  addForm(server, "test_elicitation_sep1330_enums", "Asks the user, with choices", CHOICES);
  addForm(server, "test_streaming_elicitation", "Asks the user on a stream", USER);
  server.registerTool(
    "test_missing_capability",
    { description: "Needs a model of the client" },
    (context) => {
      const answer = inputResponse(context.mcpReq.inputResponses, "sample");
      if (answer.kind === "sampling") return said("The client has a model.");
      return inputRequired({ inputRequests: { sample: askModel("Are you there?", 10) } });
    },
  );
}

/** A tool that asks for one form and tells what was answered. */
function addForm(server: McpServer, name: string, description: string, requestedSchema: FormSchema): void {
  server.registerTool(name, { description }, (context) => {
    const answer = inputResponse(context.mcpReq.inputResponses, "form");
    if (answer.kind === "elicit") return said(`Elicitation completed: ${describe(answer)}`);
    return inputRequired({ inputRequests: { form: askUser("Please fill in the form", requestedSchema) } });
  });
}

export const askUser = (message: string, requestedSchema: FormSchema) =>
  inputRequired.elicit({ message, requestedSchema });

export const askModel = (prompt: string, maxTokens: number) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: prompt } }],
    maxTokens,
  });

const describe = ({ action, content }: { action: string; content?: unknown }): string =>
  `action=${action}, content=${JSON.stringify(content ?? {})}`;

const USER: FormSchema = {
  type: "object",
  properties: {
    username: { type: "string", description: "User's response" },
    email: { type: "string", description: "User's email address" },
  },
  required: ["username", "email"],
};

const DEFAULTS: FormSchema = {
  type: "object",
  properties: {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  },
};

const OPTIONS = ["option1", "option2", "option3"];
const titled = (noun: string) => [
  { const: "value1", title: `First ${noun}` },
  { const: "value2", title: `Second ${noun}` },
  { const: "value3", title: `Third ${noun}` },
];

const CHOICES: FormSchema = {
  type: "object",
  properties: {
    untitledSingle: { type: "string", enum: OPTIONS },
    titledSingle: { type: "string", oneOf: titled("Option") },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: OPTIONS } },
    titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
  },
};
