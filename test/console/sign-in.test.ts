/** Signing in and out: the token is the operator's, and is nowhere but where the browser keeps it. */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openVisit, useBrowser } from "./browser.ts";
import { launchChromium } from "./chromium.ts";
import {
  type ConsoleGateway,
  consolePolicy,
  OPERATOR_TOKEN,
  startConsoleGateway,
} from "./console-gateway.ts";
import { announcements, approve, card, eventually, heading, untilWaiting, verdict } from "./console-page.ts";

const tokenOf = (name: string): string => `${name}-token-of-this-test`;
const principal = (name: string, rights: string): string =>
  `    ${name}: { token: "sha256:${createHash("sha256").update(tokenOf(name)).digest("hex")}", rights: [${rights}] }\n`;
const IDENTITIES = `identities:
  principals:
${principal("ada", "approve, look")}${principal("lou", "look")}${principal("cyd", "use")}`;

const browser = useBrowser();
let gateway: ConsoleGateway;
beforeAll(async () => {
  gateway = await startConsoleGateway({ policy: (at) => `${consolePolicy(at)}${IDENTITIES}` });
});
afterAll(() => gateway.remove());

/** A password has no role, but a name. */
const field = (page: Page) => page.getByLabel("Operator's token");
const signIn = (page: Page) => page.getByRole("button", { name: "Sign in", exact: true });
/** Everything of a page that may be looked at, copied or sent on. */
const shownBy = async (page: Page): Promise<string> =>
  [
    page.url(),
    await page.title(),
    await page.content(),
    await page.evaluate("JSON.stringify(history.state)"),
  ].join("\n");

describe("the operator's token", () => {
  it("signs in from the address's fragment, and is taken out of it at once (D5-console, X14)", async () => {
    const { page } = await browser.visit(gateway.url, { token: OPERATOR_TOKEN });
    await heading(page, "Approvals").waitFor();
    expect(await shownBy(page)).not.toContain(OPERATOR_TOKEN);
    expect(new URL(page.url())).toMatchObject({ pathname: "/approvals", hash: "", search: "" });
    await page.goBack();
    expect(page.url()).not.toContain(OPERATOR_TOKEN);
  });

  it("is taken out of the address of a page that is open already, too (X14)", async () => {
    const { page } = await browser.visit(gateway.url, { token: OPERATOR_TOKEN });
    await heading(page, "Approvals").waitFor();
    await page.goto(`${page.url()}#token=${OPERATOR_TOKEN}`);
    await eventually(() => page.url()).not.toContain("token");
  });

  it("signs in to the page that was asked for (D5-console)", async () => {
    const { page } = await browser.visit(gateway.url, { token: OPERATOR_TOKEN, path: "/policy/flows" });
    await page.getByRole("table", { name: "Flows" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/policy/flows");
  });

  it("is typed into a field that doesn't show it, with Enter (X14)", async () => {
    const { page } = await browser.visit(gateway.url);
    await field(page).fill(OPERATOR_TOKEN);
    expect(await field(page).getAttribute("type")).toBe("password");
    expect(await page.getByRole("navigation", { name: "Main" }).count()).toBe(0);
    await page.keyboard.press("Enter");
    await heading(page, "Approvals").waitFor();
    expect(await shownBy(page)).not.toContain(OPERATOR_TOKEN);
  });

  it("that isn't known is refused with words, and nothing is kept of it (X14)", async () => {
    const visit = await browser.visit(gateway.url);
    const { page } = visit;
    visit.expectProblems(/401/);
    const wrong = OPERATOR_TOKEN.replace("0f", "f0");
    for (const given of [wrong, "short", "zażółć \u{1F511}"]) {
      await field(page).fill(given);
      await signIn(page).click();
      await page
        .getByRole("alert")
        .getByText(/not known/)
        .waitFor();
      expect(
        await page.evaluate("JSON.stringify([{ ...sessionStorage }, { ...localStorage }])"),
      ).not.toContain(given);
    }
  }, 30_000);

  it("of a session is refused as one, in the field and in the address (X14)", async () => {
    const { session_token } = await gateway.open();
    const typed = await browser.visit(gateway.url);
    typed.expectProblems(/403/);
    await field(typed.page).fill(session_token);
    await signIn(typed.page).click();
    await typed.page
      .getByText(/session's token/)
      .first()
      .waitFor();
    expect(await typed.page.getByRole("navigation", { name: "Main" }).count()).toBe(0);
    const linked = await browser.visit(gateway.url, { token: session_token });
    linked.expectProblems(/40[13]/);
    await signIn(linked.page).waitFor();
    expect(await shownBy(linked.page)).not.toContain(session_token);
  });

  it("is forgotten by signing out: no storage has it, and going back shows nothing (X14)", async () => {
    const session = await gateway.open({ principal: "Somebody's secret" });
    await gateway.call(session, "send_mail", { to: "ann@example.org" });
    const { page } = await browser.visit(gateway.url, { token: OPERATOR_TOKEN });
    await page.getByText("Somebody's secret").first().waitFor();
    await gateway.call(await gateway.open({ principal: "Announced" }), "send_mail", {
      to: "bob@example.org",
    });
    await announcements(page).getByText("Announced").waitFor({ state: "attached" });
    await page
      .getByRole("navigation", { name: "Main" })
      .getByRole("link", { name: /^Policy/ })
      .click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await signIn(page).waitFor();
    expect(await page.evaluate("JSON.stringify([{ ...sessionStorage }, { ...localStorage }])")).not.toContain(
      OPERATOR_TOKEN,
    );
    const left = `${await page.title()} ${await page.locator("body").textContent()}`;
    expect(left).not.toMatch(/Announced|waits|\(\d/);
    await page.goBack();
    await signIn(page).waitFor();
    expect(await page.getByText("Somebody's secret").count()).toBe(0);
    await page.reload();
    await signIn(page).waitFor();
  });

  it("stays in its tab, unless the person wants it to stay on the device (X14)", async () => {
    const once = await browser.visit(gateway.url, { token: OPERATOR_TOKEN });
    await heading(once.page, "Approvals").waitFor();
    await signIn(await once.openTab("/approvals")).waitFor();
    const kept = await browser.visit(gateway.url);
    await field(kept.page).fill(OPERATOR_TOKEN);
    await kept.page.getByRole("checkbox", { name: "Stay signed in on this device" }).check();
    await signIn(kept.page).click();
    await heading(kept.page, "Approvals").waitFor();
    await heading(await kept.openTab("/approvals"), "Approvals").waitFor();
  });

  it("of the device outlives a link with another one, and is forgotten in every tab at once (X14)", async () => {
    const visit = await browser.visit(gateway.url);
    visit.expectProblems(/401/);
    await field(visit.page).fill(OPERATOR_TOKEN);
    await visit.page.getByRole("checkbox", { name: "Stay signed in on this device" }).check();
    await signIn(visit.page).click();
    await heading(visit.page, "Approvals").waitFor();
    for (const token of ["wrong", "%zz", "%C4%80", "wrong&more"]) {
      const linked = await visit.openTab(`/policy#token=${token}`);
      await linked.getByRole("table", { name: "Tools" }).waitFor();
      expect(linked.url()).not.toContain("token");
    }
    const [, linked] = visit.context.pages();
    await visit.page.getByRole("button", { name: "Sign out" }).click();
    await signIn(visit.page).waitFor();
    if (linked) await signIn(linked).waitFor();
  }, 30_000);

  it("is asked for anew where the gateway has another one now (X14)", async () => {
    const visit = await browser.visit(gateway.url, { token: OPERATOR_TOKEN });
    await heading(visit.page, "Approvals").waitFor();
    visit.expectProblems(/401/);
    await visit.page.route("**/v1/**", (route) => {
      const headers = { ...route.request().headers(), authorization: "Bearer of-another-time" };
      return route.continue({ headers });
    });
    const sessions = visit.page
      .getByRole("navigation", { name: "Main" })
      .getByRole("link", { name: /^Sessions/ });
    // The page may ask the gateway by itself before the click gets there; then the link is gone.
    await Promise.race([sessions.click().catch(() => undefined), signIn(visit.page).waitFor()]);
    await signIn(visit.page).waitFor();
  });
});

describe("a page of somebody else in the same browser", () => {
  it("can't answer, though the operator is signed in beside it (X14)", async () => {
    const session = await gateway.open();
    await gateway.call(session, "send_mail", { to: "ann@example.org" });
    const [{ id }] = await untilWaiting(gateway, session);
    const target = `${gateway.url}/v1/approvals/${id}/approve`;
    const visit = await browser.visit(gateway.url, { token: OPERATOR_TOKEN });
    await heading(visit.page, "Approvals").waitFor();
    visit.expectProblems(/foreign address|Failed to load resource|CORS|policy/);
    const foreign = createServer((_, reply) => {
      reply.setHeader("content-type", "text/html");
      reply.end(`<title>elsewhere</title><form method=post action="${target}"><button>Win</button></form>`);
    }).listen(0, "127.0.0.1");
    try {
      const page = await visit.context.newPage();
      await page.goto(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`);
      const attempt = `fetch("${target}", { method: "POST", mode: "no-cors", body: "{}" }).then(({ type }) => type, String)`;
      await page.evaluate(attempt);
      await page.getByRole("button", { name: "Win" }).click();
      await page.waitForLoadState();
      expect((await page.content()).includes("approved")).toBe(false);
    } finally {
      foreign.close();
    }
    expect(await untilWaiting(gateway, session)).toHaveLength(1);
  });
});

describe("a principal's token", () => {
  it("shows whose it is, and lets approve who has the right (D5-console)", async () => {
    const session = await gateway.open({ principal: "bob" });
    await gateway.decide(session, "wire_transfer", { amount: 5000 });
    await untilWaiting(gateway, session);
    const { page } = await browser.visit(gateway.url, { token: tokenOf("ada") });
    await page.getByText("Signed in as ada").waitFor();
    await page.getByRole("button", { name: "Approve", exact: true }).first().waitFor();
    const looking = await browser.visit(gateway.url, { token: tokenOf("lou") });
    await looking.page.getByText("Your token lets you look at approvals").first().waitFor();
    expect(await looking.page.getByRole("button", { name: /^(Approve|Deny|Yes)/ }).count()).toBe(0);
  });

  it("is one of three in two browsers: one looks, one approves, and the operator sees who did (X16)", async () => {
    const session = await gateway.open({ principal: "dee" });
    const held = gateway.decide(session, "wire_transfer", { amount: 7000 }, 60);
    await untilWaiting(gateway, session);
    const second = await launchChromium();
    try {
      const lou = await browser.visit(gateway.url, { token: tokenOf("lou") });
      const ada = await browser.visit(gateway.url, { token: tokenOf("ada") });
      const operator = await openVisit(second, gateway.url, {});
      await operator.page.goto(`${gateway.url}/#token=${OPERATOR_TOKEN}`);
      const cards = [lou, ada, operator].map(({ page }) => card(page, "dee"));
      for (const one of cards) await one.waitFor();
      const buttons = cards.map((one) => approve(one).count());
      expect(await Promise.all(buttons)).toEqual([0, 1, 1]);
      await approve(card(ada.page, "dee")).click();
      for (const one of cards) await verdict(one, "Approved by ada, in the console").waitFor();
      expect(await held).toMatchObject({ effect: "allow" });
      expect(operator.problems()).toEqual([]);
    } finally {
      await second.close();
    }
  });

  it("that shows nothing here is refused with words", async () => {
    const { page } = await browser.visit(gateway.url);
    await field(page).fill(tokenOf("cyd"));
    await signIn(page).click();
    await page.getByText("may neither look nor approve").waitFor();
  });
});
