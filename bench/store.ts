/** What a store of a million entries costs: to start on, to list, to verify, to archive; and sessions in memory. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { createGate, createMemoryStore, definePolicy, openSqliteStore } from "../src/index.ts";
import { sealEntries } from "../src/runtime/journal/journal.ts";
import type { JournalEntry } from "../src/runtime/ports/store.ts";
import type { Benchmark, Figure } from "./benchmark.ts";
import { asPublished, OPERATOR_TOKEN, type ServedGateway, startServe } from "./served-gateway.ts";

const POLICY = `
version: 1
tools:
  search_docs: { permissions: [read], source: internal }
  web_search: { permissions: [connect], sink: public }
`;
const HEADERS = { authorization: `Bearer ${OPERATOR_TOKEN}` };
const DAY_MS = 86_400_000;

/** The journal of a session that made nine calls. */
async function createModel(): Promise<readonly JournalEntry[]> {
  const store = createMemoryStore();
  const policy = definePolicy({
    tools: {
      search_docs: { permissions: ["read"], source: { level: "internal" } },
      web_search: { permissions: ["connect"], sink: [{ level: "public" }] },
    },
  });
  const gate = createGate({ policy, store });
  const session = await gate.open();
  for (let n = 0; n < 8; n += 1) await session.call({ tool: "search_docs", arguments: { n } }, () => "docs");
  await session.call({ tool: "web_search" }, () => "web");
  await session.flush();
  return store.read(session.id, 0, 100);
}

const idOf = (n: number): string => `sess_${String(n).padStart(32, "0")}`;

/** Fills a store; every second session is a year old. Gives how many sessions there are. */
async function fill(file: string, entries: number): Promise<number> {
  const model = await createModel();
  const store = openSqliteStore(file);
  const times = [new Date(Date.now() - 365 * DAY_MS), new Date()].map((time) => time.toISOString());
  const sessions = Math.ceil(entries / model.length);
  for (let first = 0; first < sessions; first += 500) {
    const batch = Array.from({ length: Math.min(500, sessions - first) }, (_, at) => {
      const session = idOf(first + at);
      const opened = { session, principal: `user-${(first + at) % 1000}` };
      const unsealed = model.map(({ kind, policy, data }, index) => {
        const moment = { at: times[at % 2] ?? "", policy };
        return { kind, ...moment, data: index === 0 ? { ...data, ...opened } : data };
      });
      return store.append(session, 0, sealEntries(null, unsealed));
    });
    await Promise.all(batch);
  }
  await store.close();
  return sessions;
}

async function timed(what: string, work: () => unknown): Promise<Figure> {
  const before = performance.now();
  await work();
  return { what, value: performance.now() - before, unit: "ms" };
}

async function get(url: string): Promise<void> {
  const response = await fetch(url, { headers: HEADERS });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  await response.text();
}

/** Opens sessions over REST, each with one decision, and gives what one costs in memory. */
async function openSessions({ url, program }: ServedGateway, count: number): Promise<Figure> {
  const json = { ...HEADERS, "content-type": "application/json" };
  const open = async (): Promise<void> => {
    const opened = await fetch(`${url}/v1/session`, { method: "POST", headers: json, body: "{}" });
    const { session_id }: { session_id: string } = JSON.parse(await opened.text());
    const body = JSON.stringify({ tool: "search_docs", arguments: { query: "Q3 figures" } });
    const decided = await fetch(`${url}/v1/session/${session_id}/decide`, {
      method: "POST",
      headers: json,
      body,
    });
    if (!decided.ok) throw new Error(`A decision was answered with ${decided.status}.`);
    await decided.text();
  };
  const before = program.memory();
  for (let made = 0; made < count; made += 50) await Promise.all(Array.from({ length: 50 }, open));
  const what = `memory, more with ${count.toLocaleString("en")} open sessions`;
  return { what, value: program.memory() - before, unit: "MiB" };
}

export const store: Benchmark = {
  name: "store",
  title: "A store of a million entries (quick: 18,000) in sessions of nine calls, half of them a year old",
  run: async ({ quick, scratch, published, progress }) => {
    const start = asPublished(published());
    const stem = join(scratch, "store");
    progress("filling");
    const sessions = await fill(`${stem}.db`, quick ? 18_000 : 1_000_000);
    const [program, ...first] = start;
    const command = (...args: readonly string[]): void => {
      progress(args.join(" "));
      const files = ["--config", `${stem}.yaml`, "--store", `sqlite:${stem}.db`];
      execFileSync(program, [...first, ...args, ...files], { stdio: ["ignore", "ignore", "inherit"] });
    };
    progress("serving");
    const before = performance.now();
    const served = await startServe(start, stem, POLICY);
    const figures: Figure[] = [
      { what: "start of the gateway", value: performance.now() - before, unit: "ms" },
    ];
    try {
      figures.push({ what: "memory after the start", value: served.program.memory(), unit: "MiB" });
      const list = () => get(`${served.url}/v1/sessions?limit=50`);
      figures.push(await timed("first list of sessions", list), await timed("next list of sessions", list));
      const timeline = () => get(`${served.url}/v1/session/${idOf(sessions - 1)}/timeline`);
      figures.push(await timed("timeline of a session", timeline));
      figures.push({ what: "memory after the list", value: served.program.memory(), unit: "MiB" });
    } finally {
      await served.program.stop();
    }
    for (const [what, ...args] of [
      ["journal verify", "journal", "verify"],
      ["backup", "backup", `${stem}-backup.db`],
      ["archive of half the sessions", "archive", "--before", "90d", "--to", `${stem}.jsonl`],
      ["journal verify --archive", "journal", "verify", "--archive", `${stem}.jsonl`],
      ["journal verify after the archive", "journal", "verify"],
    ] as const)
      figures.push(await timed(what, () => command(...args)));
    progress("sessions in memory");
    const fresh = await startServe(start, join(scratch, "fresh"), POLICY);
    try {
      figures.push(await openSessions(fresh, quick ? 100 : 10_000));
    } finally {
      await fresh.program.stop();
    }
    return figures;
  },
};
