/**
 * The MCP server that the conformance suites expect, with their fixed names, on a port of this machine. It speaks
 * both eras at one address: older clients get a session each, newer ones send each request by itself.
 */
import { randomUUID } from "node:crypto";
import { serve } from "@hono/node-server";
import {
  createMcpHandler,
  createRequestStateCodec,
  hostHeaderValidationResponse,
  isInitializeRequest,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  McpServer,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { addAskingTools } from "./fixture-asking.ts";
import { createEventStore } from "./fixture-event-store.ts";
import { addInputRequired, type RoundState } from "./fixture-input-required.ts";
import { addPrompts } from "./fixture-prompts.ts";
import { addResources } from "./fixture-resources.ts";
import { addTools } from "./fixture-tools.ts";

export interface FixtureServer {
  readonly url: string;
  close(): Promise<void>;
}

type Listed = "tools" | "prompts";

/** What comes and goes in the lists. */
export interface Changes {
  /** Shows the one that is hidden, or hides it, and tells every client. */
  make(listed: Listed): void;
}

/** A tool or prompt that comes and goes. A server that has a client tells it. */
export interface Appearing {
  enable(): void;
  disable(): void;
}

const codec = createRequestStateCodec<RoundState>({ key: new Uint8Array(32).fill(7), ttlSeconds: 600 });

export async function startFixtureServer(): Promise<FixtureServer> {
  const shown = { tools: false, prompts: false };
  const sessions = new Map<string, Session>();
  const changes: Changes = {
    make: (listed) => {
      shown[listed] = !shown[listed];
      if (listed === "tools") modern.notify.toolsChanged();
      else modern.notify.promptsChanged();
      for (const { fixture } of sessions.values()) show(fixture.appearing[listed], shown[listed]);
    },
  };
  const create = (era: "legacy" | "modern"): Fixture => {
    const fixture = createFixture(era, changes);
    for (const listed of ["tools", "prompts"] as const) show(fixture.appearing[listed], shown[listed]);
    return fixture;
  };
  const modern = createMcpHandler(() => create("modern").server, { legacy: "reject" });

  const fetch = async (request: Request): Promise<Response> => {
    const refused =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins());
    if (refused) return refused;
    if (!(await isLegacyRequest(request.clone()))) return modern.fetch(request);
    return answerLegacy(request, sessions, () => create("legacy"));
  };
  const listening = Promise.withResolvers<number>();
  const listener = serve({ fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => listening.resolve(port));
  return {
    url: `http://127.0.0.1:${await listening.promise}/mcp`,
    close: async () => {
      await modern.close();
      await Promise.all([...sessions.values()].map(({ fixture }) => fixture.server.close()));
      if ("closeAllConnections" in listener) listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

interface Fixture {
  readonly server: McpServer;
  readonly appearing: Readonly<Record<Listed, Appearing>>;
}

interface Session {
  readonly fixture: Fixture;
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

const show = (appearing: Appearing, isShown: boolean): void =>
  isShown ? appearing.enable() : appearing.disable();

function createFixture(era: "legacy" | "modern", changes: Changes): Fixture {
  const server = new McpServer(
    { name: "conformance-fixture", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: codec.verify },
    },
  );
  const tools = addTools(server, changes);
  addAskingTools(server);
  addInputRequired(server, codec);
  addResources(server, era);
  const prompts = addPrompts(server);
  return { server, appearing: { tools, prompts } };
}

async function answerLegacy(
  request: Request,
  sessions: Map<string, Session>,
  create: () => Fixture,
): Promise<Response> {
  const given = request.headers.get("mcp-session-id");
  const known = sessions.get(given ?? "");
  if (known) return known.transport.handleRequest(request);
  if (given !== null) return refuse(404, "Session not found");
  const parsedBody: unknown = request.method === "POST" ? await request.json() : undefined;
  if (!isInitializeRequest(parsedBody)) return refuse(400, "Begin with initialize");
  const fixture = create();
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, { fixture, transport }),
    onsessionclosed: (id) => void sessions.delete(id),
    eventStore: createEventStore(),
    retryInterval: 100,
  });
  await fixture.server.connect(transport);
  return transport.handleRequest(request, { parsedBody });
}

const refuse = (status: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", id: null, error: { code: -32000, message } }, { status });

// Started by hand, to run a single scenario against it.
if (import.meta.main) process.stdout.write(`${(await startFixtureServer()).url}\n`);
