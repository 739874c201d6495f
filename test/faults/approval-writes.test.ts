/**
 * Each write of an approval's life fails in turn, before it is made or after, until the run goes through: whatever
 * fails, nothing runs unasked, nothing runs twice, and no label falls (I1 to I4).
 */
import { expect, it } from "vitest";
import { createMemoryStore, definePolicy, SluicegateError } from "../../src/index.ts";
import { createGate, type Gate, type Session, type Store } from "../../src/runtime/index.ts";

const POLICY = definePolicy(
  {
    tools: {
      pay: { permissions: ["write"], source: { level: "internal" }, approval: "always" },
      post: { permissions: ["connect"], onViolation: "ask" },
    },
  },
  { version: "v1" },
);

const failure = (): SluicegateError =>
  new SluicegateError("store-failed", "The store failed.", { why: "By design.", fix: "None." });

/** A store whose n-th append fails, before it is made or after; `appends` counts them. */
function failingAt(nth: number, when: "before" | "after") {
  const store = createMemoryStore();
  const counted = { appends: 0 };
  const append: Store["append"] = async (...given) => {
    counted.appends += 1;
    const fails = counted.appends === nth;
    if (fails && when === "before") throw failure();
    const written = await store.append(...given);
    if (fails) throw failure();
    return written;
  };
  return { store: { ...store, append }, counted };
}

/** What a run of it left behind. */
interface Trace {
  readonly ran: string[];
  /** The session's level just before each run, as another process reads it from the store. */
  readonly levels: string[];
  failed: number;
}

/** A step that is given up where the store fails, as a caller would be told. */
async function attempt<Value>(trace: Trace, step: () => Promise<Value>): Promise<Value | null> {
  try {
    return await step();
  } catch (cause) {
    if (!SluicegateError.isInstance(cause)) throw cause;
    trace.failed += 1;
    return null;
  }
}

/** Asks, shows, answers, runs and asks again, each step after the other whatever became of it. */
async function live(
  store: Store,
  trace: Trace,
): Promise<{ readonly gate: Gate; readonly id: string } | null> {
  const open = (): Gate => createGate({ policy: POLICY, store, digestKey: new Uint8Array(32) });
  let gate = open();
  const opened = await attempt(trace, () => gate.open({ principal: "ada" }));
  if (opened === null) return null;
  const { id } = opened;
  const call = (session: Session, tool: string) =>
    session.call({ tool, arguments: { amount: 5 } }, async () => {
      const reader = await open().session(id);
      trace.levels.push(`${reader?.label.level}`);
      trace.ran.push(tool);
    });
  for (const tool of ["pay", "pay", "post", "post"]) {
    await attempt(trace, () => call(opened, tool));
    for (const approval of (await attempt(trace, () => gate.pendingApprovals())) ?? []) {
      await attempt(trace, () => gate.recordShown(approval, "console"));
      await attempt(trace, () => gate.answerApproval(approval.id, { answer: "approved", by: "bo" }));
    }
    await attempt(trace, () => call(opened, tool));
    // Another process goes on where this one stopped.
    gate = open();
  }
  return { gate, id };
}

it.each([
  "before",
  "after",
] as const)("runs nothing that wasn't asked for and answered, and each answer once, whichever write fails (%s it is made; law-7, X15-approvals)", async (when) => {
  let undisturbed = 0;
  for (let nth = 1; undisturbed === 0; nth += 1) {
    const { store, counted } = failingAt(nth, when);
    const trace: Trace = { ran: [], levels: [], failed: 0 };
    const lived = await live(store, trace);
    if (counted.appends < nth) undisturbed = nth;
    if (lived === null) continue;
    const session = (await lived.gate.session(lived.id)) ?? expect.fail("the session is lost");
    const entries = await session.journal();
    const dataOf = (kind: string) => entries.filter((entry) => entry.kind === kind).map(({ data }) => data);
    const admitted = dataOf("call-admitted");
    const approved = dataOf("approval-answered").filter(({ answer }) => answer === "approved");
    // I2: what ran was admitted before; what was admitted and not known to be written didn't run.
    expect(trace.ran.length, `write ${nth}`).toBeLessThanOrEqual(admitted.length);
    // I3: each admission used up a yes of its own, given to its very approval.
    const used = admitted.map(({ approval }) => approval);
    expect(new Set(used).size).toBe(used.length);
    for (const id of used) expect(approved.map(({ approval }) => approval)).toContain(id);
    expect(new Set(approved.map(({ approval }) => approval)).size).toBe(approved.length);
    // I1 and I4: the raise was durable before the run, and stays.
    expect(trace.levels.every((level) => level === "internal")).toBe(true);
    if (admitted.length > 0) expect(session.label.level).toBe("internal");
    expect((await lived.gate.verify()).problems).toEqual([]);
    if (undisturbed > 0) expect(trace).toMatchObject({ ran: ["pay", "pay", "post", "post"], failed: 0 });
    // None where the write that failed was one that nobody waits for.
    else expect(trace.failed).toBeLessThanOrEqual(1);
  }
  // Opened; and for each of four calls: asked, shown, answered, admitted.
  expect(undisturbed).toBeGreaterThan(15);
});
