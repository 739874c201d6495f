/** The console over a store of a while: how soon it is there, and that it stays fluid while much happens. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useBrowser } from "./browser.ts";
import {
  type ConsoleGateway,
  consolePolicy,
  DIGEST_KEY,
  OPERATOR_TOKEN,
  startConsoleGateway,
} from "./console-gateway.ts";
import { connection } from "./console-page.ts";
import { seedStore } from "./seed-store.ts";

const SESSIONS = 1000;
const ENTRIES = 10_000;
const COLD_START_MS = 1000;
const STARTS = 3;
const EVENTS_A_SECOND = 50;
const STORM_MS = 10_000;
const ANSWER_MS = 200;
/** Longer than this, and a person feels that the page hangs. */
const LONGEST_TASK_MS = 200;

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

/** Measures in the page from its very beginning. */
const MEASURE = `
  globalThis.measured = { tasks: [], answers: [] };
  new PerformanceObserver((list) => measured.tasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask", buffered: true });
  new PerformanceObserver((list) => measured.answers.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "event", durationThreshold: 16, buffered: true });`;
const measured = (page: Page): Promise<{ tasks: number[]; answers: number[] }> => page.evaluate("measured");

describe("a cold start over 1,000 sessions and 10,000 journal entries", () => {
  it.each([
    ["/approvals", /third/],
    ["/sessions", /third/],
  ])("paints and shows the list of %s within a second, of three starts the best (D5-console)", async (path, shows) => {
    expect(entries).toBeGreaterThanOrEqual(ENTRIES);
    const starts: { readonly paint: number; readonly list: number }[] = [];
    for (let start = 0; start < STARTS; start += 1) {
      const { page } = await browser.visit(gateway.url, { token: OPERATOR_TOKEN, path });
      await page.getByRole("main").getByText(shows).first().waitFor();
      const list: number = await page.evaluate("performance.now()");
      const paint: number = await page.evaluate(
        "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity",
      );
      starts.push({ paint, list });
      await page.context().close();
    }
    console.log(
      `${path}: ${starts.map(({ paint, list }) => `paint ${Math.round(paint)} ms, list ${Math.round(list)} ms`).join("; ")}`,
    );
    expect(Math.min(...starts.map(({ paint }) => paint))).toBeLessThan(COLD_START_MS);
    expect(Math.min(...starts.map(({ list }) => list))).toBeLessThan(COLD_START_MS);
  });
});

describe("50 events a second", () => {
  it("leave the page fluid, and a click answers within 200 ms (D5-console)", async () => {
    const { page, context } = await browser.visit(gateway.url, { token: OPERATOR_TOKEN });
    await context.addInitScript(MEASURE);
    await page.goto(`${gateway.url}/sessions`);
    await connection(page).getByText("Live").waitFor();
    await page.getByRole("table", { name: "Sessions" }).getByRole("row").nth(5).waitFor();
    await page.evaluate("measured.tasks.length = measured.answers.length = 0");
    const storm = await startStorm();
    const refused = page.getByRole("checkbox", { name: "Refused calls" });
    while (!storm.isOver()) {
      await refused.click();
      await page.keyboard.press("?");
      await page.keyboard.press("Escape");
    }
    const made = await storm.end;
    const { tasks, answers } = await measured(page);
    const longest = (durations: readonly number[]) => Math.max(0, ...durations);
    console.log(
      `${made} events; longest task ${longest(tasks)} ms of ${tasks.length} over 50 ms; slowest answer ${longest(answers)} ms of ${answers.length}`,
    );
    expect(made).toBeGreaterThan((EVENTS_A_SECOND * STORM_MS) / 1000 / 2);
    expect(answers.length).toBeGreaterThan(0);
    expect(longest(tasks)).toBeLessThan(LONGEST_TASK_MS);
    expect(longest(answers)).toBeLessThanOrEqual(ANSWER_MS);
  }, 60_000);
});

interface Storm {
  isOver(): boolean;
  /** How many journal entries it made. */
  readonly end: Promise<number>;
}

/** Calls of many sessions at an even pace: each is refused, and so is one journal entry. */
async function startStorm(): Promise<Storm> {
  const sessions = await Promise.all(
    Array.from({ length: 20 }, (_, at) => gateway.open({ principal: `storm-${at}` })),
  );
  const calls: Promise<unknown>[] = [];
  const over = Promise.withResolvers<void>();
  let isOver = false;
  const timer = setInterval(() => {
    const session = sessions[calls.length % sessions.length];
    if (session) calls.push(gateway.call(session, "no_such_tool", {}));
    if (calls.length < (EVENTS_A_SECOND * STORM_MS) / 1000) return;
    clearInterval(timer);
    isOver = true;
    over.resolve();
  }, 1000 / EVENTS_A_SECOND);
  const end = over.promise.then(() => Promise.all(calls)).then(({ length }) => length);
  return { isOver: () => isOver, end };
}
