/** A durable decision and a bare append against one bare insert that is committed, on the same disk or server. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { definePolicy } from "../src/core/index.ts";
import { createGate, type Gate, type Session, type Store, sealEntries } from "../src/runtime/index.ts";
import { openSqliteStore } from "../src/stores/index.ts";
import { atLeast, atMost, type Benchmark, type BenchmarkContext, type Figure } from "./benchmark.ts";
import { median, medianRatio, quantile, rotated, wallTimeOf } from "./measure.ts";

const SESSIONS = 32;

/** One way to make one row durable. */
export interface Writer {
  readonly name: string;
  write(): Promise<unknown>;
}

/** A session that may call one tool; each call is one entry that is durable when the decision comes. */
async function openGate(store: Store): Promise<{ gate: Gate; sessions: readonly Session[] }> {
  const policy = definePolicy({
    tools: { search_docs: { permissions: ["read"], source: { level: "internal" } } },
  });
  const gate = createGate({ policy, store });
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => gate.open()));
  return { gate, sessions };
}

/** Decides a call and admits it; that it is over waits for nobody, and rides with the next one. */
async function decideOnce(session: Session): Promise<void> {
  const [decision] = await session.decide([{ tool: "search_docs", arguments: { query: "Q3 figures" } }]);
  if (decision?.effect !== "allow") throw new Error("The call was not allowed.");
}

/** An insert of a text as long as an entry, with an index, committed by itself. */
function openBare(file: string): { writer: Writer; close(): void } {
  const database = new DatabaseSync(file);
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE rows (session TEXT NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (session, seq));
  `);
  const insert = database.prepare("INSERT INTO rows (session, seq, body) VALUES (?, ?, ?)");
  const body = "x".repeat(500);
  let seq = 0;
  const write = async (): Promise<void> => {
    seq += 1;
    insert.run("sess_00000000000000000000000000000000", seq, body);
  };
  return { writer: { name: "insert", write }, close: () => database.close() };
}

/** The store alone: an entry is sealed and appended. */
async function storeWriter(store: Store): Promise<Writer> {
  const session = "sess_bench";
  const unsealed = {
    kind: "call-refused",
    at: "2026-01-01T00:00:00.000Z",
    policy: "bench",
    data: { note: "x".repeat(200) },
  };
  let head: { version: number; hash: string } | null = null;
  const write = async (): Promise<void> => {
    const entries = sealEntries(head, [unsealed]);
    const { status } = await store.append(session, head?.version ?? 0, entries);
    const [entry] = entries;
    if (status !== "appended" || entry === undefined) throw new Error("The append failed.");
    head = { version: entry.seq, hash: entry.hash };
  };
  await write();
  return { name: "append", write };
}

/** Wall time per write in microseconds, one after the other. */
async function timeEach(writer: Writer, times: number): Promise<readonly number[]> {
  const taken: number[] = [];
  for (let at = 0; at < times; at += 1) taken.push(await wallTimeOf(() => writer.write()));
  return taken;
}

/** Decisions per second while every session decides without a pause. */
async function rowsPerSecond(sessions: readonly Session[], each: number): Promise<number> {
  const took = await wallTimeOf(() =>
    Promise.all(
      sessions.map(async (session) => {
        for (let at = 0; at < each; at += 1) await decideOnce(session);
      }),
    ),
  );
  return (sessions.length * each * 1e6) / took;
}

export const append: Benchmark = {
  name: "append",
  title: "durable decisions in SQLite (WAL, FULL) against one bare insert commit, wall time",
  run: async (context) => {
    const bare = openBare(join(context.scratch, "bare.db"));
    try {
      return await measureAppends(context, {
        bare: bare.writer,
        store: openSqliteStore(join(context.scratch, "append.db")),
        gateStore: openSqliteStore(join(context.scratch, "decide.db")),
        budgets: { alone: 1.5, together: 5 },
      });
    } finally {
      bare.close();
    }
  },
};

/** What is measured side by side. */
export interface Appends {
  readonly bare: Writer;
  readonly store: Store;
  readonly gateStore: Store;
  /** One after the other at most, and all sessions at once at least, as multiples of bare inserts. */
  readonly budgets: { readonly alone: number; readonly together: number };
}

/** Measures a store against bare inserts, and closes it. */
export async function measureAppends(
  { quick, progress }: Pick<BenchmarkContext, "quick" | "progress">,
  { bare, store, gateStore, budgets }: Appends,
): Promise<readonly Figure[]> {
  const { gate, sessions } = await openGate(gateStore);
  const [first] = sessions;
  if (first === undefined) throw new Error("There is no session.");
  const writers: readonly Writer[] = [
    bare,
    await storeWriter(store),
    { name: "decide", write: () => decideOnce(first) },
  ];
  const [rounds, times, each] = quick ? [2, 20, 10] : [9, 300, 100];
  const taken = new Map(writers.map(({ name }): [string, (readonly number[])[]] => [name, []]));
  const together: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    progress(`round ${round + 1} of ${rounds}`);
    for (const writer of rotated(writers, round)) taken.get(writer.name)?.push(await timeEach(writer, times));
    together.push(await rowsPerSecond(sessions, each));
  }
  await store.close();
  await gate.close();
  return toFigures((name) => taken.get(name) ?? [], together, budgets);
}

function toFigures(
  roundsOf: (name: string) => readonly (readonly number[])[],
  together: readonly number[],
  budgets: Appends["budgets"],
): readonly Figure[] {
  const p50 = (name: string): readonly number[] => roundsOf(name).map((round) => quantile(round, 0.5));
  const p99 = (name: string): number => median(roundsOf(name).map((round) => quantile(round, 0.99)));
  const alone = roundsOf("insert").map(
    (round) => (round.length * 1e6) / round.reduce((sum, one) => sum + one, 0),
  );
  const shown: readonly (readonly [string, string])[] = [
    ["insert", "one bare insert commit"],
    ["append", "one append to the store"],
    ["decide", "one decision of a session"],
  ];
  return [
    ...shown.flatMap(([name, what]): readonly Figure[] => [
      { what: `${what}, p50`, value: median(p50(name)), unit: "µs" },
      { what: `${what}, p99`, value: p99(name), unit: "µs" },
    ]),
    {
      what: "append against insert, p50",
      value: medianRatio(p50("append"), p50("insert")),
      unit: "×",
      budget: atMost(budgets.alone),
    },
    {
      what: "decision against insert, p50",
      value: medianRatio(p50("decide"), p50("insert")),
      unit: "×",
      budget: atMost(budgets.alone),
    },
    { what: "bare inserts one after the other", value: median(alone), unit: "/s" },
    { what: `decisions of ${SESSIONS} sessions at once`, value: median(together), unit: "/s" },
    {
      what: `${SESSIONS} sessions at once against bare inserts`,
      value: medianRatio(together, alone),
      unit: "×",
      budget: atLeast(budgets.together),
    },
  ];
}
