/**
 * MCP over Streamable HTTP, for both protocol versions. Newer clients (2026-07-28) send each request separately;
 * older ones open a transport session, which belongs to one session of the gate and doesn't identify it.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  MissingRequiredClientCapabilityError,
  type RequestId,
  UnsupportedProtocolVersionError,
} from "@modelcontextprotocol/server";
import { SluicegateError } from "../../../errors/index.ts";
import type { Session } from "../../../runtime/index.ts";
import { toSluicegateError } from "../../http/answer-error.ts";
import { type BodyOptions, readJsonBody } from "../../http/read-body.ts";
import { callByRequest, type DirectOutcome } from "../direct-calls.ts";
import { describeError } from "../request-context.ts";
import { createSessionServer, type McpService } from "../session-server.ts";
import { assertParamHeaders, assertStandardHeaders } from "./header-check.ts";
import { createListenEndpoint, isListen } from "./listen-endpoint.ts";
import { OpenConnections } from "./open-connections.ts";
import { failure, type MessageAnswer } from "./session-transport.ts";
import { formOf, type ToolCallRequest, toToolCall } from "./tool-call.ts";
import { type McpAccess, sayWordsOf } from "./words-meta.ts";

export interface McpEndpoint {
  /** Answers one request for a session that its caller may use. */
  handle(request: Request, access: McpAccess): Promise<Response | MessageAnswer>;
  close(): Promise<void>;
}

export function createMcpEndpoint(service: McpService, onFault: (cause: unknown) => void): McpEndpoint {
  const connections = new OpenConnections(service, onFault);
  const listens = createListenEndpoint(service, onFault);
  const modern = createMcpHandler(
    // INVARIANT: this endpoint set the session; nothing else creates requests for this handler.
    ({ authInfo }) => {
      const { session, ran } = authInfo?.extra as unknown as Served;
      return createSessionServer(service, session, ran);
    },
    // The SDK also reports requests that it refused: these are mistakes of clients, and were answered.
    { legacy: "reject", onerror: (cause) => void (isClientMistake(cause) || onFault(cause)) },
  );
  /** A newer client's call of the usual form runs first; the SDK gets its outcome unless the answer is a usual one. */
  const answerNewer = async (
    request: Request,
    session: Session,
    { call, body }: { readonly call: ToolCallRequest | null; readonly body: unknown },
  ): Promise<Response | MessageAnswer> => {
    const served: Served = { session };
    if (call) {
      const { usual, outcome } = await callByRequest(service, session, call, request.signal);
      const { id } = call;
      if (usual) return { message: { result: usual, jsonrpc: "2.0", id }, headers: JSON_TYPE };
      served.ran = { id, outcome };
    }
    const authInfo = { token: "", clientId: session.principal, scopes: [], extra: { ...served } };
    return modern.fetch(request, { authInfo, parsedBody: body });
  };
  return {
    handle: async (request, access) => {
      const { session } = access;
      const given = await readMessage(request, {
        maxBytes: service.limits.bodyBytes,
        owner: session,
      });
      const call = toToolCall(given);
      const form = call && formOf(request.headers, call);
      const isLegacy = form === null ? await isLegacyRequest(request, given) : form === "older";
      let body: unknown;
      try {
        if (isLegacy) assertStandardHeaders(request.headers, given);
        const listed = { session, catalog: service.catalog };
        assertParamHeaders(listed, request.headers, given, { isDemanded: !isLegacy });
        body = await sayWordsOf(given, access);
      } catch (cause) {
        return refuse(cause, given);
      }
      if (isLegacy) return connections.handle(request, session, body);
      if (isListen(body)) return listens.handle(request, session, body);
      const isUsual = form === "newer" && body === given;
      return answerNewer(request, session, { call: isUsual ? call : null, body });
    },
    close: async () => {
      await modern.close();
      await listens.close();
      await connections.close();
    },
  };
}

/** The body of a POST; undefined for any other request. */
async function readMessage(request: Request, options: BodyOptions): Promise<unknown> {
  if (request.method !== "POST") return undefined;
  const given = await readJsonBody(request, options);
  if (given === undefined) throw emptyBody();
  return given;
}

/** What a request of a newer client is served with. */
interface Served {
  readonly session: Session;
  /** A call that ran already. */
  ran?: { readonly id: RequestId; readonly outcome: DirectOutcome["outcome"] };
}

const JSON_TYPE = Object.freeze({ "content-type": "application/json" });

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
