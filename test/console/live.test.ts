/** The page stays true while the gateway goes and comes, and while others answer by other ways. */
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useBrowser, type Visit } from "./browser.ts";
import { type ConsoleGateway, OPERATOR_TOKEN, startConsoleGateway } from "./console-gateway.ts";
import {
  answersSent,
  approve,
  card,
  connection,
  denyAll,
  eventually,
  heading,
  timesRan,
  untilWaiting,
  verdict,
} from "./console-page.ts";

const SLUICEGATE = resolve(import.meta.dirname, "../../bin/sluicegate");
/** What a browser says of a gateway that isn't there. */
const GONE = /ERR_(?:CONNECTION|INTERNET|INCOMPLETE|EMPTY|NETWORK|FAILED|SOCKET)|Failed to load resource/;
const HELD_SECONDS = 60;
/** Keeps what the event stream told the page. */
const KEEP_HEARD = `
  globalThis.heard = "";
  const ask = globalThis.fetch;
  globalThis.fetch = async (...given) => {
    const response = await ask(...given);
    if (!String(given[0]).includes("/v1/events")) return response;
    const [kept, passed] = response.body.tee();
    const keep = async () => {
      const reader = kept.pipeThrough(new TextDecoderStream()).getReader();
      for (let read = await reader.read(); !read.done; read = await reader.read()) heard += read.value;
    };
    keep().catch(() => {});
    return new Response(passed, response);
  };`;
/** Keeps what the page would show beside itself, and lets a test say whether its person looks at it. */
const KEEP_NOTICES = `
  globalThis.notices = [];
  globalThis.isLookedAt = true;
  document.hasFocus = () => isLookedAt;
  globalThis.Notification = class extends EventTarget {
    static permission = "default";
    static asked = 0;
    static async requestPermission() {
      this.asked += 1;
      return (this.permission = globalThis.nextPermission ?? "granted");
    }
    constructor(title, { body }) {
      super();
      this.words = title + ": " + body;
      notices.push(this);
    }
    close() {
      this.isClosed = true;
    }
  };`;
const browser = useBrowser();
let gateway: ConsoleGateway;
beforeAll(async () => {
  gateway = await startConsoleGateway();
});
afterAll(() => gateway.remove());

async function visitLive(): Promise<Visit> {
  const visit = await browser.visit(gateway.url, { token: OPERATOR_TOKEN });
  await connection(visit.page).getByText("Live").waitFor();
  return visit;
}

describe("a gateway that goes and comes back", () => {
  it("is said to be gone at once, can't be answered to, and the page recovers by itself (D5-console)", async () => {
    const before = await gateway.open({ principal: "before" });
    await gateway.call(before, "send_mail", { to: "ann@example.org" });
    const visit = await visitLive();
    const { page, requests } = visit;
    visit.expectProblems(GONE);
    await approve(card(page, "before")).waitFor();
    await gateway.stop();
    await connection(page).getByText("Connection lost").waitFor({ timeout: 3000 });
    await page
      .getByText(/Connection lost\./)
      .first()
      .waitFor();
    // What was there stays to be read, marked as old.
    expect(await card(page, "before").count()).toBe(1);
    await page
      .getByText(/\bold\b/)
      .first()
      .waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    expect(answersSent(requests)).toEqual([]);
    await gateway.start();
    await connection(page).getByText("Live").waitFor();
    const after = await gateway.open({ principal: "after" });
    const held = gateway.call(after, "send_mail", { to: "Once more" }, HELD_SECONDS);
    await approve(card(page, "after")).click();
    expect(await held).toMatchObject({ effect: "allow" });
    expect(timesRan(gateway, "send_mail", "Once more")).toBe(1);
    await approve(card(page, "before")).click();
    await verdict(card(page, "before"), "Approved by operator, in the console").waitFor();
  });

  it("lets go of what waited, where it comes back with another store (D5-console)", async () => {
    const other = await startConsoleGateway();
    try {
      await other.call(await other.open({ principal: "lost" }), "send_mail", { to: "ann@example.org" });
      const visit = await browser.visit(other.url, { token: OPERATOR_TOKEN });
      visit.expectProblems(GONE);
      await approve(card(visit.page, "lost")).waitFor();
      await other.stop();
      for (const end of ["", "-wal", "-shm", "-mark"]) rmSync(`${other.storeFile}${end}`, { force: true });
      await other.start();
      await heading(visit.page, "Nothing waits for a person", 2).waitFor();
      await visit.context.close();
    } finally {
      await other.remove();
    }
  });

  it("has told nothing meanwhile, and the page learns all of it when it is back (D5-console)", async () => {
    const session = await gateway.open({ principal: "answered" });
    await gateway.call(session, "send_mail", { to: "bob@example.org" });
    const visit = await visitLive();
    const { page } = visit;
    visit.expectProblems(GONE);
    await approve(card(page, "answered")).waitFor();
    await visit.context.setOffline(true);
    const [{ id }] = await untilWaiting(gateway, session);
    await gateway.request("POST", `/v1/approvals/${id}/deny`, { via: "terminal", why: "not now" });
    await gateway.call(await gateway.open({ principal: "new meanwhile" }), "send_mail", { to: "eve" });
    await visit.context.setOffline(false);
    await approve(card(page, "new meanwhile")).waitFor();
    await verdict(card(page, "answered"), "Denied by operator").waitFor();
    expect(await approve(card(page, "answered")).count()).toBe(0);
  });

  it("keeps a person at what they look at: no reload, no loss of words half written (D5-console)", async () => {
    const session = await gateway.open({ principal: "half written" });
    await gateway.call(session, "send_mail", { to: "cid@example.org" });
    const visit = await visitLive();
    const { page } = visit;
    visit.expectProblems(GONE);
    const asked = card(page, "half written");
    await asked.getByRole("button", { name: "Deny", exact: true }).click();
    const words = asked.getByRole("textbox", { name: "Reason (optional)" });
    await words.fill("because of");
    await gateway.stop();
    await connection(page).getByText("Connection lost").waitFor();
    await gateway.start();
    await connection(page).getByText("Live").waitFor();
    expect(await words.inputValue()).toBe("because of");
    await words.press("Enter");
    await verdict(asked, "Denied by operator, in the console").waitFor();
  });
});

describe("a page that has only just begun to listen", () => {
  it("doesn't miss what happened after it had asked for the list (D5-console)", async () => {
    const visit = await browser.visit(gateway.url);
    const { page } = visit;
    const listening = Promise.withResolvers<void>();
    await page.route("**/v1/events**", async (route) => {
      await listening.promise;
      await route.continue();
    });
    const listed = page.waitForResponse(/\/v1\/approvals\?.*status=pending/);
    await page.getByLabel("Operator's token").fill(OPERATOR_TOKEN);
    await page.keyboard.press("Enter");
    await (await listed).finished();
    await gateway.call(await gateway.open({ principal: "between" }), "send_mail", { to: "both" });
    listening.resolve();
    await approve(card(page, "between")).waitFor();
  });

  it("asks again where its first list was on its way when it heard of something (D5-console)", async () => {
    const { page } = await browser.visit(gateway.url, { script: KEEP_HEARD });
    const [asked, heard] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route(/\/v1\/approvals\?.*status=pending/, async (route) => {
      const response = await route.fetch();
      asked.resolve();
      await heard.promise;
      await route.fulfill({ response });
    });
    await page.getByLabel("Operator's token").fill(OPERATOR_TOKEN);
    await page.keyboard.press("Enter");
    await connection(page).getByText("Live").waitFor();
    await asked.promise;
    await gateway.call(await gateway.open({ principal: "meanwhile" }), "send_mail", { to: "both" });
    await eventually(() => page.evaluate("heard")).toContain("approval-requested");
    heard.resolve();
    await approve(card(page, "meanwhile")).waitFor();
    // What is asked for the second time may still be on its way.
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });
});

describe("more tabs than a browser has connections to a gateway", () => {
  it("hear of everything, also once the one that listened is closed (D5-console)", async () => {
    const { page, openTab, requests } = await visitLive();
    await page.evaluate(`localStorage.setItem("sluicegate-token", "${OPERATOR_TOKEN}")`);
    const tabs = [];
    for (let count = 0; count < 7; count += 1) {
      const tab = await openTab("/approvals");
      await connection(tab).getByText("Live").waitFor();
      tabs.push(tab);
    }
    const streams = () => requests.filter((request) => request.includes("/v1/events")).length;
    expect(streams()).toBe(1);
    await gateway.call(await gateway.open({ principal: "for all tabs" }), "send_mail", { to: "all" });
    await Promise.all([page, ...tabs].map((tab) => approve(card(tab, "for all tabs")).waitFor()));
    await page.close();
    await eventually(streams).toBe(2);
    await gateway.call(await gateway.open({ principal: "for the rest" }), "send_mail", { to: "rest" });
    await Promise.all(tabs.map((tab) => approve(card(tab, "for the rest")).waitFor()));
  }, 60_000);
});

describe("an answer by another way", () => {
  it("of another process on the same store is seen by itself (D5-console)", async () => {
    const session = await gateway.open({ principal: "from a terminal" });
    const held = gateway.call(session, "send_mail", { to: "dan@example.org" }, HELD_SECONDS);
    const { page } = await visitLive();
    const asked = card(page, "from a terminal");
    await approve(asked).waitFor();
    const [{ id }] = await untilWaiting(gateway, session);
    const where = [
      "--store",
      `sqlite:${gateway.storeFile}`,
      "--config",
      join(gateway.folder, "sluicegate.yaml"),
    ];
    await promisify(execFile)(SLUICEGATE, ["deny", id, ...where, "--why", "by hand"]);
    await verdict(asked, /^Denied by .*terminal/).waitFor();
    expect(await held).toMatchObject({ effect: "deny" });
  });

  it("shows in every tab, and what is asked shows in both (D5-console)", async () => {
    const one = await visitLive();
    const other = await visitLive();
    await gateway.call(await gateway.open({ principal: "for both" }), "send_mail", { to: "both" });
    await Promise.all([one, other].map(({ page }) => approve(card(page, "for both")).waitFor()));
    await approve(card(other.page, "for both")).click();
    await verdict(card(one.page, "for both"), "Approved by operator, in the console").waitFor();
  });
});

describe("a person who looks elsewhere", () => {
  const shown = (page: Page) =>
    page.evaluate("notices.filter((one) => !one.isClosed).map((one) => one.words)");
  const visitNoticed = async (): Promise<Page> => {
    const options = { token: OPERATOR_TOKEN, script: KEEP_NOTICES };
    const { page } = await browser.visit(gateway.url, options);
    await connection(page).getByText("Live").waitFor();
    return page;
  };
  const notifyMe = (page: Page) => page.getByRole("checkbox", { name: "Notify me" });

  it("is notified of a call that waits, on every page, once they asked for it, and of no name in it (X28)", async () => {
    await denyAll(gateway);
    const page = await visitNoticed();
    expect(await page.evaluate("Notification.asked")).toBe(0);
    await notifyMe(page).click();
    await eventually(() => notifyMe(page).isChecked()).toBe(true);
    expect(await page.evaluate("Notification.asked")).toBe(1);
    await page.evaluate("notices.length = 0; isLookedAt = false");
    for (const key of "gp") await page.keyboard.press(key);
    await heading(page, "Policy").waitFor();
    const session = await gateway.open({ principal: "noticed" });
    await gateway.call(session, "send_mail", { to: "ann@example.org" });
    await eventually(() => shown(page)).toEqual(["Sluicegate: A call waits for a person."]);
    expect(await page.title()).toBe("(1) Policy: tools · Sluicegate");
    await page.evaluate("notices[0].dispatchEvent(new Event('click'))");
    await approve(card(page, "noticed")).waitFor();
    expect(await shown(page)).toEqual([]);
    await denyAll(gateway);
    await eventually(() => page.title()).toBe("Approvals · Sluicegate");
  });

  it("isn't while they look at the page, nor after they turned it off (X28)", async () => {
    await denyAll(gateway);
    const page = await visitNoticed();
    await notifyMe(page).click();
    await eventually(() => notifyMe(page).isChecked()).toBe(true);
    await page.evaluate("notices.length = 0");
    await gateway.call(await gateway.open({ principal: "looked at" }), "send_mail", { to: "ann" });
    await approve(card(page, "looked at")).waitFor();
    await eventually(() => page.title()).toBe("(1) Approvals · Sluicegate");
    await notifyMe(page).click();
    await page.evaluate("isLookedAt = false");
    await gateway.call(await gateway.open({ principal: "turned off" }), "send_mail", { to: "ann" });
    await eventually(() => page.title()).toBe("(2) Approvals · Sluicegate");
    expect(await page.evaluate("notices.length")).toBe(0);
  });

  it("is told where their browser doesn't let the page notify (X28)", async () => {
    const page = await visitNoticed();
    await page.evaluate("nextPermission = 'denied'");
    await notifyMe(page).click();
    await page.getByText("This browser doesn't let this page notify you").waitFor();
    expect(await notifyMe(page).isChecked()).toBe(false);
  });
});

describe("the keys", () => {
  it("lead to every page, and a list of them to whoever asks (D5-console)", async () => {
    const { page } = await visitLive();
    for (const [keys, name] of [
      ["gs", "Sessions"],
      ["gp", "Policy"],
      ["ga", "Approvals"],
    ] as const) {
      for (const key of keys) await page.keyboard.press(key);
      await page.getByRole("heading", { level: 1, name }).waitFor();
    }
    await page.keyboard.press("?");
    const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await list.waitFor();
    for (const words of ["Approvals", "Sessions", "Policy"]) expect(await list.innerText()).toContain(words);
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "hidden" });
    await heading(page, "Approvals").waitFor();
  });
});
