/**
 * Serves `tools/call` without the SDK, which parses, copies and validates each message several times. The handler is the
 * same, and the SDK still writes every answer but the usual one: it gets the call's outcome in place of the handler's.
 * `tool-call.ts` says which calls these are.
 */
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  SERVER_INFO_META_KEY,
  type Server,
} from "@modelcontextprotocol/server";
import { isJsonObject } from "../../json/json-object.ts";
import type { Session } from "../../runtime/index.ts";
import { type RequestExchange, toClientLink } from "./client-link.ts";
import { callTool, serveToolCall } from "./offers/tool-handlers.ts";
import { cannotAsk, type McpRequestContext, type ToolOutcome } from "./request-context.ts";
import { type McpService, serverInfoOf, toContext } from "./session-server.ts";
import type { ToolCallRequest } from "./transport/tool-call.ts";

/** How a call ended, and its result if that is a usual one, which needs no validation. */
export interface DirectOutcome {
  readonly outcome: Promise<ToolOutcome>;
  readonly usual: CallToolResult | null;
}

/** A call on a connection of an older client. Never rejects. */
export function callOnConnection(
  server: Server,
  context: McpRequestContext,
  { id, params }: ToolCallRequest,
  signal: AbortSignal,
): Promise<DirectOutcome> {
  const related = { relatedRequestId: id };
  const exchange: RequestExchange = {
    mcpReq: {
      ...(params._meta && { _meta: params._meta }),
      signal,
      requestState: () => undefined,
      notify: (notification) => server.notification(notification, related),
      send: (request, schema, options) => server.request(request, schema, { ...options, ...related }),
    },
  };
  return settle(serveToolCall(context, params, exchange));
}

/** A call of a client of revision 2026-07-28 that can't be asked anything. Never rejects. */
export async function callByRequest(
  service: McpService,
  session: Session,
  { params }: ToolCallRequest,
  signal: AbortSignal,
): Promise<DirectOutcome> {
  const { _meta: meta = {}, name, arguments: args = {} } = params;
  const context = toContext(service, session, NO_CONNECTION);
  const exchange: RequestExchange = {
    mcpReq: {
      _meta: meta,
      signal,
      envelope: { [CLIENT_CAPABILITIES_META_KEY]: meta[CLIENT_CAPABILITIES_META_KEY] },
      requestState: () => undefined,
      // It asked for no progress and no log.
      notify: async () => {},
      send: cannotAsk,
    },
  };
  const link = { ...toClientLink(NO_CONNECTION, exchange, context.verbosity), ask: cannotAsk };
  const client = { link, approver: null, reply: null };
  const called = await settle(callTool(context, name, args, client, { isNewer: true }));
  return { ...called, usual: called.usual && inNewerForm(called.usual, service) };
}

const NO_CONNECTION = { getClientCapabilities: () => undefined };

async function settle(outcome: Promise<ToolOutcome>): Promise<DirectOutcome> {
  const result = await outcome.catch(() => null);
  return { outcome, usual: result !== null && isUsual(result) ? result : null };
}

/** A result of texts and structured content, as the protocol has it, with nothing that the SDK would leave out. */
function isUsual(result: ToolOutcome): result is CallToolResult {
  const { content, isError = false, structuredContent = {}, _meta = {}, ...others } = result;
  return (
    Array.isArray(content) &&
    content.every(isText) &&
    typeof isError === "boolean" &&
    isJsonObject(structuredContent) &&
    isJsonObject(_meta) &&
    Object.keys(others).length === 0
  );
}

const isText = (block: unknown): boolean =>
  isJsonObject(block) &&
  block.type === "text" &&
  typeof block.text === "string" &&
  Object.keys(block).length === 2;

const inNewerForm = (result: CallToolResult, service: McpService): CallToolResult => ({
  ...result,
  resultType: "complete",
  _meta: { [SERVER_INFO_META_KEY]: serverInfoOf(service), ...result._meta },
});
