/** Requests that were made to stop a gateway, each as large as it may be. */
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as later } from "node:timers/promises";
import type { LoopWorld, OpenedSession } from "./event-loop.ts";
import { OPERATOR_TOKEN } from "./served-gateway.ts";

export interface LoopCase {
  readonly what: string;
  readonly prepare?: (world: LoopWorld, session: OpenedSession) => Promise<unknown>;
  readonly run: (world: LoopWorld, session: OpenedSession) => Promise<unknown>;
}

const TEAMS = 100;
const CLEARANCES = 12;

const teamTools = Array.from({ length: TEAMS }, (_, at) => {
  const sinks = Array.from({ length: CLEARANCES }, (_, step) => `team${(at + step + 1) % TEAMS}`);
  const sink = sinks.map((team) => `{ level: public, categories: [${team}] }`).join(", ");
  return `  source_${at}: { permissions: [read], source: { categories: [team${at}] } }
  sink_${at}: { permissions: [write], sink: [${sink}] }`;
}).join("\n");

export const loopPolicy = `
version: 1
categories: { ${Array.from({ length: TEAMS }, (_, at) => `team${at}: {}`).join(", ")} }
tools:
  note: { permissions: [write] }
  read_mail: { permissions: [read], source: internal }
  post: { permissions: [connect], sink: public }
  ask: { permissions: [write], approval: always }
  send: { permissions: [connect], sink: { to: args.to }, critical: [to], payload: [body] }
  pay: { permissions: [write], approval: "args.items.exists(a, args.items.exists(b, a + b > 1000000))" }
${teamTools}
recipients: { ${Array.from({ length: 60 }, (_, at) => `"*@d${at}.example": internal`).join(", ")} }
servers:
  values:
    command: ${process.execPath}
    args: ["${join(import.meta.dirname, "value-server.ts")}"]
    tools:
      "*": { permissions: [read] }
`;

const list = <Item>(count: number, item: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => item(at));

const nestedExists = (calls: number) => ({
  planned_calls: list(calls, () => ({
    tool: "pay",
    arguments: { items: list(Math.floor(60_000 / calls / 2) - 10, () => 1) },
  })),
});
const mixedTeams = {
  planned_calls: list(1000, (at) =>
    at % 2 === 0 ? `source_${(at * 7) % TEAMS}` : `sink_${(at * 3) % TEAMS}`,
  ),
};
const names = {
  planned_calls: list(1000, (at) => (at % 3 === 0 ? "read_mail" : at % 3 === 1 ? "post" : "note")),
};

/** One POST of a client of the older revisions with so many calls of the plan check. */
async function planBatch({ url }: LoopWorld, { headers }: OpenedSession, count: number, plan: object) {
  const send = async (body: unknown, more: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${url}/mcp`, {
      method: "POST",
      headers: { ...headers, accept: "application/json, text/event-stream", ...more },
      body: JSON.stringify(body),
    });
  const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  const opened = await send({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  await opened.text();
  const call = { name: "sluicegate_check_plan", arguments: plan };
  const batch = list(count, (at) => ({ jsonrpc: "2.0", id: at + 1, method: "tools/call", params: call }));
  await (await send(batch, { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" })).text();
}

const plan = (body: object) => (_: LoopWorld, session: OpenedSession) => session.post("validate-plan", body);
const result = (name: string) => (_: LoopWorld, session: OpenedSession) =>
  session.post("call", { tool: name, arguments: {} });
/** Fails where the call brought nothing: a refusal costs little. */
const wholeResult = async (session: OpenedSession, tool: string, args: object): Promise<void> => {
  const answer = await session.post("call", { tool, arguments: args });
  if (!answer.includes('"result":')) throw new Error(`The call brought no result: ${answer.slice(0, 500)}`);
};
const query = (_: LoopWorld, session: OpenedSession) =>
  wholeResult(session, "mcp__crm__query", { sql: "SELECT * FROM people", limit: 10_000 });
const apiAnswer = (name: string) => (_: LoopWorld, session: OpenedSession) =>
  wholeResult(session, `mcp__web__${name}`, {});
const body = (args: string) => (_: LoopWorld, session: OpenedSession) =>
  session.post("decide", `{"tool":"ask","arguments":${args}}`);
const message =
  (to: unknown, text = "") =>
  (_: LoopWorld, session: OpenedSession) =>
    session.post("decide", { tool: "send", arguments: { to, body: text } });
const repeated = (count: number, part: (at: number) => string): string => list(count, part).join();

async function unreadAnswers({ url }: LoopWorld, session: OpenedSession, count: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const sent = JSON.stringify({ tool: "long_text", arguments: {} });
  const head = `POST /v1/session/${session.id}/call HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: ${session.headers.authorization}\r\ncontent-type: application/json\r\ncontent-length: ${sent.length}\r\n\r\n`;
  const sockets = list(count, () => connect(Number(port), hostname));
  for (const socket of sockets) {
    socket.on("error", () => {}).pause();
    socket.write(head + sent);
  }
  await Promise.all(sockets.map((socket) => once(socket, "readable")));
  for (const socket of sockets) socket.destroy();
}

/** Waits for approvals in as many sessions as are wanted, a hundred in each. */
async function waitingApprovals(world: LoopWorld, sessions: number): Promise<void> {
  for (let at = 0; at < sessions; at += 1) {
    const session = await world.open();
    await session.post("decide", { calls: list(100, (n) => ({ tool: "ask", arguments: { n } })) });
  }
}

const report = (session: OpenedSession, at: number, categories: readonly string[]) =>
  session.post("report", {
    call_id: "call_none",
    label: { level: "internal", categories },
    dataset: `set ${at} ${"x".repeat(200)}`,
  });

export const loopCases: readonly LoopCase[] = [
  { what: "40 plan checks in one POST, nested exists", run: (w, s) => planBatch(w, s, 40, nestedExists(40)) },
  { what: "40 plan checks in one POST, 1,000 names", run: (w, s) => planBatch(w, s, 40, names) },
  { what: "a plan with a nested exists", run: plan(nestedExists(100)) },
  { what: "a plan over sinks of 12 clearances", run: plan(mixedTeams) },
  {
    what: "a batch of calls with a nested exists",
    run: (_, s) => s.post("decide", { calls: nestedExists(100).planned_calls }),
  },
  {
    what: "1,000 refusals after reports of 256 categories",
    prepare: async (_, s) => {
      for (let at = 0; at < 256; at += 1)
        await report(
          s,
          at,
          list(at + 1, (n) => (n < TEAMS ? `team${n}` : `made-up-${n}`)),
        );
    },
    run: (_, s) => s.post("decide", { calls: list(1000, () => ({ tool: "post" })) }),
  },
  {
    what: "1,000 refusals after reads of 100 categories",
    prepare: (_, s) => s.post("decide", { calls: list(TEAMS, (at) => ({ tool: `source_${at}` })) }),
    run: (_, s) => s.post("decide", { calls: list(1000, () => ({ tool: "post" })) }),
  },
  { what: "a result of a million keys", run: result("many_keys") },
  { what: "a result of nested lists", run: result("nested_lists") },
  { what: "a result of 4,900 different names", run: result("many_names") },
  { what: "a result of 6,500 rows", run: result("table") },
  { what: "a result of 8 MiB of text", run: result("long_text") },
  { what: "a result of 8 MiB of text that is not Latin", run: result("wide_text") },
  { what: "a result of control characters", run: result("controls") },
  { what: "a result of halves of characters", run: result("half_characters") },
  { what: "a query of 10,000 rows of 7 columns", run: query },
  { what: "an API's answer of 4 MB, many values", run: apiAnswer("items") },
  { what: "an API's answer of 4 MB, one text", run: apiAnswer("document") },
  { what: "a body of 1.3 million empty lists", run: body(`{"a":[${repeated(1_300_000, () => "[]")}]}`) },
  {
    what: "a body of nested lists",
    run: body(`{"a":[${repeated(33_000, () => `${"[".repeat(60)}${"]".repeat(60)}`)}]}`),
  },
  { what: "a body of 4,900 different names", run: body(`{${repeated(4_900, (at) => `"k${at}":1`)}}`) },
  { what: "a body of 49,000 values", run: body(`{"a":[${repeated(49_000, () => "1")}]}`) },
  {
    what: "a body of 24,000 objects of 120 bytes",
    run: body(`{"a":[${repeated(24_000, () => `{"name":"${"x".repeat(108)}"}`)}]}`),
  },
  {
    what: "a body of 4,000 names with escapes",
    run: body(`{"a":[${repeated(4_000, (at) => `{"${'\\"'.repeat(12)}${at}":"${"x".repeat(600)}"}`)}]}`),
  },
  {
    what: "a body of 10,000 objects of 2,400 names with escapes",
    run: body(`{"a":[${repeated(10_000, (at) => `{"\\n${at % 2_400}":${at}.5e-1}`)}]}`),
  },
  {
    what: "a body of 49,000 long numbers",
    run: body(`{"a":[${repeated(49_000, (at) => `0.${"0".repeat(20)}${1_234_567_890_123_456 + at}`)}]}`),
  },
  {
    what: "a body of 4 MB of backslashes",
    run: body(`{"\\n":"${"\\\\".repeat(1_950_000)}"}`),
  },
  { what: "a body of 600,000 escaped characters", run: body(`{"a":"${"\\u00e9".repeat(600_000)}"}`) },
  { what: "a message of 59,000 letters and signs", run: message("ada@d1.example", "a.js?".repeat(11_900)) },
  { what: "a message of 4 MB", run: message("ada@d1.example", "a.".repeat(2_000_000)) },
  { what: "500 recipients", run: message(list(500, (at) => `u${at}@d${at % 70}.example`)) },
  {
    what: "100 recipients of 1,000 characters",
    run: message(list(100, (at) => `${at}@${"a.".repeat(497)}`)),
  },
  { what: "one recipient of 4 MB", run: message("a:".repeat(2_000_000)) },
  { what: "a request for approval of 4 MB", run: body(`{"a":"${"x".repeat(4_000_000)}"}`) },
  {
    what: "20 answers of 8 MiB that nobody reads",
    run: (w, s) => unreadAnswers(w, s, w.quick ? 2 : 20),
  },
  {
    what: "a chain of 20 forks with large tool policies",
    run: async (world, session) => {
      const denied = list(19_000, (at) => `tool_${at}_${"x".repeat(60)}`);
      let parent = session;
      for (let at = 0; at < (world.quick ? 2 : 20); at += 1) {
        const opened = JSON.parse(await parent.post("fork", { tool_policy: { denied_tools: denied } }));
        if (opened.session_id === undefined) return;
        const headers = { ...session.headers, authorization: `Bearer ${opened.session_token}` };
        const { session_id: id } = opened;
        const post = async (path: string, sent: unknown): Promise<string> => {
          const at = `${world.url}/v1/session/${id}/${path}`;
          return (await fetch(at, { method: "POST", headers, body: JSON.stringify(sent) })).text();
        };
        parent = { id, headers, post };
      }
    },
  },
  {
    what: "approvals of a session that was raised 256 times",
    prepare: async (_, s) => {
      for (let at = 0; at < 256; at += 1)
        await report(
          s,
          at,
          list(at + 1, (n) => (n < TEAMS ? `team${n}` : `made-up-${n}`)),
        );
      await s.post("decide", { calls: list(100, (n) => ({ tool: "ask", arguments: { n } })) });
    },
    run: (w) => w.operator("/v1/approvals?status=all&fold=500"),
  },
  {
    what: "events from the first of 100,000 entries",
    prepare: async (w, s) => {
      for (let at = 0; at < (w.quick ? 2 : 100); at += 1)
        await s.post("decide", { calls: list(1000, () => ({ tool: "note" })) });
    },
    run: async ({ url }) => {
      const authorization = `Bearer ${OPERATOR_TOKEN}`;
      const stream = await fetch(`${url}/v1/events?after=0`, { headers: { authorization } });
      const reader = stream.body?.getReader();
      for (let bytes = 0; bytes < 20_000_000; ) {
        const read = await Promise.race([reader?.read(), later(1000, null)]);
        if (!read?.value) break;
        bytes += read.value.length;
      }
      await reader?.cancel();
    },
  },
  { what: "50,000 notices that a server's tools changed", run: result("flood") },
  {
    what: "a fork after 2,000 reported data sets",
    prepare: async (w, s) => {
      for (let at = 0; at < (w.quick ? 20 : 2000); at += 1) await report(s, at, []);
    },
    run: (_, s) => s.post("fork", {}),
  },
  {
    what: "a list of 10,000 approvals that wait",
    prepare: (w) => waitingApprovals(w, w.quick ? 2 : 100),
    run: (w) => w.operator("/v1/approvals?status=all&fold=500"),
  },
];
