/**
 * Random requests to the gateway's two doors, REST and MCP, without a network: valid ones, changed as trees and as
 * text, and their paths and headers too. Whatever comes in, each request is answered in time, nothing is the gateway's
 * own mistake, no tool runs that the session may not call, and no byte of another session comes back.
 */
import fc from "fast-check";
import { createGateway, type Gateway } from "../../src/gateway/index.ts";
import { definePolicy } from "../../src/index.ts";
import type { ToolProvider } from "../../src/runtime/index.ts";
import { createMemoryStore } from "../../src/stores/index.ts";
import {
  anyTextChanges,
  anyTreeChanges,
  changeText,
  changeTree,
  type Tree,
  vocabularyOf,
} from "./mutations.ts";

const HOST = "127.0.0.1:7311";
const OPERATOR = "operator-token-for-tests";
const POLICY = definePolicy(
  {
    tools: {
      notes: { permissions: ["read"], source: { level: "internal" } },
      post: { permissions: ["connect"], sink: [{ level: "public" }] },
      wire: { permissions: ["write"], approval: "always" },
    },
    servers: {
      office: {
        tools: {
          read_mail: { permissions: ["read"], source: { level: "internal" } },
          lookup: { permissions: ["read"] },
          send_mail: { permissions: ["connect"], sink: [{ level: "public" }] },
          pay: { permissions: ["write"], approval: "always" },
          wipe: { permissions: ["write"] },
        },
      },
    },
    roles: { clerk: { permissions: ["read", "write", "connect"] } },
    policy: { deniedTools: ["mcp__office__wipe"] },
    approvals: { waitSeconds: 0 },
  },
  { version: "fuzz" },
);
/** All that a session which has read its mail may call, by what it is called in a decision. */
const ALLOWED = new Set(["notes", "read_mail", "lookup", "mcp__office__read_mail", "mcp__office__lookup"]);
const CANARY = "canary-of-another-session";

/** What a request's path and body may name of the gateway that it is sent to. */
const NAMES = ["{session}", "{other}", "{approval}", "{allowed}", "{refused}", "{transport}"] as const;

export interface DoorRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly caller: "agent" | "operator" | "stranger";
  readonly body: string | null;
}

interface Sample {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Tree;
}

const own = (method: string, action: string, body?: Tree): Sample => ({
  method,
  path: `/v1/session/{session}${action}`,
  ...(body !== undefined && { body }),
});
const CALLS: readonly Tree[] = [
  "read_mail",
  "lookup",
  "send_mail",
  "pay",
  "wipe",
  "notes",
  "post",
  "wire",
].map((tool) => ({ tool, arguments: { query: "Q3", amount: 7 }, wait: 0 }));
const REST: readonly Sample[] = [
  ...CALLS.flatMap((call) => [own("POST", "/decide", call), own("POST", "/call", call)]),
  own("POST", "/decide", { calls: [{ tool: "notes" }, { tool: "post", arguments: {} }, { tool: "wire" }] }),
  own("POST", "/validate-plan", { planned_calls: ["read_mail", { id: "a", tool: "pay", after: [] }] }),
  own("POST", "/plan", {
    planned_calls: [
      { id: "a", tool: "lookup" },
      { tool: "post", after: ["a"] },
    ],
  }),
  own("POST", "/report", {
    call_id: "{allowed}",
    label: { level: "secret", categories: [] },
    dataset: "crm",
  }),
  own("POST", "/report-impossible", { reason: "nothing" }),
  own("POST", "/appeal", { call_id: "{refused}", text: "The user wants it." }),
  own("POST", "/fork", {
    tool_policy: { allowed_tools: ["lookup"], denied_tools: ["pay"], require_tags: [] },
  }),
  own("POST", "/words", { text: "Pay 7 to Bob." }),
  own("POST", "/reset", {}),
  ...["", "/manifest", "/answer", "/journal?after=0&limit=10", "/tools", "/timeline?limit=5"].map((path) =>
    own("GET", path),
  ),
  {
    method: "POST",
    path: "/v1/session",
    body: { principal: "ada", role: "clerk", task: "Pay.", tools: ["pay"] },
  },
  { method: "GET", path: "/v1/sessions?limit=10&order=newest" },
  { method: "GET", path: "/v1/approvals?status=all" },
  { method: "GET", path: "/v1/approvals/{approval}" },
  {
    method: "POST",
    path: "/v1/approvals/{approval}/approve",
    body: { reason: "yes", arguments: { amount: 7 } },
  },
  { method: "POST", path: "/v1/approvals/{approval}/deny", body: {} },
  { method: "POST", path: "/v1/approvals/{approval}/standing", body: { arguments: {}, for: "session" } },
  { method: "POST", path: "/v1/approvals/deny-departed", body: {} },
  { method: "GET", path: "/v1/appeals" },
  { method: "GET", path: "/v1/standing-approvals" },
  { method: "DELETE", path: "/v1/standing-approvals/{approval}" },
  { method: "GET", path: "/v1/freezes" },
  { method: "POST", path: "/v1/freeze", body: { scope: "session", session_id: "{other}", reason: "Stop." } },
  { method: "DELETE", path: "/v1/freeze/{approval}" },
  { method: "GET", path: "/v1/tools" },
  { method: "POST", path: "/v1/tools/accept", body: { tool: "pay", hash: "0".repeat(64) } },
  { method: "GET", path: "/v1/policy" },
  { method: "GET", path: "/v1/policy/flows" },
  { method: "POST", path: "/v1/policy/reload", body: { allow_widening: true } },
  { method: "GET", path: "/v1/identity" },
  { method: "GET", path: "/openapi.json" },
  { method: "GET", path: "/metrics" },
  { method: "GET", path: "/readyz" },
  { method: "GET", path: "/healthz" },
];

const ACCEPT = { accept: "application/json, text/event-stream" };
const MODERN: Tree = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "fuzz", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: {}, sampling: {} },
};
const METHODS: readonly (readonly [string, { readonly [key: string]: Tree }])[] = [
  ...["read_mail", "lookup", "send_mail", "pay", "wipe", "sluicegate_manifest", "report_impossible"].map(
    (name) => ["tools/call", { name, arguments: { query: "Q3", amount: 7 } }] as const,
  ),
  ["tools/call", { name: "sluicegate_check_plan", arguments: { planned_calls: ["read_mail", "send_mail"] } }],
  ["tools/call", { name: "sluicegate_appeal", arguments: { call_id: "{refused}", text: "Please." } }],
  [
    "tools/call",
    { name: "pay", arguments: {}, requestState: "x", inputResponses: { a: { action: "accept" } } },
  ],
  ["tools/list", { cursor: "0" }],
  ["server/discover", {}],
  ["resources/list", {}],
  ["resources/read", { uri: "file:///etc/passwd" }],
  ["resources/templates/list", {}],
  ["prompts/list", {}],
  ["prompts/get", { name: "greet", arguments: {} }],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "a", value: "b" } },
  ],
  ["logging/setLevel", { level: "info" }],
  ["ping", {}],
  ["notifications/cancelled", { requestId: 1, reason: "gone" }],
];
const INITIALIZE: Tree = {
  protocolVersion: "2025-11-25",
  capabilities: { elicitation: {} },
  clientInfo: { name: "fuzz", version: "1" },
};
const MCP: readonly Sample[] = [
  ...METHODS.flatMap(([method, params]): Sample[] => {
    const message = method.startsWith("notifications/") ? { method } : { id: 1, method };
    const name = typeof params.name === "string" ? { "mcp-name": params.name } : {};
    const modern = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...name };
    return [
      {
        method: "POST",
        path: "/s/{session}/mcp",
        headers: { ...ACCEPT, ...modern },
        body: { jsonrpc: "2.0", ...message, params: { ...params, _meta: MODERN } },
      },
      {
        method: "POST",
        path: "/s/{session}/mcp",
        headers: { ...ACCEPT, "mcp-protocol-version": "2025-11-25", "mcp-session-id": "{transport}" },
        body: { jsonrpc: "2.0", ...message, params },
      },
    ];
  }),
  {
    method: "POST",
    path: "/mcp",
    headers: { ...ACCEPT, "sluicegate-session": "{session}" },
    body: { jsonrpc: "2.0", id: 1, method: "initialize", params: INITIALIZE },
  },
  {
    method: "POST",
    path: "/s/{other}/mcp",
    headers: ACCEPT,
    body: { jsonrpc: "2.0", id: 1, method: "ping" },
  },
];

const BITS = [
  ...[
    '"',
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "1e400",
    "-0",
    "\\ud800",
    "\\u0000",
    "\0",
    "\ufeff",
    " ",
  ],
  ...['"__proto__":{},', '"tool":"pay",', '"id":1,', '"wait":9,', "//", "/*", "NaN", "0x1", "\n", "\ud800"],
];
const HEADERS: readonly (readonly [string, string])[] = [
  ["content-type", "text/plain"],
  ["content-type", "application/json; charset=utf-16"],
  ["content-encoding", "gzip"],
  ["content-length", "3"],
  ["content-length", "99999999999"],
  ["accept", "application/problem+json"],
  ["accept", "text/html"],
  ["host", "evil.example"],
  ["origin", "null"],
  ["origin", "https://evil.example"],
  ["mcp-protocol-version", "1"],
  ["mcp-protocol-version", "2026-07-28"],
  ["mcp-method", "tools/list"],
  ["mcp-name", "=?base64?cGF5?="],
  ["mcp-session-id", "{other}"],
  ["mcp-param-x", "1"],
  ["last-event-id", "1"],
  ["sluicegate-session", "{other}"],
  ["x-http-method-override", "DELETE"],
];
const PATH_BITS = [
  "/",
  "//",
  "..",
  "%2f",
  "%00",
  "%ff",
  "{other}",
  "?",
  "&status=all",
  "limit=-1",
  "#",
  "*",
  ":id",
];

const anyOf = (samples: readonly Sample[]): fc.Arbitrary<DoorRequest> => {
  const vocabulary = vocabularyOf(samples.flatMap(({ body }) => (body === undefined ? [] : [body])));
  const sample = fc.constantFrom(...samples);
  const sent = fc
    .tuple(sample, anyTreeChanges, anyTextChanges(BITS), rarely(fc.string({ unit: "binary", maxLength: 40 })))
    .map(([{ body, ...rest }, changes, edits, noise]) => {
      const text = body === undefined ? null : JSON.stringify(changeTree(body, changes, vocabulary));
      return { ...rest, body: noise ?? (text === null ? null : changeText(text, edits)) };
    });
  return fc
    .record({
      sent,
      method: rarely(fc.constantFrom("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH")),
      header: rarely(fc.constantFrom(...HEADERS)),
      edits: rarely(anyTextChanges(PATH_BITS)),
      caller: fc.constantFrom("agent", "agent", "agent", "operator", "stranger"),
    })
    .map(({ sent: { method, path, headers, body }, caller, ...changed }) => ({
      method: changed.method ?? method,
      path: changed.edits === null ? path : changeText(path, changed.edits),
      headers: { ...headers, ...(changed.header && Object.fromEntries([changed.header])) },
      caller,
      body,
    }));
};

const rarely = <T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: some });

export const anyRestRequest = anyOf(REST);
export const anyMcpRequest = anyOf(MCP);

/** Two gateways in this process: agents and strangers come to one, and the operator, who may do anything, to another. */
export interface Doors {
  /** Sends a request, throws for what must not be, and gives the answer's status. */
  check(request: DoorRequest): Promise<number>;
  close(): Promise<void>;
}

export async function openDoors(): Promise<Doors> {
  const [agents, operators] = [await openWorld(), await openWorld()];
  return {
    check: (request) => send(request.caller === "operator" ? operators : agents, request),
    close: async () => {
      await agents.gateway.close();
      await operators.gateway.close();
    },
  };
}

interface World {
  readonly gateway: Gateway;
  /** What was run at the server behind, since it was last looked at. */
  readonly ran: string[];
  /** What the gateway says was its own mistake. */
  readonly faults: unknown[];
  readonly token: string;
  readonly names: ReadonlyMap<string, string>;
}

const UNLIMITED = { requestsPerSecond: 1e9, sessionsPerSecond: 1e9, sessionsPerDay: 1e9 };

async function openWorld(): Promise<World> {
  const [ran, faults]: [string[], unknown[]] = [[], []];
  const names = ["read_mail", "lookup", "send_mail", "pay", "wipe"];
  const office: ToolProvider = {
    id: "office",
    status: "ready",
    problem: null,
    tools: new Map(names.map((name) => [name, { name, inputSchema: { type: "object" } }])),
    settled: Promise.resolve(),
    run: async (tool) => {
      ran.push(tool);
      return { content: [{ type: "text", text: `done: ${tool}` }] };
    },
    watch: () => () => {},
    close: async () => {},
  };
  const gateway = createGateway({
    policy: POLICY,
    store: createMemoryStore(),
    providers: [office],
    operatorToken: OPERATOR,
    key: Buffer.alloc(32, 7),
    version: "0.0.0-test",
    limits: { ...UNLIMITED, bodyBytes: 64 * 1024 },
    onFault: (cause) => faults.push(cause),
  });
  gateway.allowHosts({ hosts: new Set([HOST]) });
  await gateway.catalog.settled;
  const ask = async (path: string, body: object, headers = {}): Promise<Response> => {
    const authorization = `Bearer ${OPERATOR}`;
    const sent = { host: HOST, authorization, "content-type": "application/json", ...headers };
    return gateway.fetch(
      new Request(`http://${HOST}${path}`, { method: "POST", headers: sent, body: JSON.stringify(body) }),
    );
  };
  // What the gateway answers to valid requests.
  const askJson = async (path: string, body: object): Promise<any> => (await ask(path, body)).json();
  const [mine, other] = [await askJson("/v1/session", {}), await askJson("/v1/session", { task: CANARY })];
  const decide = (session: any, tool: string, query: string) =>
    askJson(`/v1/session/${session.session_id}/decide`, { tool, arguments: { query } });
  await decide(other, "pay", CANARY);
  const allowed = await decide(mine, "read_mail", "Q3");
  const [refused, asked] = [await decide(mine, "send_mail", "Q3"), await decide(mine, "pay", "Q3")];
  const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: INITIALIZE };
  const opened = await ask(`/s/${mine.session_id}/mcp`, initialize, ACCEPT);
  const known = {
    "{session}": mine.session_id,
    "{other}": other.session_id,
    "{approval}": asked.approval.id,
    "{allowed}": allowed.call_id,
    "{refused}": refused.call_id,
    "{transport}": opened.headers.get("mcp-session-id") ?? "",
  };
  return { gateway, ran, faults, token: mine.session_token, names: new Map(Object.entries(known)) };
}

/** Far more than any takes by itself: a machine may be busy. */
const TIME_MS = 20_000;
/** How long a client stays where its request may be held, or answered by a stream without end. */
const PATIENCE_MS = 20;

async function send(world: World, request: DoorRequest): Promise<number> {
  const { gateway, ran, faults } = world;
  const fill = (text: string): string =>
    NAMES.reduce((filled, name) => filled.replaceAll(name, world.names.get(name) ?? ""), text);
  const tokens = { agent: world.token, operator: OPERATOR, stranger: "nobody" };
  const gone = new AbortController();
  const mayLast = request.method === "GET" || /wait|listen|subscribe|cursor/.test(request.body ?? "");
  let sent: Request;
  try {
    sent = new Request(new URL(fill(request.path), `http://${HOST}`), {
      method: request.method,
      headers: {
        host: HOST,
        authorization: `Bearer ${tokens[request.caller]}`,
        "content-type": "application/json",
        ...Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, fill(value)])),
      },
      signal: gone.signal,
      ...(request.body !== null && !/GET|HEAD/.test(request.method) && { body: fill(request.body) }),
    });
  } catch {
    // No client could send it.
    return 0;
  }
  const leaving = setTimeout(() => gone.abort(), mayLast ? PATIENCE_MS : TIME_MS / 2);
  const { status, text } = await answerWithin(TIME_MS, answerOf(gateway, sent)).finally(() =>
    clearTimeout(leaving),
  );
  if (gone.signal.aborted && !mayLast) throw new Error(`There was no answer within ${TIME_MS / 2} ms.`);
  if (faults.length > 0) throw new Error("The gateway made a mistake.", { cause: faults.splice(0)[0] });
  if (status === 500) throw new Error(`The gateway answered ${status}: ${text.slice(0, 500)}`);
  if (request.caller === "operator") return status;
  const wrong = ran.splice(0).filter((tool) => request.caller === "stranger" || !ALLOWED.has(tool));
  if (wrong.length > 0) throw new Error(`${wrong.join(", ")} ran.`);
  if (text.includes(CANARY)) throw new Error("Another session's data came back.");
  assertAllowed(text);
  if (request.caller === "stranger" && status < 400 && !OPEN.test(request.path))
    throw new Error(`A stranger was answered ${status}.`);
  return status;
}

/** What is answered without a token. */
const OPEN = /^\/?(?:healthz)/;

/** Also where a client that went away isn't let go. */
async function answerWithin<T>(ms: number, answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`There was no answer after ${ms} ms.`)), ms);
  return await Promise.race([answer, late.promise]).finally(() => clearTimeout(timer));
}

/** An answer to its end, or to where its client went away. */
async function answerOf(gateway: Gateway, request: Request): Promise<{ status: number; text: string }> {
  const response = await gateway.fetch(request);
  if (response.body === null) return { status: response.status, text: "" };
  const gone = Promise.withResolvers<null>();
  request.signal.addEventListener("abort", () => gone.resolve(null), { once: true });
  if (request.signal.aborted) gone.resolve(null);
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  for (;;) {
    const read = await Promise.race([reader.read(), gone.promise]);
    if (read === null) await reader.cancel();
    if (read === null || read.done) break;
    chunks.push(read.value);
  }
  return { status: response.status, text: Buffer.concat(chunks).toString() };
}

/** Each decision in an answer that allows is one of a tool that may be called. */
function assertAllowed(text: string): void {
  if (!text.includes('"effect":"allow"')) return;
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { effect, tool } = Object.fromEntries(Object.entries(value));
    if (effect === "allow" && typeof tool === "string" && !ALLOWED.has(tool))
      throw new Error(`${tool} is allowed.`);
    for (const child of Object.values(value)) walk(child);
  };
  walk(text.startsWith("{") ? JSON.parse(text) : []);
}
