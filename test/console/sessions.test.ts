/** All sessions, and one of them: what happened in it, and why a call was refused, down to its cause. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useBrowser } from "./browser.ts";
import {
  type ConsoleGateway,
  consolePolicy,
  OPERATOR_TOKEN,
  type OpenedSession,
  startConsoleGateway,
} from "./console-gateway.ts";
import { announcements, eventually, heading } from "./console-page.ts";

const browser = useBrowser();
let gateway: ConsoleGateway;
let blocked: OpenedSession;
beforeAll(async () => {
  gateway = await startConsoleGateway();
  blocked = await gateway.open({ principal: "ada", role: "analyst" });
  await gateway.call(blocked, "search_email", { id: "one" });
  await gateway.call(blocked, "web_search", { id: "two" });
  const waits = await gateway.open({ principal: "grace", role: "clerk" });
  await gateway.call(waits, "send_mail", { to: "ann@example.org" });
  const over = await gateway.open({ principal: "linus" });
  await gateway.call(over, "read_customers", { id: "three" });
  await gateway.request("POST", `/v1/session/${over.session_id}/reset`, {});
});
afterAll(() => gateway.remove());

const visit = (path: string, options: object = {}) =>
  browser.visit(gateway.url, { token: OPERATOR_TOKEN, path, ...options });
const table = (page: Page) => page.getByRole("table", { name: "Sessions" });
const row = (page: Page, words: string) => table(page).getByRole("row").filter({ hasText: words });
/** A call's item: it begins with the call's number and the tool's name. */
const item = (page: Page, tool: string) => {
  const hasText = new RegExp(`^\\D*\\d+\\s*${RegExp.escape(tool)}`);
  return page.getByRole("list", { name: "Timeline" }).getByRole("listitem").filter({ hasText }).first();
};
/** The rows but the head's. */
const count = async (page: Page) =>
  (await table(page).getByRole("row").count()) -
  ((await table(page).getByRole("columnheader").count()) > 0 ? 1 : 0);

describe("the list of sessions", () => {
  it("has each with its person, what it holds and its gauge, and leads to it", async () => {
    const { page } = await visit("/sessions");
    await heading(page, "Sessions").waitFor();
    await row(page, "ada").waitFor();
    expect(await row(page, "ada").innerText()).toMatch(/analyst[\s\S]*internal/);
    expect(await row(page, "ada").ariaSnapshot()).toMatch(/img "[^"]+"/);
    await row(page, "ada").getByRole("link").first().click();
    await page.getByRole("list", { name: "Timeline" }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/sessions/${blocked.session_id}`);
  });

  it("filters by what stands in its address, which can be sent to a colleague", async () => {
    const { page } = await visit("/sessions");
    await row(page, "grace").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("grac");
    await row(page, "ada").waitFor({ state: "hidden" });
    await eventually(() => page.url()).toContain("principal=grac");
    await page.reload();
    await row(page, "grace").waitFor();
    expect(await count(page)).toBe(1);
    await page.getByRole("textbox", { name: "Principal" }).fill("");
    await row(page, "ada").waitFor();
    for (const [name, found] of [
      ["Refused calls", "ada"],
      ["Waiting", "grace"],
    ] as const) {
      await page.getByRole("checkbox", { name }).check();
      await eventually(() => count(page)).toBe(1);
      await row(page, found).waitFor();
      await page.getByRole("checkbox", { name }).uncheck();
    }
    // Closed ones come in addition, and say so.
    expect(await row(page, "closed").count()).toBe(0);
    await page.getByRole("checkbox", { name: "Closed" }).check();
    await row(page, "closed").waitFor();
    expect(await row(page, "closed").innerText()).toContain("linus");
    await page.getByRole("combobox", { name: "Role" }).selectOption("clerk");
    await eventually(() => count(page)).toBe(1);
    await page.getByRole("combobox", { name: "Role" }).selectOption("");
    await page.getByRole("combobox", { name: "Level" }).selectOption("confidential");
    await row(page, "linus").first().waitFor();
    await row(page, "ada").waitFor({ state: "hidden" });
  });

  it("says where nothing fits, and how to see more", async () => {
    const { page } = await visit("/sessions?principal=nobody-of-this-name");
    await page
      .getByText(/No session/)
      .first()
      .waitFor();
  });

  it("says on this page too that a call waits for a person (D5-console)", async () => {
    const { page } = await visit("/sessions");
    await row(page, "grace").waitFor();
    const session = await gateway.open({ principal: "elsewhere", role: "clerk" });
    await gateway.call(session, "send_mail", { to: "bob@example.org" });
    await announcements(page).getByText("Another call waits for a person.").waitFor();
  });

  it("has a session that was opened just now, without a reload (D5-console)", async () => {
    const { page } = await visit("/sessions");
    await row(page, "ada").waitFor();
    await gateway.open({ principal: "newcomer" });
    await row(page, "newcomer").waitFor();
  });
});

describe("a session's page", () => {
  it("explains a block down to the call and the data set that caused it (D7-console)", async () => {
    const { page } = await visit(`/sessions/${blocked.session_id}`);
    const refused = item(page, "web_search");
    await refused.waitFor();
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toContain("ada");
    expect(await refused.innerText()).toMatch(/denied/i);
    expect(await item(page, "search_email").innerText()).toMatch(/allowed[\s\S]*internal/i);
    await refused.getByRole("button", { name: "Show the checks" }).click();
    await eventually(() => refused.innerText()).toMatch(/flow/i);
    const explained = await refused.innerText();
    expect(explained).toMatch(/search_email/);
    expect(explained).toMatch(/call 1/);
    expect(explained).toMatch(/office/);
    expect(await page.ariaSnapshot()).toMatch(/img "[^"]*internal[^"]*"/);
  });

  it("goes on by itself as calls come in", async () => {
    const session = await gateway.open({ principal: "live" });
    const { page } = await visit(`/sessions/${session.session_id}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await gateway.call(session, "search_docs", { id: "four" });
    await item(page, "search_docs").waitFor();
  });

  it("asks once for earlier events that the gateway fails to give, and again when the person does", async () => {
    const session = await gateway.open({ principal: "long" });
    for (let id = 0; id < 201; id += 1) await gateway.call(session, "search_docs", { id });
    const asking = await visit(`/sessions/${session.session_id}`);
    asking.expectProblems(/500/);
    const { page, requests } = asking;
    const asked = (): number => requests.filter((one) => one.includes("before=")).length;
    await page.route(/before=/, (route) => route.fulfill({ status: 500, json: {} }));
    const earlier = page.getByRole("button", { name: "Show earlier" });
    // The failure must have come before the page hears of another call.
    const answered = page.waitForResponse(/before=/);
    await earlier.click();
    await answered;
    await eventually(asked).toBe(1);
    // The page has it some turns later than this test.
    await page.evaluate("new Promise((done) => setTimeout(done, 300))");
    await gateway.call(session, "search_docs", { id: "last" });
    await page.getByText("203 events").waitFor();
    expect(asked()).toBe(1);
    await page.unroute(/before=/);
    await earlier.click();
    await eventually(() => earlier.count()).toBe(0);
  });

  it("says by itself that what waited in it has expired (D5-console)", async () => {
    const brief = await startConsoleGateway({
      policy: (servers) => `${consolePolicy(servers)}approvals: { expires: 3s }\n`,
    });
    try {
      const session = await brief.open({ principal: "late" });
      await brief.call(session, "send_mail", { to: "ann@example.org" });
      const path = `/sessions/${session.session_id}`;
      const { page, context } = await browser.visit(brief.url, { token: OPERATOR_TOKEN, path });
      const notice = page.getByRole("link", { name: "Answer it" });
      await notice.first().waitFor();
      await eventually(() => notice.count()).toBe(0);
      await item(page, "send_mail").getByText("Expired").waitFor();
      await context.close();
    } finally {
      await brief.remove();
    }
  });

  it("opens at an event of its own (D7-console)", async () => {
    const { events } = await gateway.request("GET", `/v1/session/${blocked.session_id}/timeline`);
    const { seq } = events.find(({ effect }: any) => effect === "deny");
    const { page } = await visit(`/sessions/${blocked.session_id}`);
    await item(page, "web_search").waitFor();
    await page.goto(`${gateway.url}/sessions/${blocked.session_id}#seq-${seq}`);
    await page.reload();
    await eventually(() => item(page, "web_search").innerText()).toMatch(/flow/i);
  });

  it("shows the name of a tool that a model made up as text (X14)", async () => {
    const session = await gateway.open({ principal: "inventor" });
    const made = `<img src=x onerror="globalThis.ran=1">\u202E`;
    await gateway.call(session, made, {});
    const { page } = await visit(`/sessions/${session.session_id}`);
    const refused = item(page, "<img src=x");
    await refused.waitFor();
    await refused.getByRole("button", { name: "Show the checks" }).click();
    expect(await page.evaluate("globalThis.ran")).toBeUndefined();
    expect(await page.evaluate("document.body.textContent + document.title")).not.toContain("\u202E");
    expect(await refused.innerText()).toMatch(/202e/i);
  });

  it("of a session that isn't there says so", async () => {
    const gone = await visit(`/sessions/sess_${"0".repeat(32)}`);
    gone.expectProblems(/404/);
    await gone.page
      .getByText(/no (?:such )?session|not (?:found|there|known)/i)
      .first()
      .waitFor();
  });

  it("leads to the plan bench", async () => {
    const { page } = await visit(`/sessions/${blocked.session_id}`);
    await page.getByRole("link", { name: "Plan bench" }).click();
    await heading(page, "Plan bench").waitFor();
  });
});
