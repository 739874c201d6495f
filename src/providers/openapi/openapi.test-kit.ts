/** A real server on loopback that keeps what arrives, and providers of APIs that call it. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createLabel, DEFAULT_LATTICE, type Label } from "../../core/index.ts";
import type { JsonObject, ToolResult } from "../../runtime/index.ts";
import type { ApiOperationOptions, ApiOptions } from "./api-tool.ts";
import { type ApiProvider, createApiProvider } from "./provider.ts";

/** A request as it arrived. */
export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Witness {
  readonly url: string;
  readonly port: number;
  readonly arrived: Arrived[];
}

type Answer = (arrived: Arrived, ...last: Parameters<RequestListener>) => void;

const servers = new Set<Server>();
const providers = new Set<ApiProvider>();

/** To be called after each test. */
export async function closeAll(): Promise<void> {
  await Promise.all([...providers].map((provider) => provider.close()));
  providers.clear();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers.clear();
}

/** A server that answers each request by a function; by default with `{"ok":true}`. */
export async function startWitness(answer?: Answer): Promise<Witness> {
  const arrived: Arrived[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", url = "", headers } = request;
    const one = { method, url, headers, body };
    arrived.push(one);
    if (answer) return answer(one, request, response);
    response.setHeader("content-type", "application/json").end('{"ok":true}');
  });
  servers.add(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, arrived };
}

/** Answers with JSON. */
export const answerJson =
  (value: unknown, status = 200): Answer =>
  (_, __request, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  };

export const INTERNAL: Label = createLabel("internal", [], "trusted");
export const PUBLIC: Label = createLabel("public", [], "trusted");

/** A document of version 3.0 with these paths. */
export const documentOf = (paths: JsonObject, more: JsonObject = {}): JsonObject => ({
  openapi: "3.0.3",
  info: { title: "Test", version: "1" },
  paths,
  ...more,
});

/** An operation that takes these parameters, and whatever else is given. */
export const operationOf = (parameters: readonly JsonObject[] = [], more: JsonObject = {}): JsonObject => ({
  parameters,
  responses: { "200": { description: "All right." } },
  ...more,
});

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** Every operation of a document, by its id or its place. */
export function operationsOf(document: JsonObject, label: Label = INTERNAL): ApiOperationOptions[] {
  const paths = Object.entries((document.paths ?? {}) as Record<string, Record<string, JsonObject>>);
  const found = paths.flatMap(([path, item]) =>
    METHODS.filter((method) => Object.hasOwn(item, method)).map((method) => ({ path, method, item })),
  );
  return found.map(({ path, method, item }, index) => ({
    name: String(item[method]?.operationId ?? `${method}_${index}`).replaceAll(/[^A-Za-z0-9_-]/g, "_"),
    method,
    path,
    label,
    fields: null,
  }));
}

/** A provider that has read its document, of all its operations unless others are named. */
export async function openApi(
  document: JsonObject,
  options: Partial<ApiOptions> & Pick<ApiOptions, "baseUrl">,
): Promise<ApiProvider> {
  const provider = createApiProvider({
    id: "api",
    document,
    headers: {},
    query: {},
    allowPrivate: false,
    operations: operationsOf(document),
    limits: { bytes: 1_000_000, seconds: 10 },
    lattice: DEFAULT_LATTICE,
    ...options,
  });
  providers.add(provider);
  await provider.settled;
  return provider;
}

/** One call, on what was examined. */
export async function call(provider: ApiProvider, tool: string, args: JsonObject = {}): Promise<ToolResult> {
  const examined = await provider.examine?.(tool, args);
  return provider.run(tool, args, examined ? { examined } : {});
}

/** All texts of a result. */
export const textOf = ({ content }: ToolResult): string =>
  content.map(({ text }) => (typeof text === "string" ? text : "")).join("\n");
