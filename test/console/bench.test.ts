/** The plan bench: tools in an order, the check under each, and the safe order before one's eyes. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useBrowser } from "./browser.ts";
import {
  type ConsoleGateway,
  OPERATOR_TOKEN,
  type OpenedSession,
  startConsoleGateway,
} from "./console-gateway.ts";
import { eventually, heading } from "./console-page.ts";

const SEED = ["search_email", "web_search", "github_create_pr"];
const browser = useBrowser();
let gateway: ConsoleGateway;
let session: OpenedSession;
beforeAll(async () => {
  gateway = await startConsoleGateway();
  session = await gateway.open({ principal: "planner" });
});
afterAll(() => gateway.remove());

const visit = (calls: readonly string[] = [], options: object = {}) =>
  browser.visit(gateway.url, {
    token: OPERATOR_TOKEN,
    path: `/sessions/${session.session_id}/plan${calls.length > 0 ? `?calls=${calls.join(",")}` : ""}`,
    ...options,
  });
const plan = (page: Page) => page.getByRole("list", { name: "Plan", exact: true });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
/** The tools of the plan in their order, as they are heard. */
const order = async (page: Page): Promise<string[]> =>
  [...(await plan(page).ariaSnapshot()).matchAll(/button "Remove ([^"]+)"/g)].map(([, tool = ""]) => tool);
const verdict = (page: Page, words: RegExp) => page.getByRole("status").filter({ hasText: words }).first();

describe("the plan bench", () => {
  it.each([
    "reduce",
    "no-preference",
  ] as const)("finds the seed's safe order before one's eyes, with motion %s (C4)", async (motion) => {
    const { page } = await visit([], { motion });
    await heading(page, "Plan bench").waitFor();
    for (const tool of SEED) await button(page, `Add ${tool}`).click();
    await eventually(() => order(page)).toEqual(SEED);
    await verdict(page, /^Not safe/).waitFor();
    const remove = button(page, "Remove web_search");
    const step = plan(page).getByRole("listitem").filter({ has: remove }).first();
    expect(await step.innerText()).toMatch(/blocked after `?search_email`?/);
    await button(page, "Take the safe order").click();
    await eventually(() => order(page)).toEqual(["web_search", "search_email", "github_create_pr"]);
    await verdict(page, /^Safe/).waitFor();
    expect(gateway.ran).toEqual([]);
    const { calls } = await gateway.request("GET", `/v1/session/${session.session_id}`);
    expect(calls).toBe(0);
  });

  it("keeps the plan in its address, and moves and removes by keyboard alone (D5-console)", async () => {
    const { page } = await visit(SEED);
    await eventually(() => order(page)).toEqual(SEED);
    await button(page, "Move web_search up").focus();
    await page.keyboard.press("Enter");
    await eventually(() => order(page)).toEqual(["web_search", "search_email", "github_create_pr"]);
    await verdict(page, /^Safe/).waitFor();
    await button(page, "Move web_search down").focus();
    await page.keyboard.press("Enter");
    await eventually(() => order(page)).toEqual(SEED);
    await button(page, "Remove web_search").focus();
    await page.keyboard.press("Enter");
    await eventually(() => order(page)).toEqual(["search_email", "github_create_pr"]);
    await verdict(page, /^Safe/).waitFor();
    await page.reload();
    await eventually(() => order(page)).toEqual(["search_email", "github_create_pr"]);
  });

  it("says what is in the way where there is no safe order, and takes a tool twice", async () => {
    const { page } = await visit(["web_search", "search_email", "web_search", "search_email"]);
    await eventually(async () => (await order(page)).length).toBe(4);
    await verdict(page, /^Not safe/).waitFor();
    await button(page, "Take the safe order").click();
    await eventually(() => order(page)).toEqual(["web_search", "web_search", "search_email", "search_email"]);
  });

  it("shows a made-up name in its address as text (X14)", async () => {
    const name = encodeURIComponent("<img src=x onerror=globalThis.ran=1>\u202E");
    const { page } = await visit([name]);
    await page
      .getByText(/<img src=x/)
      .first()
      .waitFor();
    expect(await page.evaluate("globalThis.ran")).toBeUndefined();
    expect(await page.evaluate("document.body.textContent + document.title")).not.toContain("\u202E");
  });
});
