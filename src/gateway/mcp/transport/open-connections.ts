/**
 * The connections of clients of revisions before 2026-07-28: each has a transport session, whose id works for one
 * session of the gate.
 */
import { randomUUID } from "node:crypto";
import { isInitializeRequest, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { SluicegateError } from "../../../errors/index.ts";
import type { Session } from "../../../runtime/index.ts";
import { type Member, memberOf, OwnerCounts, partyOf, SHARE_OF_PARTY } from "../../../threads/index.ts";
import { callOnConnection } from "../direct-calls.ts";
import { createLiveServer, type McpService } from "../session-server.ts";
import { failure, type MessageAnswer, type Room, SessionTransport } from "./session-transport.ts";

interface Connection extends Member {
  readonly transport: SessionTransport;
  readonly session: string;
  usedAt: number;
}

/** How often idle connections are closed. */
const SWEEP_MS = 60_000;

export class OpenConnections {
  readonly #service: McpService;
  readonly #onFault: (cause: unknown) => void;
  readonly #now: () => number;
  readonly #sweep: NodeJS.Timeout;
  /** INVARIANT: ordered by their last use, the longest idle first, here and per label holder. */
  readonly #open = new Map<string, Connection>();
  readonly #ofHolder = new Map<string, Map<string, Connection>>();
  /** Characters of answers that wait for the others of their batches. */
  readonly #held = new OwnerCounts();

  constructor(
    service: McpService,
    onFault: (cause: unknown) => void,
    now: () => number = () => performance.now(),
  ) {
    this.#service = service;
    this.#onFault = onFault;
    this.#now = now;
    this.#sweep = setInterval(() => this.closeIdle(), SWEEP_MS).unref();
  }

  async handle(request: Request, session: Session, body: unknown): Promise<Response | MessageAnswer> {
    const given = request.headers.get("mcp-session-id");
    const refused = refusalOf(request);
    if (refused) return refused;
    if (given === null) return this.#begin(request, session, body);
    const known = this.#open.get(given);
    // THREAT: a transport's id proves nothing; it must belong to the session that the caller may use.
    if (known === undefined || known.session !== session.id) throw unknownConnection();
    this.#remove(known);
    this.#add(known);
    switch (request.method) {
      case "POST":
        return known.transport.post(request, body);
      case "GET":
        return known.transport.listen(request);
      case "DELETE":
        await known.transport.close();
        return new Response(null, { status: 200 });
      default:
        return notAllowed();
    }
  }

  /** Closes those without requests for too long, unless they wait for an answer. */
  closeIdle(): void {
    const since = this.#now() - this.#service.limits.transportIdleSeconds * 1000;
    for (const { transport, usedAt } of [...this.#open.values()]) {
      if (usedAt > since) return;
      if (transport.busy === 0) void transport.close();
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.allSettled([...this.#open.values()].map(({ transport }) => transport.close()));
  }

  async #begin(request: Request, session: Session, body: unknown): Promise<Response | MessageAnswer> {
    if (request.method !== "POST") return notAllowed();
    if (!isInitializeRequest(body)) throw notInitialized();
    this.#makeRoom(session);
    // Added before anything is awaited, so that many at once can't exceed the limit together.
    const transport = new SessionTransport(randomUUID(), this.#roomOf(session));
    const connection = { transport, session: session.id, ...memberOf(session), usedAt: 0 };
    this.#add(connection);
    const { server, context } = createLiveServer(this.#service, session, this.#onFault);
    transport.direct = {
      call: (call, signal) => callOnConnection(server, context, call, signal),
      outcomes: context.outcomes,
    };
    const onclose = server.onclose;
    server.onclose = () => {
      this.#remove(connection);
      onclose?.();
    };
    await server.connect(transport);
    return transport.post(request, body);
  }

  /** THREAT: the first answers of a batch wait until its last call has ended. */
  #roomOf(session: Session): Room {
    const { unsentBytes } = this.#service.limits;
    const member = memberOf(session);
    const { holders, parties } = this.#held;
    return {
      take: (length) => {
        const isFull =
          holders.of(member.labelHolder) + length > unsentBytes / 4 ||
          parties.of(member.party) + length > unsentBytes;
        if (length > 0 && isFull) return false;
        this.#held.add(member, length);
        return true;
      },
    };
  }

  #add(connection: Connection): void {
    const { transport, labelHolder } = connection;
    connection.usedAt = this.#now();
    this.#open.set(transport.sessionId, connection);
    const own = this.#ofHolder.get(labelHolder) ?? new Map<string, Connection>();
    this.#ofHolder.set(labelHolder, own.set(transport.sessionId, connection));
  }

  #remove({ transport, labelHolder }: Connection): void {
    this.#open.delete(transport.sessionId);
    const own = this.#ofHolder.get(labelHolder);
    own?.delete(transport.sessionId);
    if (own?.size === 0) this.#ofHolder.delete(labelHolder);
  }

  /**
   * Connections that were never closed would fill the limit, so the longest idle one is closed. THREAT: it is one of
   * whoever has most, and no principal may have all, so nobody can shut others out.
   */
  #makeRoom(session: Session): void {
    const { transportsPerSession, transports } = this.#service.limits;
    const own = this.#ofHolder.get(session.labelHolder);
    if (own && own.size >= transportsPerSession) {
      closeQuietest([own]);
      return;
    }
    const parties = Map.groupBy(this.#ofHolder.values(), partyOfAll);
    const ofParty = parties.get(partyOf(session)) ?? [];
    if (sizeOf(ofParty) >= transports * SHARE_OF_PARTY) closeQuietest(ofParty);
    else if (this.#open.size >= transports)
      closeQuietest([...parties.values()].sort((one, other) => sizeOf(other) - sizeOf(one))[0] ?? []);
  }
}

/** Those of one label holder, so of one principal too; the longest idle first. */
type Connections = ReadonlyMap<string, Connection>;

const partyOfAll = (connections: Connections): string | undefined => connections.values().next().value?.party;

const sizeOf = (all: readonly Connections[]): number => all.reduce((sum, { size }) => sum + size, 0);

const bySize = (all: readonly Connections[]): readonly Connections[] =>
  all.toSorted((one, other) => other.size - one.size);

/** Of the label holder with most, if one of it waits for no answer. @throws SluicegateError `limit-reached` */
function closeQuietest(all: readonly Connections[]): void {
  for (const connections of bySize(all)) {
    const quiet = connections.values().find(({ transport }) => transport.busy === 0);
    if (quiet !== undefined) return void quiet.transport.close();
  }
  throw noRoom(sizeOf(all));
}

/** The requirements of the older revisions for every request's headers. */
function refusalOf(request: Request): Response | null {
  const version = request.headers.get("mcp-protocol-version");
  if (version !== null && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
    const known = SUPPORTED_PROTOCOL_VERSIONS.join(", ");
    return failure(
      400,
      -32000,
      `The \`MCP-Protocol-Version\` of the request isn't supported. Use one of ${known}.`,
    );
  }
  const accept = request.headers.get("accept") ?? "";
  const isAcceptable =
    request.method === "POST"
      ? accept.includes("application/json") && accept.includes("text/event-stream")
      : request.method !== "GET" || accept.includes("text/event-stream");
  return isAcceptable
    ? null
    : failure(
        406,
        -32000,
        "The client must accept application/json and text/event-stream (GET: the latter).",
      );
}

const notAllowed = (): Response => {
  const response = failure(
    405,
    -32000,
    "Only POST, GET and DELETE are served, GET and DELETE with `Mcp-Session-Id`.",
  );
  response.headers.set("allow", "POST, GET, DELETE");
  return response;
};

const noRoom = (most: number): SluicegateError =>
  new SluicegateError("limit-reached", "Too many MCP clients are connected to this session.", {
    why: `There are ${most}, and each waits for an answer.`,
    fix: "Close one (`DELETE` with its `Mcp-Session-Id`), or raise the limit.",
  });

const unknownConnection = (): SluicegateError =>
  new SluicegateError("session-not-found", "There is no such MCP connection.", {
    why: "Its `Mcp-Session-Id` is unknown, or the connection is closed.",
    fix: "Connect again with `initialize`.",
  });

const notInitialized = (): SluicegateError =>
  new SluicegateError("invalid-request", "The MCP connection isn't initialized.", {
    why: "A request of an older protocol revision came without `Mcp-Session-Id`, and it isn't `initialize`.",
    fix: "Begin with `initialize`, or speak revision 2026-07-28.",
  });
