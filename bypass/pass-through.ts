/**
 * A bare and honest pass-through: one MCP server before the suite's servers, made with the official SDK. It passes
 * on everything that it is given and decides nothing. Names are prefixed only where two servers have the same.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  ProtocolError,
  Server,
  type ServerContext,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { EVERY_CAPABILITY, listenOn } from "./fixtures/fixture.ts";
import type { RunningTarget } from "./own-gateway.ts";
import { CLIENT_CAPABILITIES, type Json } from "./wire.ts";
import type { World } from "./world.ts";

/** The servers behind: those that lists are read from, and those that one client's calls go to. */
interface Behind {
  readonly shared: ReadonlyMap<string, Client>;
  client(name: string): Promise<Client>;
}

export async function startPassThrough(world: World): Promise<RunningTarget> {
  const urls = new Map(world.all.map(({ name, url }) => [name, url]));
  const shared = await connectAll(urls);
  const clientOf = async (name: string): Promise<Client> => shared.get(name) ?? unknown();
  const modern = createMcpHandler(() => createServer({ shared, client: clientOf }), { legacy: "reject" });
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const own: Promise<Client>[] = [];
  for (const client of shared.values())
    client.setNotificationHandler("notifications/tools/list_changed", () => modern.notify.toolsChanged());

  const openOlder = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    const clients = new Map<string, Promise<Client>>();
    const client = (name: string): Promise<Client> => {
      const known = clients.get(name) ?? connectOne(urls.get(name) ?? unknown(), server);
      clients.set(name, known);
      own.push(known);
      return known;
    };
    const server = createServer({ shared, client });
    await server.connect(transport);
    return transport;
  };
  const { port, stop } = await listenOn(async (request) => {
    const parsedBody: unknown = request.method === "POST" ? await parse(request.clone()) : undefined;
    if (!(await isLegacyRequest(request.clone(), parsedBody))) return modern.fetch(request, { parsedBody });
    const known = transports.get(request.headers.get("mcp-session-id") ?? "");
    if (known) return known.handleRequest(request, { parsedBody });
    if (!isInitializeRequest(parsedBody)) return new Response("no such connection", { status: 404 });
    return (await openOlder()).handleRequest(request, { parsedBody });
  }, 0);
  return {
    options: { url: `http://127.0.0.1:${port}/mcp`, agentHook: null },
    stop: async () => {
      await modern.close();
      await stop();
      const clients = [...shared.values(), ...own];
      await Promise.allSettled(clients.map(async (client) => (await client).close()));
    },
  };
}

async function parse(request: Request): Promise<unknown> {
  try {
    return JSON.parse(await request.text());
  } catch {
    return undefined;
  }
}

async function connectAll(urls: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, Client>> {
  const connected = [...urls].map(async ([name, url]) => [name, await connectOne(url)] as const);
  return new Map(await Promise.all(connected));
}

async function connectOne(url: string, before?: Server): Promise<Client> {
  const client = new Client(
    { name: "pass-through", version: "1.0.0" },
    { capabilities: CLIENT_CAPABILITIES, versionNegotiation: { mode: "auto" } },
  );
  if (before) passBack(client, before);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

const unknown = (): never => {
  throw new ProtocolError(-32602, "There is no such thing here.");
};

/** What a server says or asks by itself goes to the client that the connection belongs to. */
function passBack(client: Client, server: Server): void {
  client.setNotificationHandler("notifications/message", ({ params }) =>
    server.notification({ method: "notifications/message", params }),
  );
  client.setNotificationHandler("notifications/resources/updated", ({ params }) =>
    server.notification({ method: "notifications/resources/updated", params }),
  );
  client.setNotificationHandler("notifications/tools/list_changed", () => server.sendToolListChanged());
  client.setRequestHandler("elicitation/create", ({ params }) =>
    server.request({ method: "elicitation/create", params }),
  );
  client.setRequestHandler("sampling/createMessage", ({ params }) =>
    server.request({ method: "sampling/createMessage", params }),
  );
  client.setRequestHandler("roots/list", () => server.request({ method: "roots/list" }));
}

function createServer(behind: Behind): Server {
  const server = new Server({ name: "pass-through", version: "1.0.0" }, { capabilities: EVERY_CAPABILITY });
  const all = <T>(
    list: (client: Client) => Promise<readonly T[]>,
  ): Promise<readonly (readonly [string, T])[]> =>
    Promise.all(
      [...behind.shared].map(async ([name, client]) =>
        (await list(client)).map((item) => [name, item] as const),
      ),
    ).then((lists) => lists.flat());
  const tools = async () => unique(await all(async (client) => (await client.listTools()).tools));
  const prompts = async () => unique(await all(async (client) => (await client.listPrompts()).prompts));
  const clientOf = async (name: string | undefined): Promise<Client> => behind.client(name ?? unknown());
  const clientOfUri = (uri: string): Promise<Client> => clientOf(uri.split(":")[0]);

  server.setRequestHandler("tools/list", async () => ({ tools: (await tools()).map(({ shown }) => shown) }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const found = (await tools()).find(({ shown }) => shown.name === params.name);
    return pass(
      await clientOf(found?.server),
      "tools/call",
      { ...params, name: found?.name },
      context,
    ) as never;
  });
  server.setRequestHandler("resources/list", async () => ({
    resources: (await all(async (client) => (await client.listResources()).resources)).map(
      ([, item]) => item,
    ),
  }));
  server.setRequestHandler("resources/templates/list", async () => ({
    resourceTemplates: (
      await all(async (client) => (await client.listResourceTemplates()).resourceTemplates)
    ).map(([, item]) => item),
  }));
  server.setRequestHandler("resources/read", async ({ params }) =>
    (await clientOfUri(params.uri)).readResource(params),
  );
  server.setRequestHandler("resources/subscribe", async ({ params }) => {
    await (await clientOfUri(params.uri)).subscribeResource(params);
    return {};
  });
  server.setRequestHandler("prompts/list", async () => ({
    prompts: (await prompts()).map(({ shown }) => shown),
  }));
  server.setRequestHandler("prompts/get", async ({ params }) => {
    const found = (await prompts()).find(({ shown }) => shown.name === params.name);
    return (await clientOf(found?.server)).getPrompt({ ...params, name: found?.name ?? "" });
  });
  server.setRequestHandler("completion/complete", async ({ params }) => {
    const { ref } = params;
    if (ref.type === "ref/resource") return (await clientOfUri(ref.uri)).complete(params);
    const found = (await prompts()).find(({ shown }) => shown.name === ref.name);
    return (await clientOf(found?.server)).complete({ ...params, ref: { ...ref, name: found?.name ?? "" } });
  });
  return server;
}

/** The first server keeps a name; the others' are prefixed. */
function unique<T extends { readonly name: string }>(
  items: readonly (readonly [string, T])[],
): readonly { readonly server: string; readonly name: string; readonly shown: T }[] {
  const taken = new Set<string>();
  return items.map(([server, item]) => {
    const isTaken = taken.has(item.name);
    taken.add(item.name);
    const name = isTaken ? `${server}__${item.name}` : item.name;
    return { server, name: item.name, shown: { ...item, name } };
  });
}

/** A call with all that belongs to it: its cancellation, its progress, its questions. */
async function pass(
  client: Client,
  method: "tools/call",
  params: Json,
  context: ServerContext,
): Promise<unknown> {
  const { _meta, signal, envelope, inputResponses, requestState, notify } = context.mcpReq;
  const token = _meta?.progressToken;
  const state = requestState();
  const passed = {
    ...params,
    ...(inputResponses && { inputResponses }),
    ...(state !== undefined && { requestState: state }),
  };
  return client.request({ method, params: passed } as never, {
    signal,
    // A client of the newer era answers questions by itself; for one of the older, this one does it.
    ...(envelope !== undefined && { allowInputRequired: true }),
    ...(token !== undefined && {
      onprogress: (progress) =>
        void notify({ method: "notifications/progress", params: { ...progress, progressToken: token } }),
    }),
  });
}
