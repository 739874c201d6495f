/** The queue of approvals as a person uses it: a request appears, is judged, is answered once, and is over. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type PathProxy, startPathProxy } from "../fixtures/path-proxy.ts";
import { useBrowser, type Visit } from "./browser.ts";
import {
  type ConsoleGateway,
  consolePolicy,
  OPERATOR_TOKEN,
  startConsoleGateway,
} from "./console-gateway.ts";
import {
  announcements,
  answersSent,
  approve,
  card,
  choose,
  connection,
  deny,
  denyAll,
  eventually,
  heading,
  reason,
  release,
  timesRan,
  untilWaiting,
  verdict,
} from "./console-page.ts";

const HELD_SECONDS = 60;
const browser = useBrowser();
let gateway: ConsoleGateway;
let proxy: PathProxy;
beforeAll(async () => {
  proxy = await startPathProxy("/teams/sluicegate");
  gateway = await startConsoleGateway({
    policy: withNotes,
    basePath: "/teams/sluicegate",
    allowHosts: [proxy.host],
  });
  proxy.passTo(Number(new URL(gateway.url).port));
});
/** With a tool of the agent's own that asks about what the user didn't name. */
const withNotes = (at: Parameters<typeof consolePolicy>[0]): string =>
  consolePolicy(at).replace(
    "tools:\n  render",
    "tools:\n  drop_note: { permissions: [write], critical: [id] }\n  render",
  );
afterEach(() => denyAll(gateway));
afterAll(async () => {
  proxy.close();
  await gateway.remove();
});

async function visit(options: object = {}): Promise<Visit> {
  const visit = await browser.visit(gateway.url, { token: OPERATOR_TOKEN, ...options });
  await connection(visit.page).getByText("Live").waitFor();
  return visit;
}

const mail = (subject: string) => ({ to: "ann@example.org", subject, body: "Good morning" });
/** Cards are told apart by whom the session works for: what was asked isn't kept once it is over. */
const openFor = (principal: string) => gateway.open({ principal });
const journalOf = async (session: { session_id: string }) =>
  (await gateway.request("GET", `/v1/session/${session.session_id}/journal`)).events;

it("is shown and answered behind a proxy, below a path of its host (D5-console)", async () => {
  const { page } = await browser.visit(`http://${proxy.host}`, {
    token: OPERATOR_TOKEN,
    path: "/teams/sluicegate/",
  });
  await connection(page).getByText("Live").waitFor();
  expect(new URL(page.url()).pathname).toBe("/teams/sluicegate/approvals");
  const session = await openFor("proxied@acme.example");
  const held = gateway.call(session, "send_mail", mail("Below a path"), HELD_SECONDS);
  await approve(card(page, "proxied@acme.example")).click();
  expect(await held).toMatchObject({ effect: "allow" });
  await page.getByRole("link", { name: "Sessions" }).click();
  await heading(page, "Sessions").waitFor();
  await page.reload();
  await heading(page, "Sessions").waitFor();
  expect(new URL(page.url()).pathname).toBe("/teams/sluicegate/sessions");
});

describe("a call that waits", () => {
  it("appears without a reload and is heard of, and a yes by key runs it once (D5-console)", async () => {
    const { page, requests } = await visit();
    await heading(page, "Approvals").waitFor();
    await page.getByText("Nothing waits for a person").waitFor();
    await page.evaluate("globalThis.loadedOnce = true");
    const session = await openFor("by-key");
    const held = gateway.call(session, "send_mail", mail("by-key"), HELD_SECONDS);
    const asked = card(page, "by-key");
    await asked.waitFor();
    await eventually(() => announcements(page).textContent()).toContain("send_mail");
    expect(timesRan(gateway, "send_mail", "by-key")).toBe(0);
    await choose(page, asked);
    await page.keyboard.press("a");
    expect(await held).toMatchObject({ effect: "allow" });
    await verdict(asked, "Approved by operator, in the console").waitFor();
    expect(timesRan(gateway, "send_mail", "by-key")).toBe(1);
    expect(answersSent(requests)).toHaveLength(1);
    expect(await page.evaluate("globalThis.loadedOnce")).toBe(true);
    const answered = (await journalOf(session)).find(({ kind }: any) => kind === "approval-answered");
    expect(answered.data).toMatchObject({ answer: "approved", by: "operator", via: "console" });
  });

  it("is denied by key with a reason, which the journal keeps and the agent never sees (D5-console)", async () => {
    const { page } = await visit();
    const session = await openFor("never-sent");
    const held = gateway.call(session, "send_mail", mail("never-sent"), HELD_SECONDS);
    const asked = card(page, "never-sent");
    await choose(page, asked);
    await page.keyboard.press("d");
    await reason(asked).waitFor();
    await page.keyboard.press("Escape");
    await reason(asked).waitFor({ state: "hidden" });
    await page.keyboard.press("d");
    await reason(asked).waitFor();
    // The letters of the reason are text here, and no keys.
    await page.keyboard.type("a bad address, ask ann");
    await page.keyboard.press("Enter");
    const answer = await held;
    expect(answer).toMatchObject({ effect: "deny", reasons: [{ code: "approval-denied" }] });
    expect(JSON.stringify(answer)).not.toContain("bad address");
    await verdict(asked, "Denied by operator").waitFor();
    expect(timesRan(gateway, "send_mail", "never-sent")).toBe(0);
    const answered = (await journalOf(session)).find(({ kind }: any) => kind === "approval-answered");
    expect(answered.data).toMatchObject({ answer: "denied", why: "a bad address, ask ann" });
  });

  it("can be approved and denied with a pointer too, and Deny takes two steps (D5-console)", async () => {
    const { page } = await visit({ width: 360, height: 740, touch: true });
    const session = await openFor("by-thumb");
    const held = gateway.call(session, "send_mail", mail("by-thumb"), HELD_SECONDS);
    const asked = card(page, "by-thumb");
    await deny(asked).tap();
    await asked.getByRole("button", { name: "Deny this call", exact: true }).tap();
    expect(await held).toMatchObject({ effect: "deny" });
  });

  it("runs once where Approve is clicked twice (D5-console)", async () => {
    const { page, requests } = await visit();
    const session = await openFor("double-click");
    const held = gateway.call(session, "send_mail", mail("double-click"), HELD_SECONDS);
    const asked = card(page, "double-click");
    await approve(asked).dblclick();
    expect(await held).toMatchObject({ effect: "allow" });
    await verdict(asked, "Approved by operator").waitFor();
    expect(timesRan(gateway, "send_mail", "double-click")).toBe(1);
    expect(answersSent(requests)).toHaveLength(1);
  });

  it("says when it has expired, and can't be answered any more (D5-console)", async () => {
    const brief = await startConsoleGateway({
      policy: (servers) => `${consolePolicy(servers)}approvals: { expires: 3s }\n`,
    });
    try {
      const { page, context } = await browser.visit(brief.url, { token: OPERATOR_TOKEN });
      await brief.call(await brief.open({ principal: "too-late" }), "send_mail", mail("too-late"));
      const asked = card(page, "too-late");
      await approve(asked).waitFor();
      await verdict(asked, /^Expired/).waitFor();
      expect(await approve(asked).count()).toBe(0);
      expect(timesRan(brief, "send_mail", "too-late")).toBe(0);
      await context.close();
    } finally {
      await brief.remove();
    }
  });
});

describe("two people", () => {
  it("see each other's decisions at once (D5-console)", async () => {
    const [one, other] = [await visit(), await visit()];
    await gateway.call(await openFor("seen-by-two"), "send_mail", mail("seen-by-two"));
    await approve(card(other.page, "seen-by-two")).waitFor();
    await approve(card(one.page, "seen-by-two")).click();
    await verdict(card(other.page, "seen-by-two"), "Approved by operator, in the console").waitFor();
    expect(await approve(card(other.page, "seen-by-two")).count()).toBe(0);
  });

  it("have one winner, and the other is told who it was (D5-console)", async () => {
    const [winner, loser] = [await visit(), await visit()];
    loser.expectProblems(/409/);
    const session = await openFor("one-winner");
    const held = gateway.call(session, "send_mail", mail("one-winner"), HELD_SECONDS);
    const decided = Promise.withResolvers<void>();
    // The other's answer is on its way, and arrives when it has been decided.
    await loser.page.route("**/v1/approvals/*/deny", async (route) => {
      await decided.promise;
      await route.continue();
    });
    const lost = card(loser.page, "one-winner");
    await deny(lost).click();
    await lost.getByRole("button", { name: "Deny this call", exact: true }).click();
    await approve(card(winner.page, "one-winner")).click();
    expect(await held).toMatchObject({ effect: "allow" });
    decided.resolve();
    await verdict(lost, "Approved by operator, in the console").waitFor();
    await loser.page
      .getByText(/(?:answered|approved|decided) (?:already|before|first|elsewhere|in the)/i)
      .first()
      .waitFor();
    expect(timesRan(gateway, "send_mail", "one-winner")).toBe(1);
  });
});

describe("what a card shows", () => {
  it("is who asks for what, why, what the session holds and where that came from, until when (D7-console)", async () => {
    const { page } = await visit();
    const session = await openFor("grace-hopper");
    await gateway.call(session, "search_email", { id: "first" });
    await gateway.call(session, "send_mail", mail("All of it"));
    const asked = card(page, "grace-hopper");
    await approve(asked).waitFor();
    const [waiting] = await untilWaiting(gateway, session);
    const text = await asked.innerText();
    // Names stand out as code does, not between backticks.
    for (const part of [
      "send_mail",
      "grace",
      "ann@example.org",
      "Good morning",
      waiting.what,
      ...waiting.why,
    ])
      expect(text).toContain(part.replaceAll("`", ""));
    expect(text).toMatch(/search_email/);
    expect(text).toMatch(/internal/);
    expect(text).toMatch(/untrusted/);
    await asked.getByRole("img").first().waitFor();
    const pictures = await asked.ariaSnapshot();
    expect(pictures).toMatch(/img "[^"]*internal[^"]*"/);
    expect(text).toMatch(/\b(?:59|60) min|1 h|an hour/);
  });

  it("is the change that a write would make, which then is made as it was shown (D7-console)", async () => {
    const { page } = await visit();
    const session = await openFor("a-write");
    const content = "export const rate = 0.07;\nexport const currency = 'EUR';\n";
    const held = gateway.call(session, "Write", { file_path: "price.ts", content }, HELD_SECONDS);
    const asked = card(page, "a-write");
    await approve(asked).waitFor();
    // What is far down is laid out only when it comes into view.
    const text = (await asked.textContent()) ?? "";
    expect(text).toContain("export const rate = 0.19;");
    expect(text).toContain("export const rate = 0.07;");
    expect(text).toContain(join(gateway.folder, "price.ts"));
    await approve(asked).click();
    expect(await held).toMatchObject({ effect: "allow" });
    expect(readFileSync(join(gateway.folder, "price.ts"), "utf8")).toBe(content);
  });

  it("says of a release that it is one, and what it lets out (D7-console)", async () => {
    const { page } = await visit();
    const session = await openFor("let-out");
    await gateway.call(session, "search_email", { id: "second" });
    const held = gateway.call(session, "slack_post", { channel: "general", text: "let-out" }, HELD_SECONDS);
    const asked = card(page, "let-out");
    await release(asked).waitFor();
    expect(await approve(asked).count()).toBe(0);
    expect(await asked.innerText()).toMatch(/release/i);
    await release(asked).click();
    expect(await held).toMatchObject({ effect: "allow" });
    expect(timesRan(gateway, "slack_post", "let-out")).toBe(1);
    const admitted = (await journalOf(session)).filter(({ data }: any) => data.release === true);
    expect(admitted.map(({ kind }: any) => kind)).toContain("call-admitted");
  });

  it("leads from a value that the user didn't say to the call that it first came with (X5, D7-console)", async () => {
    const { page } = await visit();
    const session = await openFor("came-with");
    const { result } = await gateway.call(session, "search_email", { id: "note-77" });
    expect(JSON.stringify(result)).toContain("note-77");
    await gateway.decide(session, "drop_note", { id: "note-77" });
    const asked = card(page, "came-with");
    await asked.getByText("note-77 in id first appeared in the result of search_email").waitFor();
    await asked.getByRole("link", { name: "call 1 search_email" }).click();
    await page.waitForURL(/\/sessions\/.*#call-1$/);
    await page.getByRole("link", { name: "call 1 search_email" }).first().waitFor();
    await page.getByText("first brought in the value of id (untrusted)").waitFor();
  });

  it("is a call that the agent runs itself, too (D5-console)", async () => {
    const { page } = await visit();
    const session = await openFor("own-run");
    const held = gateway.decide(session, "wire_transfer", { amount: 5000, to: "own-run" }, HELD_SECONDS);
    const asked = card(page, "own-run");
    await approve(asked).click();
    expect(await held).toMatchObject({ effect: "allow" });
  });

  it("says what of the session's data is the agent's own report (D7-console, X14)", async () => {
    const { page } = await visit();
    const session = await openFor("own-report");
    const { call_id } = await gateway.decide(session, "wire_transfer", { amount: 5, to: "own-report" });
    const report = { call_id, label: { level: "internal" }, dataset: "search_docs" };
    await gateway.request("POST", `/v1/session/${session.session_id}/report`, report);
    await gateway.call(session, "send_mail", mail("Own report"));
    const asked = card(page, "own-report");
    await asked.getByText("reported by the agent, who calls it “search_docs”").waitFor();
  });

  it("is one call of a session at a time, oldest first, and how many wait behind it (D5-console)", async () => {
    const { page } = await visit();
    const [first, second] = [await openFor("queue-a"), await openFor("queue-b")];
    await gateway.call(first, "send_mail", mail("Queue A1"));
    await gateway.call(second, "send_mail", mail("Queue B1"));
    await gateway.call(first, "send_mail", mail("Queue A2"));
    await approve(card(page, "queue-b")).waitFor();
    const waiting = page.getByRole("article").filter({ hasText: /Queue .\d/ });
    const subjects = async () => (await waiting.allInnerTexts()).map((text) => /Queue .\d/.exec(text)?.[0]);
    await eventually(subjects).toEqual(["Queue A1", "Queue B1"]);
    await eventually(() => card(page, "Queue A1").innerText()).toMatch(/1 more/);
    await approve(card(page, "Queue A1")).click();
    await approve(card(page, "Queue A2")).waitFor();
  });

  it("has a link of its own, while it waits and when it is over (D5-console)", async () => {
    const session = await openFor("linked-to");
    await gateway.call(session, "send_mail", mail("linked-to"));
    const [{ id }] = await untilWaiting(gateway, session);
    const { page } = await visit({ path: `/approvals/${id}` });
    await approve(card(page, "linked-to")).click();
    await page.getByText("Approved by operator, in the console").first().waitFor();
    await page.reload();
    await page.getByText("Approved by operator, in the console").first().waitFor();
    expect(await page.getByRole("button", { name: "Approve", exact: true }).count()).toBe(0);
  });
});

describe("what counts as shown", () => {
  it("is what a person had before them: no other page, and no other approval's link (D5-console)", async () => {
    const [one, other] = [await openFor("shown"), await openFor("not-shown")];
    const asked = await gateway.call(one, "send_mail", mail("shown"));
    await gateway.call(other, "send_mail", mail("not-shown"));
    const { page } = await visit({ path: "/policy" });
    await page.getByRole("navigation", { name: "Main" }).getByText("waiting").waitFor();
    await page.goto(`${gateway.url}/approvals/${asked.approval.id}`);
    await approve(card(page, "shown")).waitFor();
    const kindsOf = async (session: { session_id: string }): Promise<string[]> =>
      (await journalOf(session)).map(({ kind }: { kind: string }) => kind);
    expect(await kindsOf(one)).toContain("approval-shown");
    expect(await kindsOf(other)).not.toContain("approval-shown");
  });
});

describe("an answer", () => {
  it("is never what has the focus by itself, nor does Approve lie beside Deny for a thumb (D5-console)", async () => {
    const { page } = await visit({ width: 360, height: 740 });
    await gateway.call(await openFor("for-a-thumb"), "send_mail", mail("for-a-thumb"));
    const asked = card(page, "for-a-thumb");
    await approve(asked).waitFor();
    const focused: string = await page.evaluate("document.activeElement?.textContent ?? ''");
    expect(["Approve", "Deny"]).not.toContain(focused.trim());
    const [yes, no] = [await approve(asked).boundingBox(), await deny(asked).boundingBox()];
    if (yes === null || no === null) throw new Error("The buttons aren't to be seen.");
    const across = Math.max(yes.x - (no.x + no.width), no.x - (yes.x + yes.width));
    const down = Math.max(yes.y - (no.y + no.height), no.y - (yes.y + yes.height));
    expect(Math.max(across, down)).toBeGreaterThanOrEqual(40);
    for (const { height, width } of [yes, no]) expect(Math.min(height, width)).toBeGreaterThanOrEqual(40);
  });

  it("needs a card that was chosen: a key before that answers nothing (D5-console)", async () => {
    const session = await openFor("not-chosen");
    await gateway.call(session, "send_mail", mail("not-chosen"));
    const { page, requests } = await visit();
    await approve(card(page, "not-chosen")).waitFor();
    await page.keyboard.press("x");
    await page.keyboard.press("Enter");
    await page.keyboard.press(" ");
    expect(answersSent(requests)).toEqual([]);
    expect(await untilWaiting(gateway, session)).toHaveLength(1);
  });
});
