/** What is so large, or asks for so much work, that others would have to wait. Better refused than run. */
import { connect } from "node:net";
import { type Agent, type Arena, mark } from "../arena.ts";
import { bypassed, type Check, HELD, notApplicable, type Outcome } from "../check.ts";
import { forkOf } from "../fork.ts";

/** How long another client may wait for an answer that costs nothing; a stopped event loop takes seconds. */
const MAX_WAIT_MS = 1_500;

/** The worst time that `/healthz` took while the work was done. */
async function worstHealth({ target }: Arena, work: Promise<unknown>): Promise<number> {
  const url = new URL("/healthz", target.url);
  let [worst, isOver] = [0, false];
  const over = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const start = performance.now();
    await fetch(url).then((response) => response.text());
    worst = Math.max(worst, performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await over;
  return worst;
}

/** One request with 40 plans, whose conditions compare each member of a list with each of another one. */
async function runPlans(arena: Arena): Promise<Outcome> {
  const agent = await arena.open();
  const { client } = agent;
  client.connection = null;
  await client.connect("2025-03-26");
  const list = await client.request("tools/list");
  if (!list.text.includes("sluicegate_check_plan")) return notApplicable("the gateway checks no plans");
  const numbers = Array.from({ length: 200 }, (_, at) => at);
  const step = {
    tool: agent.nameOf("post", "send_listed"),
    arguments: { to: numbers, cc: numbers.map(String) },
  };
  const plan = { planned_calls: Array.from({ length: 30 }, () => step) };
  const check = (id: number): object => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "sluicegate_check_plan", arguments: plan },
  });
  const body = JSON.stringify(Array.from({ length: 40 }, (_, at) => check(at + 100)));
  const headers = { "mcp-protocol-version": "2025-03-26" };
  const worst = await worstHealth(arena, client.raw(body, { headers }));
  return worst > MAX_WAIT_MS
    ? bypassed(`another client waited ${Math.round(worst)} ms for \`/healthz\``)
    : HELD;
}

async function runValuesIn({ open, world, isAlive }: Arena): Promise<Outcome> {
  const [agent, text] = [await open(), mark()];
  const { client } = agent;
  const name = agent.nameOf("post", "send_message");
  const params = JSON.stringify(client.withEnvelope({ name, arguments: { text, parts: ["parts"] } }));
  const call = `{"jsonrpc":"2.0","id":78,"method":"tools/call","params":${params}}`;
  const headers = client.standardHeaders("tools/call", { name });
  await client.raw(call.replace('["parts"]', `[${"[],".repeat(1_000_000)}[]]`), { headers });
  if (world.left(text)) return bypassed(`a call with 1,000,000 lists in it reached \`post\` (\`${text}\`)`);
  return (await isAlive()) ? HELD : bypassed("the gateway answers no more");
}

async function runValuesOut({ open, isAlive }: Arena): Promise<Outcome> {
  const [agent, page] = [await open(), `wide${mark()}`];
  if (await agent.read(page)) return bypassed("the client was given an answer with 1,000,000 lists in it");
  return (await isAlive()) ? HELD : bypassed("the gateway answers no more");
}

const READERS = 8;
const LONG_BYTES = 12 * 1024 * 1024;

/** Clients that ask for 12 MiB each and read none of it: what waits for them must have a bound. */
async function runUnread(arena: Arena): Promise<Outcome> {
  const agent = await arena.open();
  const pages = Array.from({ length: READERS }, () => `long${mark()}`);
  const readers = pages.map((page) => askUnread(agent, page));
  const { received } = arena.world.notes;
  const arrived = await Promise.all(pages.map((page) => received.until(page, 10_000)));
  if (arrived.includes(false)) return notApplicable("the notes can't be read");
  // Answers that wait for nobody are asked for and given meanwhile.
  for (let round = 0; round < 5; round += 1) {
    if (!(await arena.isAlive())) return bypassed("the gateway answers no more");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const taken = await Promise.all(readers.map(({ readAll }) => readAll()));
  return taken.some((bytes) => bytes < LONG_BYTES)
    ? HELD
    : bypassed(`${READERS} answers of 12 MiB waited in memory for readers that took nothing`);
}

/** Sends a request over a connection of its own, and doesn't read what comes until that is wanted. */
function askUnread(agent: Agent, page: string): { readAll(): Promise<number> } {
  const { client, session } = agent;
  const name = agent.nameOf("notes", "read_notes");
  const params = client.withEnvelope({ name, arguments: { page } });
  const body = JSON.stringify({ jsonrpc: "2.0", id: 79, method: "tools/call", params });
  const { hostname, port, pathname, host } = new URL(session.url);
  const headers = {
    host,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "content-length": `${body.length}`,
    "mcp-protocol-version": client.era,
    ...client.standardHeaders("tools/call", { name }),
    ...session.headers,
    connection: "close",
  };
  const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}`);
  const socket = connect(Number(port), hostname, () => {
    socket.write(`POST ${pathname} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
  });
  let bytes = 0;
  const closed = new Promise<number>((resolve) => socket.once("close", () => resolve(bytes)));
  socket.on("error", () => {}).setTimeout(20_000, () => socket.destroy());
  return {
    readAll: () => {
      socket.on("data", (data) => {
        bytes += data.length;
      });
      return closed;
    },
  };
}

/** Many forks whose session was told long names of data sets each ask for an approval. */
async function runApprovalList(arena: Arena): Promise<Outcome> {
  const { target, open } = arena;
  const agent = await open();
  const { id, token } = agent.session;
  const read = { tool: agent.nameOf("notes", "read_notes"), arguments: {} };
  const decided = await target.api("POST", `/v1/session/${id}/decide`, token, {
    calls: Array.from({ length: 200 }, () => read),
  });
  if (decided.status !== 200)
    return notApplicable(`the gateway decides no calls by themselves (${decided.status})`);
  const calls = [...decided.text.matchAll(/"call_id":\s*"(\w+)"/g)].map(([, call]) => call);
  const report = (call_id: string | undefined) =>
    target.api("POST", `/v1/session/${id}/report`, token, {
      call_id,
      dataset: `${mark()}${"d".repeat(200)}`,
    });
  await Promise.all(calls.map(report));
  const ask = { calls: [{ tool: agent.nameOf("impostor", "look_asked"), arguments: { text: mark() } }] };
  const askFromFork = async (): Promise<void> => {
    const { status, text } = await target.api("POST", `/v1/session/${id}/fork`, token, {});
    if (status !== 201) return;
    const fork = JSON.parse(text) as { readonly session_id: string; readonly session_token: string };
    await target.api("POST", `/v1/session/${fork.session_id}/decide`, fork.session_token, ask);
  };
  await Promise.all(Array.from({ length: 90 }, askFromFork));
  const listed = await target.api("GET", "/v1/approvals?status=pending&fold=500", target.operatorToken);
  await target.api("POST", `/v1/session/${id}/reset`, target.operatorToken, {});
  if (listed.status !== 200) return notApplicable(`the gateway lists no approvals (${listed.status})`);
  return listed.text.length > 5 * 1024 * 1024
    ? bypassed(`the list of approvals has ${listed.text.length} characters`)
    : HELD;
}

/** Texts that detectors take long over, in a session and its forks; another's ordinary result must still be looked into. */
async function runDetectors(arena: Arena): Promise<Outcome> {
  const { open, world } = arena;
  const [agent, victim] = [await open(), await open()];
  const forks = await Promise.all(Array.from({ length: 4 }, () => forkOf(arena, agent)));
  const family = [agent, ...forks.filter((fork) => fork !== null)];
  const text = "AKIA0 https://a: ".repeat(24_000);
  const stop = new AbortController();
  const pages = Array.from({ length: 80 }, () => mark());
  const flood = pages.map((page, at) =>
    family[at % family.length]?.call(
      "notes",
      "read_notes",
      { page: `${page}${text}` },
      { signal: stop.signal },
    ),
  );
  await Promise.all(pages.slice(0, 16).map((page) => world.notes.received.until(page, 5_000)));
  let hasSent = true;
  for (let round = 0; round < 5 && hasSent; round += 1) {
    await victim.call("impostor", "look_up", { text: mark() });
    hasSent = await victim.send();
  }
  stop.abort();
  await Promise.all(flood);
  return hasSent ? HELD : bypassed("another session can send nothing any more");
}

/** Requests that can't be used; each may write no page to the operator's terminal. */
async function runLog({ target, open }: Arena): Promise<Outcome> {
  if (target.logLength === undefined) return notApplicable("the gateway's log can't be seen from here");
  const { client } = await open();
  const before = target.logLength();
  const send = (_: unknown, at: number) =>
    client.raw(JSON.stringify({ jsonrpc: "2.0", id: {}, method: 7, params: [at] }));
  await Promise.all(Array.from({ length: 300 }, send));
  const written = target.logLength() - before;
  return written > 50_000 ? bypassed(`300 requests wrote ${written} characters to the log`) : HELD;
}

const NEWER: Check["eras"] = ["2026-07-28"];
const OTHERS = "leave others their turn, whatever one client asks for";

export const LOAD_CHECKS: readonly Check[] = [
  {
    id: "load-plans",
    must: OTHERS,
    attack: "has 40 plans checked in one request, with conditions over long lists",
    eras: ["2025-11-25"],
    needsSessions: true,
    run: runPlans,
  },
  {
    id: "load-values-in",
    must: OTHERS,
    attack: "sends a call with 1,000,000 lists in it",
    run: runValuesIn,
  },
  {
    id: "load-values-out",
    must: OTHERS,
    attack: "has a server answer with 1,000,000 lists",
    run: runValuesOut,
  },
  {
    id: "load-unread",
    must: "bound what waits in memory for readers that take nothing",
    attack: "asks for 12 MiB over each of 8 connections, and reads none of it",
    eras: NEWER,
    run: runUnread,
  },
  {
    id: "load-approval-list",
    must: "bound a list of approvals, whatever its sessions have seen",
    attack:
      "reports 200 long names of data sets, half of them with categories of its own, and asks for an approval from each of 90 forks",
    eras: NEWER,
    needsSessions: true,
    run: runApprovalList,
  },
  {
    id: "load-detectors",
    must: "let no session decide another one's label",
    attack:
      "floods the detectors with long texts in a session and four forks; another one calls a tool, then the sink",
    eras: NEWER,
    needsSessions: true,
    run: runDetectors,
  },
  {
    id: "load-log",
    must: "write no pages to the operator's terminal for requests that anybody can send",
    attack: "sends 300 requests that can't be used",
    run: runLog,
  },
];
