/**
 * MCP over Streamable HTTP, for clients of both eras. Newer ones (2026-07-28) send each request by itself; older
 * ones open a transport session, which belongs to one session of ours and is never taken for it.
 */
import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { SluicegateError } from "../../errors/index.ts";
import { type Session, unknownSession } from "../../session/index.ts";
import { readJsonBody } from "../read-body.ts";
import type { Service } from "../service.ts";
import { createSessionServer } from "./session-server.ts";

export interface McpEndpoint {
  /** Answers one request for a session that its caller may use. */
  handle(request: Request, session: Session): Promise<Response>;
  close(): Promise<void>;
}

interface OpenTransport {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly session: string;
  /** Requests that wait for their answer. */
  busy: number;
}

export function createMcpEndpoint(service: Service, onFault: (cause: unknown) => void): McpEndpoint {
  const open = new Map<string, OpenTransport>();
  const modern = createMcpHandler(
    async ({ authInfo }) => createSessionServer(service, await sessionOf(service, authInfo?.extra)),
    { legacy: "reject", onerror: onFault },
  );

  const handleLegacy = async (request: Request, session: Session, parsedBody: unknown): Promise<Response> => {
    const given = request.headers.get("mcp-session-id");
    if (given !== null) {
      const known = open.get(given);
      // THREAT: a transport's id is no proof of anything; it must belong to the session that the caller may use.
      if (known === undefined || known.session !== session.id) throw unknownTransport();
      open.delete(given);
      open.set(given, known);
      known.busy += 1;
      try {
        return await known.transport.handleRequest(request, { parsedBody });
      } finally {
        known.busy -= 1;
      }
    }
    if (!isInitializeRequest(parsedBody)) throw notInitialized();
    makeRoom(service.limits.transportsPerSession, open, session);
    // Its place is taken before anything is awaited, so that many at once can't pass the limit together.
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      enableJsonResponse: true,
    });
    open.set(id, { transport, session: session.id, busy: 0 });
    transport.onclose = () => {
      open.delete(id);
    };
    await createSessionServer(service, session).connect(transport);
    return transport.handleRequest(request, { parsedBody });
  };

  return {
    handle: async (request, session) => {
      const parsedBody =
        request.method === "POST" ? await readJsonBody(request, service.limits.bodyBytes) : undefined;
      if (request.method === "POST" && parsedBody === undefined) throw emptyBody();
      if (await isLegacyRequest(request, parsedBody)) return handleLegacy(request, session, parsedBody);
      const authInfo = { token: "", clientId: session.principal, scopes: [], extra: { session: session.id } };
      return modern.fetch(request, { authInfo, parsedBody });
    },
    close: async () => {
      await modern.close();
      await Promise.allSettled([...open.values()].map(({ transport }) => transport.close()));
    },
  };
}

async function sessionOf(service: Service, extra: Record<string, unknown> | undefined): Promise<Session> {
  const id = extra?.session;
  const session = typeof id === "string" ? await service.gate.session(id) : null;
  if (session === null) throw unknownSession();
  return session;
}

/** Clients that left without a word would fill the room: the one that was quiet for longest makes place. */
function makeRoom(most: number, open: Map<string, OpenTransport>, session: Session): void {
  const held = [...open].filter(([, transport]) => transport.session === session.id);
  if (held.length < most) return;
  const [id, quiet] = held.find(([, transport]) => transport.busy === 0) ?? [];
  if (id === undefined || quiet === undefined) throw noRoom(most);
  open.delete(id);
  void quiet.transport.close();
}

const noRoom = (most: number): SluicegateError =>
  new SluicegateError("limit-reached", "Too many MCP clients are connected to this session.", {
    why: `There are ${most}, and each waits for an answer.`,
    fix: "Close one (`DELETE` with its `Mcp-Session-Id`), or raise the limit.",
  });

const unknownTransport = (): SluicegateError =>
  new SluicegateError("session-not-found", "There is no such MCP connection.", {
    why: "Its `Mcp-Session-Id` is unknown, or the connection is closed.",
    fix: "Connect again with `initialize`.",
  });

const notInitialized = (): SluicegateError =>
  new SluicegateError("invalid-request", "The MCP connection isn't initialized.", {
    why: "A request of an older protocol revision came without `Mcp-Session-Id`, and it isn't `initialize`.",
    fix: "Begin with `initialize`, or speak revision 2026-07-28.",
  });

const emptyBody = (): SluicegateError =>
  new SluicegateError("malformed-json", "The body is empty.", {
    why: "An MCP request is a JSON-RPC message in the body of a POST.",
    fix: "Send the message as JSON.",
  });
