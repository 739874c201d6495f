/**
 * The console over a store of a while: how soon it is there, and that it stays fluid while much happens. The budgets are
 * for a machine that does a fixed piece of work in its usual time; on a slower or busier one they grow with that time.
 */
import { EventEmitter, once } from "node:events";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { machineSlowness } from "../fixtures/machine-slowness.ts";
import { useBrowser } from "./browser.ts";
import {
  type ConsoleGateway,
  consolePolicy,
  DIGEST_KEY,
  OPERATOR_TOKEN,
  startConsoleGateway,
} from "./console-gateway.ts";
import { connection, eventually } from "./console-page.ts";
import { seedStore } from "./seed-store.ts";

const SESSIONS = 1000;
const ENTRIES = 10_000;
const COLD_START_MS = 1000;
const STARTS = 3;
const EVENTS_A_SECOND = 50;
const STORM_SECONDS = 10;
const EVENTS = EVENTS_A_SECOND * STORM_SECONDS;
const ANSWER_MS = 200;
/** Longer than this, and a person feels that the page hangs. */
const MAX_TASK_MS = 200;

const browser = useBrowser();
let gateway: ConsoleGateway;
let entries = 0;
beforeAll(async () => {
  const unused = "http://127.0.0.1:1/mcp";
  gateway = await startConsoleGateway({
    prepare: async (folder) => {
      const policy = consolePolicy({ office: unused, outside: unused });
      entries = await seedStore({ folder, policy, key: DIGEST_KEY, sessions: SESSIONS, entries: ENTRIES });
    },
  });
  for (const principal of ["first", "second", "third"])
    await gateway.call(await gateway.open({ principal }), "send_mail", { to: "ann@example.org" });
}, 60_000);
afterAll(() => gateway.remove());

/** Measures in the page, from its very beginning: its first paint, and the frame in which the list is there. */
const MEASURE_START = `
  globalThis.listAt = null;
  (function look() {
    const row = document.querySelector("main article, main table tbody tr");
    if (row === null) requestAnimationFrame(look);
    else requestAnimationFrame(() => { globalThis.listAt = performance.now(); });
  })();`;
const PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null";

/** Measures what holds the page up, and how long answers to clicks and keys take until they are painted. */
const MEASURE_LOAD = `
  globalThis.measured = { tasks: [], answers: {} };
  new PerformanceObserver((list) => measured.tasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask", buffered: true });
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries())
      if (interactionId > 0)
        measured.answers[interactionId] = Math.max(measured.answers[interactionId] ?? 0, duration);
  }).observe({ type: "event", durationThreshold: 16, buffered: true });`;
const FORGET = "measured.tasks = []; measured.answers = {}; undefined";
const MEASURED = "({ tasks: measured.tasks, answers: Object.values(measured.answers) })";
const longest = (durations: readonly number[]): number => Math.round(Math.max(0, ...durations));

interface ColdStart {
  readonly paint: number;
  readonly list: number;
  readonly slowness: number;
}

async function coldStart(path: string): Promise<ColdStart> {
  const { page, context } = await browser.visit(gateway.url, {
    token: OPERATOR_TOKEN,
    path,
    script: MEASURE_START,
  });
  await eventually(() => page.evaluate("listAt")).not.toBeNull();
  const list: number = await page.evaluate("listAt");
  await eventually(() => page.evaluate(PAINT)).not.toBeNull();
  const paint: number = await page.evaluate(PAINT);
  const slowness = await page.evaluate(machineSlowness);
  await context.close();
  return { paint: Math.round(paint), list: Math.round(list), slowness };
}

describe("a cold start over 1,000 sessions and 10,000 journal entries", () => {
  it.each([
    "/approvals",
    "/sessions",
  ])("paints and has the list of %s within a second, of three starts the best (D5-console)", async (path) => {
    expect(entries).toBeGreaterThanOrEqual(ENTRIES);
    const starts = [];
    for (let start = 0; start < STARTS; start += 1) starts.push(await coldStart(path));
    console.log(
      `${path}: ${starts.map(({ paint, list, slowness }) => `paint ${paint} ms, list ${list} ms, ${slowness.toFixed(1)} x as slow as usual`).join("; ")}`,
    );
    expect(Math.min(...starts.map(({ paint, slowness }) => paint / slowness))).toBeLessThan(COLD_START_MS);
    expect(Math.min(...starts.map(({ list, slowness }) => list / slowness))).toBeLessThan(COLD_START_MS);
  });
});

describe("50 events a second", () => {
  it("leave the page fluid, and a click answers within 200 ms, in the best of four runs (D5-console)", {
    timeout: 60_000,
    retry: 3,
  }, async () => {
    const { page, context } = await browser.visit(gateway.url, {
      token: OPERATOR_TOKEN,
      path: "/sessions",
      script: MEASURE_LOAD,
    });
    // A retry has the machine for itself.
    onTestFinished(() => context.close());
    await connection(page).getByText("Live").waitFor();
    await page.getByRole("table", { name: "Sessions" }).getByRole("row").nth(5).waitFor();
    const before = await page.evaluate(machineSlowness);
    await page.evaluate(FORGET);
    const storm = await startStorm();
    const refused = page.getByRole("checkbox", { name: "Refused calls" });
    for (let made = 0; made < EVENTS; made += EVENTS_A_SECOND / 2) {
      await storm.reaches(made);
      await refused.click();
      await page.keyboard.press("?");
      await page.keyboard.press("Escape");
    }
    const made = await storm.end;
    const { tasks, answers }: { tasks: number[]; answers: number[] } = await page.evaluate(MEASURED);
    const slowness = Math.max(before, await page.evaluate(machineSlowness));
    console.log(
      `${slowness.toFixed(1)} x as slow as usual; ${made} events in ${STORM_SECONDS} s; longest task ${longest(tasks)} ms of ${tasks.length} over 50 ms; slowest answer ${longest(answers)} ms of ${answers.length}`,
    );
    expect(answers.length).toBeGreaterThan(0);
    expect(longest(tasks) / slowness).toBeLessThan(MAX_TASK_MS);
    expect(longest(answers) / slowness).toBeLessThanOrEqual(ANSWER_MS);
  });
});

interface Storm {
  /** Resolves when so many events were made. */
  reaches(count: number): Promise<void>;
  /** How many it made in all. */
  readonly end: Promise<number>;
}

/** Calls of many sessions at an even pace: each is refused, and so is one journal entry. */
async function startStorm(): Promise<Storm> {
  const sessions = await Promise.all(
    Array.from({ length: 20 }, (_, at) => gateway.open({ principal: `storm-${at}` })),
  );
  const calls: Promise<unknown>[] = [];
  const made = new EventEmitter<{ call: [] }>();
  const timer = setInterval(() => {
    const session = sessions[calls.length % sessions.length];
    if (session) calls.push(gateway.call(session, "no_such_tool", {}));
    if (calls.length === EVENTS) clearInterval(timer);
    made.emit("call");
  }, 1000 / EVENTS_A_SECOND);
  const reaches = async (count: number): Promise<void> => {
    while (calls.length < count) await once(made, "call");
  };
  const end = reaches(EVENTS).then(async () => (await Promise.all(calls)).length);
  return { reaches, end };
}
