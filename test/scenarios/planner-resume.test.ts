/** A run that is paused in one process and resumed in others, over a store's file. */
import { fork } from "node:child_process";
import { resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { definePolicy } from "../../src/core/index.ts";
import { createGate, type Gate } from "../../src/runtime/index.ts";
import { openSqliteStore } from "../../src/stores/index.ts";
import { TOOLS } from "../fixtures/planner-office.ts";
import type { PlannerOrder, PlannerReport } from "../fixtures/planner-process.ts";
import { temporaryFolder } from "../fixtures/temporary-folder.ts";

const PROGRAM = resolve(import.meta.dirname, "../fixtures/planner-process.ts");
const REPORT = "report_impossible";

const folder = temporaryFolder();
let store: string;
let gate: Gate;

beforeEach(async () => {
  store = folder.path();
  gate = createGate({
    policy: definePolicy({ tools: TOOLS }, { version: "office" }),
    store: await openSqliteStore(store),
    digestKey: Buffer.alloc(32, 7),
  });
});

afterEach(() => gate.close());

/** Starts a process; it resumes once `go` is called, and its report comes before its end. */
function start(order: Omit<PlannerOrder, "store">) {
  const child = fork(PROGRAM, [JSON.stringify({ store, ...order })], {
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const ready = Promise.withResolvers<void>();
  const report = Promise.withResolvers<PlannerReport>();
  child.on("message", (message: "ready" | PlannerReport) => {
    if (message === "ready") ready.resolve();
    else report.resolve(message);
  });
  child.on("exit", (code) => {
    const early = new Error(`The process ended with ${code}.`);
    ready.reject(early);
    report.reject(early);
  });
  ready.promise.catch(() => {});
  return { ready: ready.promise, report: report.promise, go: () => child.send("go") };
}

async function pause(order: Omit<PlannerOrder, "store"> = {}) {
  const { result } = await start(order).report;
  if (result?.status !== "paused") throw new Error(`It did not pause: ${result?.status}`);
  const { session, token = "", approval = "" } = result;
  return { session, token, approval };
}

async function resume(order: Omit<PlannerOrder, "store">): Promise<PlannerReport> {
  const child = start(order);
  await child.ready;
  child.go();
  return child.report;
}

it("is resumed in another process with what it had, whatever that process would let it have (B6, law-4)", async () => {
  const paused = await pause({ sees: ["pay", "note", "web_search"] });
  await gate.answerApproval(paused.approval, { answer: "approved", by: "grace" });
  const { ran, offered, result } = await resume(paused);
  // `web_search` was seen, but the paused run's session was granted no way outside.
  expect(offered).toEqual([["pay", "note", REPORT]]);
  expect(ran).toEqual(["pay", "note"]);
  expect(result?.status).toBe("paused");
  expect(result?.steps.map(({ calls }) => calls.map(({ tool, outcome }) => [tool, outcome]))).toEqual([
    [["pay", "ran"]],
    [
      ["search_email", "invalid"],
      ["web_search", "invalid"],
      ["slack_post", "invalid"],
      ["pay", "waiting"],
      ["note", "ran"],
      ["fail", "invalid"],
    ],
  ]);
});

it("is resumed by one of two processes that try at the same time, and its call runs once (B6, law-7)", async () => {
  const paused = await pause();
  await gate.answerApproval(paused.approval, { answer: "approved", by: "grace" });
  const children = [start(paused), start(paused)];
  await Promise.all(children.map(({ ready }) => ready));
  for (const { go } of children) go();
  const reports = await Promise.all(children.map(({ report }) => report));
  expect(reports.filter(({ ran }) => ran.includes("pay")).length).toBe(1);
  expect(reports.map(({ code }) => code ?? "went on").toSorted()).toEqual(["run-not-found", "went on"]);
  expect((await resume(paused)).code).toBe("run-not-found");
});

it("is refused to a caller of another name, of another session, or that comes too late (B6)", async () => {
  const [paused, other, brief] = await Promise.all([pause(), pause(), pause({ pauseSeconds: 0.001 })]);
  const wrong = [
    { ...paused, principal: "eve" },
    { ...paused, session: other.session },
    { ...paused, token: other.token },
    brief,
  ];
  const reports = await Promise.all(wrong.map(resume));
  expect(reports.map(({ code, ran }) => [code, ran])).toEqual(wrong.map(() => ["run-not-found", []]));
  // Nobody has answered, and nothing of it was used up: it waits on.
  const { result, ran } = await resume(paused);
  expect([result?.status, result?.approval, ran]).toEqual(["paused", paused.approval, []]);
});
