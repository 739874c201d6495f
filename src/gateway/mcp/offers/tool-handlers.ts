/** Tools over MCP: the session's list, each tool with what calling it would block, and calls through the gate. */
import type { CallToolResult, ListToolsResult, Tool as McpTool, Server } from "@modelcontextprotocol/server";
import {
  consequencesOf,
  isBlocked,
  isBlockedForGood,
  shortConsequence,
  type Tool,
} from "../../../core/index.ts";
import { SluicegateError } from "../../../errors/index.ts";
import { isJsonObject } from "../../../json/json-object.ts";
import {
  describeEdit,
  describeRefusal,
  type OfferedTool,
  type Session,
  type ToolListing,
} from "../../../runtime/index.ts";
import type { Execution } from "../../../runtime/internal.ts";
import { toSluicegateError } from "../../http/answer-error.ts";
import { toWireDecision, toWireEdit } from "../../rest/wire.ts";
import type { Service } from "../../service.ts";
import { type CallingClient, executeForClient, InputRequiredError } from "../approvals/execute-for-client.ts";
import type { RequestExchange } from "../client-link.ts";
import {
  assertFirstPage,
  DECISION_META,
  describeError,
  labelled,
  type McpRequestContext,
  runMultiRound,
  type ToolOutcome,
  toProtocolError,
  toToolError,
} from "../request-context.ts";
import type { ToolCallRequest } from "../transport/tool-call.ts";
import { hasValidBlocks } from "./first-problem.ts";
import { META_TOOLS } from "./meta-tools.ts";

export function handleTools(server: Server, door: McpRequestContext): void {
  const { service, session } = door;
  server.setRequestHandler("tools/list", async ({ params }) => {
    assertFirstPage(params);
    return listTools(service, await session.refresh());
  });
  server.setRequestHandler("tools/call", ({ params }, context) => {
    const { id } = context.mcpReq;
    const outcome = door.outcomes.get(id);
    door.outcomes.delete(id);
    return outcome ?? serveToolCall(door, params, context);
  });
}

/** Serves a call, with as many requests as it takes. */
export function serveToolCall(
  door: McpRequestContext,
  params: ToolCallRequest["params"],
  exchange: RequestExchange,
): Promise<ToolOutcome> {
  const isNewer = exchange.mcpReq.envelope !== undefined;
  return runMultiRound(door, { method: "tools/call", params }, exchange, (client) =>
    callTool(door, params.name, params.arguments ?? {}, client, { isNewer }),
  );
}

// INVARIANT: a listing is one object per set of tools, label and policy.
const listings = new WeakMap<ToolListing, ListToolsResult>();

/**
 * The list for a session's client, without the tools that its label has blocked for good; a call of one is still
 * answered with the reason. Equal lists are the same object.
 */
export function listTools({ catalog, gate }: Service, session: Session): ListToolsResult {
  const catalogue = session.listing();
  const known = listings.get(catalogue);
  if (known) return known;
  const { tools: seen } = catalogue;
  const shuts = consequencesOf(session.state, seen);
  const tools = seen.flatMap((tool) => {
    const definition = catalog.definitionOf(tool);
    return definition && !isBlockedForGood(gate.policy, session.state, tool)
      ? [describeTool(session, tool, definition, shuts.get(tool.id) ?? [])]
      : [];
  });
  const listing = {
    tools: [...tools, ...META_TOOLS.map(({ run: _, ...definition }) => toMcpTool(definition))],
  };
  listings.set(catalogue, listing);
  return listing;
}

function describeTool(
  session: Session,
  tool: Tool,
  definition: OfferedTool,
  shuts: readonly Tool[],
): McpTool {
  const cost = shortConsequence(session.state, tool, shuts);
  const blocked = isBlocked(session.state, tool);
  const note = cost === null ? "" : `\n\n[Sluicegate] ${cost}`;
  const description = `${definition.description ?? ""}${note}`.trim();
  const { title } = definition;
  return toMcpTool({
    ...definition,
    name: tool.name,
    description,
    ...(blocked && { title: `${title ?? tool.name} (blocked)` }),
  });
}

/** A definition in the SDK's type. Upstream schemas pass unchanged; the SDK validates the whole list. */
const toMcpTool = (definition: OfferedTool): McpTool => definition as McpTool;

/** Calls a tool for a client. @throws ProtocolError, InputRequiredError */
export async function callTool(
  door: McpRequestContext,
  name: string,
  args: unknown,
  client: CallingClient,
  revision: Revision,
): Promise<CallToolResult> {
  const result = await runTool(door, name, args, client, revision);
  return labelled(door, result);
}

interface Revision {
  /** 2026-07-28, or later. */
  readonly isNewer: boolean;
}

async function runTool(
  door: McpRequestContext,
  name: string,
  args: unknown,
  client: CallingClient,
  { isNewer }: Revision,
): Promise<CallToolResult> {
  const { service, session } = door;
  const meta = META_TOOLS.find((tool) => tool.name === name);
  try {
    if (meta) return { ...(await meta.run(await session.refresh(), args, service.limits)) } as CallToolResult;
    if (name.length > MAX_NAME_LENGTH) throw nameTooLong();
    const call = { tool: name, arguments: toArguments(args) };
    const execution = await executeForClient(door, call, client);
    if (execution.error?.code === "client-unable") throw execution.error;
    return toResult(execution);
  } catch (cause) {
    if (cause instanceof InputRequiredError) throw cause;
    const error = toSluicegateError(cause);
    // The newest revision has a separate error for a client that can't answer; older clients get a text.
    const isToldApart = error.code === "client-unable" && isNewer;
    if (error.mapping.http < 500 && !isToldApart) return toToolError(describeError(error));
    throw toProtocolError(error);
  }
}

function toResult({ decision, result, error }: Execution): CallToolResult {
  // The SDK validates the rest.
  const isMalformed = result !== undefined && !hasValidBlocks(result.content);
  const { edited } = decision;
  if (result && edited && !isMalformed)
    return withNote(result, describeEdit(edited), {
      [DECISION_META]: { ...toWireDecision(decision), ...toWireEdit(decision) },
    });
  if (result && !isMalformed) return result as CallToolResult;
  const failure = isMalformed ? MALFORMED_RESULT : error;
  const text = failure ? describeError(failure) : describeRefusal(decision);
  return toToolError(text, {
    [DECISION_META]: toWireDecision(decision),
  });
}

/**
 * The result after a sentence by the gateway, because the model would otherwise take it for the answer to its own
 * arguments.
 */
const withNote = (result: Execution["result"] & object, text: string, meta: object): CallToolResult =>
  ({
    ...result,
    content: [{ type: "text", text }, ...(Array.isArray(result.content) ? result.content : [])],
    _meta: { ...(isJsonObject(result._meta) && result._meta), ...meta },
  }) as CallToolResult;

const MALFORMED_RESULT = new SluicegateError("upstream-failed", "The tool's answer can't be used.", {
  why: "It is not the result of a tool.",
  fix: "Look into the server's log. The call itself was run.",
});

/** The longest tool name over REST. */
const MAX_NAME_LENGTH = 256;

const nameTooLong = (): SluicegateError =>
  new SluicegateError("invalid-request", "The tool's name is too long.", {
    why: `A name may have ${MAX_NAME_LENGTH} characters.`,
    fix: "Use a name from the list of tools.",
  });

// INVARIANT: both transports parse their input as strict JSON (`read-body.ts`, `stdio-endpoint.ts`).
function toArguments(args: unknown): Readonly<Record<string, unknown>> {
  if (isJsonObject(args)) return { ...args };
  throw new SluicegateError("invalid-request", "The arguments must be an object.", {
    why: "They are something else.",
    fix: "Send the arguments as a JSON object.",
  });
}
