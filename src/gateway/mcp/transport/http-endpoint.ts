/**
 * MCP over Streamable HTTP, for both protocol versions. Newer clients (2026-07-28) send each request separately;
 * older ones open a transport session, which belongs to one session of the gate and doesn't identify it.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  MissingRequiredClientCapabilityError,
  UnsupportedProtocolVersionError,
} from "@modelcontextprotocol/server";
import { SluicegateError } from "../../../errors/index.ts";
import type { Session } from "../../../runtime/index.ts";
import { toSluicegateError } from "../../http/answer-error.ts";
import { readJsonBody } from "../../http/read-body.ts";
import { describeError } from "../request-context.ts";
import { createSessionServer, type McpService } from "../session-server.ts";
import { assertParamHeaders, assertStandardHeaders } from "./header-check.ts";
import { createListenEndpoint, isListen } from "./listen-endpoint.ts";
import { OpenConnections } from "./open-connections.ts";
import { failure, type WholeAnswer } from "./session-transport.ts";
import { type McpAccess, sayWordsOf } from "./words-meta.ts";

export interface McpEndpoint {
  /** Answers one request for a session that its caller may use. */
  handle(request: Request, access: McpAccess): Promise<Response | WholeAnswer>;
  close(): Promise<void>;
}

export function createMcpEndpoint(service: McpService, onFault: (cause: unknown) => void): McpEndpoint {
  const connections = new OpenConnections(service, onFault);
  const listens = createListenEndpoint(service, onFault);
  const modern = createMcpHandler(
    // INVARIANT: this endpoint set the session; nothing else creates requests for this handler.
    ({ authInfo }) => createSessionServer(service, authInfo?.extra?.session as Session),
    // The SDK also reports requests that it refused: these are mistakes of clients, and were answered.
    { legacy: "reject", onerror: (cause) => void (isClientMistake(cause) || onFault(cause)) },
  );
  return {
    handle: async (request, access) => {
      const { session } = access;
      const isPost = request.method === "POST";
      const given = isPost ? await readJsonBody(request, service.limits.bodyBytes) : undefined;
      if (isPost && given === undefined) throw emptyBody();
      const isLegacy = await isLegacyRequest(request, given);
      let parsedBody: unknown;
      try {
        if (isLegacy) assertStandardHeaders(request.headers, given);
        const listed = { session, catalog: service.catalog };
        assertParamHeaders(listed, request.headers, given, { isDemanded: !isLegacy });
        parsedBody = await sayWordsOf(given, access);
      } catch (cause) {
        return refuse(cause, given);
      }
      if (isLegacy) return connections.handle(request, session, parsedBody);
      if (isListen(parsedBody)) return listens.handle(request, session, parsedBody);
      const authInfo = { token: "", clientId: session.principal, scopes: [], extra: { session } };
      return modern.fetch(request, { authInfo, parsedBody });
    },
    close: async () => {
      await modern.close();
      await listens.close();
      await connections.close();
    },
  };
}

const isClientMistake = (cause: Error): boolean =>
  cause instanceof UnsupportedProtocolVersionError ||
  cause instanceof MissingRequiredClientCapabilityError ||
  cause.message.startsWith("Rejected inbound request ");

/** An error as an answer to a JSON-RPC request. */
function refuse(cause: unknown, body: unknown): Response {
  const error = toSluicegateError(cause);
  const given = typeof body === "object" && body !== null && "id" in body ? body.id : null;
  const id = typeof given === "string" || typeof given === "number" ? given : null;
  return failure(error.mapping.http, error.mapping.jsonRpc, describeError(error), id);
}

const emptyBody = (): SluicegateError =>
  new SluicegateError("malformed-json", "The body is empty.", {
    why: "An MCP request is a JSON-RPC message in the body of a POST.",
    fix: "Send the message as JSON.",
  });
