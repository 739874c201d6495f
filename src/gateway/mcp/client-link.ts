/** The client of one MCP request: what it can answer, and how notifications reach it. */
import type { Server, ServerContext } from "@modelcontextprotocol/server";
import { CLIENT_CAPABILITIES_META_KEY, LOG_LEVEL_META_KEY } from "@modelcontextprotocol/server";
import type { AnyObjectSchema } from "../../json/json-object.ts";
import { type JsonObject, LOG_LEVELS, type LogLevel, type ServerMessage } from "../../runtime/index.ts";
import type { ClientLink } from "../../runtime/internal.ts";

/** The log level that a client of an older revision has set on its connection; null if it set none. */
export interface Verbosity {
  level: LogLevel | null;
}

/** What a request needs of its connection: the SDK's context has it, and calls without the SDK bring their own. */
export interface RequestExchange {
  readonly mcpReq: Pick<
    ServerContext["mcpReq"],
    "_meta" | "signal" | "envelope" | "inputResponses" | "requestState" | "notify"
  > & {
    send(
      request: ServerMessage & { readonly params: Record<string, unknown> },
      schema: AnyObjectSchema,
      options: { readonly timeout: number; readonly signal: AbortSignal },
    ): Promise<JsonObject>;
  };
}

/** `verbosity` is the connection's; newer clients set a level in each request. */
export function toClientLink(
  server: Pick<Server, "getClientCapabilities">,
  context: RequestExchange,
  verbosity: Verbosity,
): Omit<ClientLink, "ask"> {
  const { _meta, signal } = context.mcpReq;
  const envelope: JsonObject | undefined = context.mcpReq.envelope;
  const { progressToken, traceparent } = _meta ?? {};
  const asked = envelope?.[LOG_LEVEL_META_KEY];
  const level = envelope === undefined ? verbosity.level : LOG_LEVELS.find((known) => known === asked);
  const capabilities =
    (envelope ? envelope[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities()) ?? {};
  const notify = (notice: ServerMessage): void => {
    const passed =
      notice.method === "notifications/progress" ? toProgress(notice.params, progressToken) : notice;
    const isWanted = notice.method !== "notifications/message" || isLoud(notice.params.level, level);
    // A client that has gone gets nothing.
    if (passed && isWanted)
      context.mcpReq.notify({ ...passed, params: { ...passed.params } }).catch(() => {});
  };
  return {
    signal,
    capabilities: { ...capabilities },
    progress: progressToken !== undefined,
    ...(level && { logLevel: level }),
    ...(typeof traceparent === "string" && { traceparent }),
    notify,
  };
}

/** Progress under the client's own token; null if it asked for none, or if this isn't progress. */
function toProgress(params: JsonObject, progressToken: string | number | undefined): ServerMessage | null {
  const { progress, total, message } = params;
  if (progressToken === undefined || typeof progress !== "number") return null;
  return {
    method: "notifications/progress",
    params: {
      progressToken,
      progress,
      ...(typeof total === "number" && { total }),
      ...(typeof message === "string" && { message }),
    },
  };
}

/** `least` undefined: nothing is wanted; null: everything is. */
function isLoud(level: unknown, least: LogLevel | null | undefined): boolean {
  const names: readonly unknown[] = LOG_LEVELS;
  const severity = names.indexOf(level);
  return severity >= 0 && least !== undefined && (least === null || severity >= LOG_LEVELS.indexOf(least));
}
