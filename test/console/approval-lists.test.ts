import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
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
  denyAll,
  eventually,
  untilWaiting,
  verdict,
} from "./console-page.ts";

const HELD_SECONDS = 60;
const browser = useBrowser();
let gateway: ConsoleGateway;
/** Milliseconds that tests let pass. They only grow: a clock that went back would have the gateway refuse requests. */
let passed = 0;
beforeAll(async () => {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + passed);
  gateway = await startConsoleGateway({ policy: withNotes });
});
/** With a tool of the agent's own that asks about what the user didn't name. */
const withNotes = (at: Parameters<typeof consolePolicy>[0]): string =>
  consolePolicy(at).replace(
    "tools:\n  render",
    "tools:\n  drop_note: { permissions: [write], critical: [id] }\n  render",
  );
afterEach(() => denyAll(gateway));
afterAll(async () => {
  vi.restoreAllMocks();
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

it("are followed by what an agent said on a refused call, which is in its session's timeline too (X24)", async () => {
  const session = await openFor("appealing");
  await gateway.call(session, "read_customers", {});
  const { call_id } = await gateway.call(session, "github_create_pr", {});
  const { page } = await visit();
  const text = "The user asked for <b>exactly</b> this.";
  await gateway.request("POST", `/v1/session/${session.session_id}/appeal`, { call_id, text });
  const appeals = page.getByRole("region", { name: "Appeals against refusals" });
  await appeals.getByText(text).waitFor();
  await appeals.getByRole("link", { name: "appealing" }).click();
  await page.getByText("The agent appealed the refusal of").waitFor();
  await page.getByText(text).waitFor();
});

it("are followed by standing approvals in words, with their uses, which a person revokes (X19)", async () => {
  const session = await openFor("standing-mail");
  const first = await gateway.call(session, "send_mail", mail("standing"));
  const standing = { arguments: { subject: { any: true } }, count: 3 };
  await gateway.request("POST", `/v1/approvals/${first.approval.id}/approve`, { standing });
  const { page } = await visit();
  const list = page.getByRole("region", { name: "Standing approvals" });
  await list.getByText("Calls of `mcp__outside__send_mail` for session").waitFor();
  await list.getByText("`subject` is anything").waitFor();
  await list.getByText("0 of 3 calls used").waitFor();
  await gateway.call(session, "send_mail", mail("standing"));
  await gateway.call(session, "send_mail", mail("another subject"));
  await list.getByText("1 of 3 calls used").waitFor();
  await list.getByRole("button", { name: "Revoke the standing approval of mcp__outside__send_mail" }).click();
  await list.waitFor({ state: "hidden" });
  expect(await gateway.call(session, "send_mail", mail("a third"))).toMatchObject({ effect: "ask" });
  expect(await gateway.request("GET", "/v1/standing-approvals")).toEqual({ standing_approvals: [] });
});

it("are approved with calls like it, in the words that were shown before (X19)", async () => {
  const session = await openFor("like-this");
  const held = gateway.call(session, "send_mail", mail("like-this"), HELD_SECONDS);
  const { page, expectProblems } = await visit();
  // A rule that doesn't fit is refused before anything is sent.
  expectProblems(/409/);
  const asked = card(page, "like-this");
  await choose(page, asked);
  await page.keyboard.press("s");
  const form = asked.getByRole("form", { name: "Approve this call, and calls like it" });
  const words = form.getByRole("status");
  await words.getByText('`subject` is "like-this"').waitFor();
  await form.getByLabel("subject", { exact: true }).selectOption("one of these, a line each");
  await form.getByRole("textbox", { name: "subject" }).fill("Monday");
  await form.getByRole("alert").getByText("The call that is approved doesn't fit it.").waitFor();
  await form.getByRole("textbox", { name: "subject" }).fill("like-this\nMonday");
  await form.getByLabel("Calls at most").fill("5");
  await words.getByText("5 at most").waitFor();
  const shown = await words.innerText();
  expect(shown).toContain('`subject` is one of "like-this", "Monday"');
  await form.getByRole("button", { name: "Approve this, and calls like it" }).click();
  expect(await held).toMatchObject({ effect: "allow" });
  await page.getByRole("region", { name: "Standing approvals" }).getByText(shown).waitFor();
  expect(await gateway.call(session, "send_mail", { ...mail("like-this"), subject: "Monday" })).toMatchObject(
    {
      effect: "allow",
    },
  );
  expect(await gateway.call(session, "send_mail", { ...mail("like-this"), subject: "Friday" })).toMatchObject(
    {
      effect: "ask",
    },
  );
  const { standing_approvals: given } = await gateway.request("GET", "/v1/standing-approvals");
  for (const { id } of given) await gateway.request("DELETE", `/v1/standing-approvals/${id}`);
});

it("are proposed to be approved with calls like them after three, and given by one key (X19)", async () => {
  const session = await openFor("three-times");
  for (const subject of ["one", "two", "three"]) {
    const { approval } = await gateway.call(session, "send_mail", { ...mail("mail"), subject });
    await gateway.request("POST", `/v1/approvals/${approval.id}/approve`, {});
    await gateway.call(session, "send_mail", { ...mail("mail"), subject });
  }
  const held = gateway.call(session, "send_mail", { ...mail("mail"), subject: "two" }, HELD_SECONDS);
  const { page } = await visit();
  const asked = card(page, "three-times");
  await asked.getByRole("heading", { name: "Calls like it were approved three times" }).waitFor();
  await asked.getByText('`subject` is one of "one", "two", "three"').waitFor();
  await choose(page, asked);
  await page.keyboard.press("S");
  expect(await held).toMatchObject({ effect: "allow" });
  const again = { ...mail("mail"), subject: "one" };
  expect(await gateway.call(session, "send_mail", again)).toMatchObject({ effect: "allow" });
  const { standing_approvals: given } = await gateway.request("GET", "/v1/standing-approvals");
  expect(given).toMatchObject([{ arguments: { to: { equals: "ann@example.org" } }, used: 1 }]);
  for (const { id } of given) await gateway.request("DELETE", `/v1/standing-approvals/${id}`);
});

it("are answered together where they are alike, once each is shown with its arguments (X19)", async () => {
  const session = await openFor("alike");
  const held = ["first", "second", "third"].map((subject) =>
    gateway.call(session, "send_mail", { ...mail("alike"), subject: `Alike ${subject}` }, HELD_SECONDS),
  );
  await untilWaiting(gateway, session, 3);
  const other = await openFor("unlike");
  await gateway.call(other, "send_mail", mail("unlike"));
  const { page, requests } = await visit();
  const asked = card(page, "2 more of this session");
  await choose(page, asked);
  await page.keyboard.press("t");
  const form = asked.getByRole("form", { name: "This call, and those like it" });
  await eventually(() => form.getByRole("listitem").filter({ hasText: /Alike/ }).count()).toBe(2);
  const text = await asked.innerText();
  for (const subject of ["first", "second", "third"]) expect(text).toContain(`Alike ${subject}`);
  await form.getByRole("button", { name: "Deny all 3" }).waitFor();
  await form.getByRole("button", { name: "Approve all 3" }).click();
  for (const answer of await Promise.all(held)) expect(answer).toMatchObject({ effect: "allow" });
  await eventually(() => announcements(page).textContent()).toContain("3 of 3 calls approved.");
  expect(answersSent(requests)).toHaveLength(3);
  const events = await journalOf(session);
  expect(events.filter(({ kind }: any) => kind === "approval-answered")).toHaveLength(3);
  expect(await untilWaiting(gateway, other)).toHaveLength(1);
});

it("are marked where their caller has gone, and denied with one click (D5-queue)", async () => {
  // A gateway of its own, where no other calls wait.
  const own = await startConsoleGateway();
  const [left, here] = [await own.open({ principal: "has-left" }), await own.open({ principal: "is-here" })];
  await own.call(left, "send_mail", mail("has-left"));
  await own.call(left, "slack_post", { channel: "general", text: "has-left" });
  await own.call(left, "send_mail", mail("has-left too"));
  passed += 61_000;
  try {
    const held = own.call(here, "send_mail", mail("is-here"), HELD_SECONDS);
    await untilWaiting(own, here);
    const { page, context } = await browser.visit(own.url, { token: OPERATOR_TOKEN });
    await card(page, "has-left").getByText("its caller has gone").waitFor();
    const names = await page.getByRole("article").allInnerTexts();
    expect(names.map((text) => /is-here|has-left/.exec(text)?.[0])).toEqual(["is-here", "has-left"]);
    await page.getByRole("button", { name: "Deny all whose caller has gone" }).click();
    await verdict(card(page, "has-left"), "Denied by operator, in the console").waitFor();
    await eventually(() => announcements(page).textContent()).toContain("2 calls denied");
    await approve(card(page, "is-here")).click();
    expect(await held).toMatchObject({ effect: "allow" });
    const { events } = await own.request("GET", `/v1/session/${left.session_id}/journal`);
    const answered = events.filter(({ kind }: any) => kind === "approval-answered");
    await context.close();
    expect(answered).toMatchObject([1, 2].map(() => ({ data: { why: "Its caller has gone." } })));
  } finally {
    await own.remove();
  }
});

it("appears on its page by itself when it is its turn, which comes without an event (D5-console)", async () => {
  const session = await openFor("two-mails");
  const { approval } = await gateway.call(session, "send_mail", mail("spring"));
  passed += 40_000;
  await gateway.call(session, "send_mail", mail("autumn"));
  passed += 40_000;
  // The caller of the first one has been gone for a minute by now.
  const { page, requests } = await visit({ path: `/approvals/${approval.id}` });
  await page.getByRole("article", { name: "It waits behind another one" }).waitFor();
  // What the beginning of the event stream has it ask anew is asked by then.
  let asked = 0;
  const askedSince = (): number => {
    const before = asked;
    asked = requests.length;
    return asked - before;
  };
  await expect.poll(askedSince, { interval: 500 }).toBe(0);
  passed += 40_000;
  await card(page, "spring").waitFor();
});

it.each([
  ["in the list", () => "/approvals"],
  ["on its page", (id: string) => `/approvals/${id}`],
])("are said to come later %s where another call of their session comes first now (D5-console)", async (_, path) => {
  const session = await openFor("two-mails");
  const { approval } = await gateway.call(session, "send_mail", mail("spring"));
  const { page } = await visit({ path: path(approval.id) });
  const spring = card(page, "spring");
  await spring.waitFor();
  passed += 40_000;
  await gateway.call(session, "send_mail", mail("autumn"));
  // The caller of the first one has been gone for a minute by now.
  passed += 30_000;
  await gateway.call(await openFor("another"), "send_mail", mail("winter"));
  await spring.getByText("another call of its session comes first").waitFor();
  expect(await approve(spring).getAttribute("aria-disabled")).toBe("true");
  passed += 40_000;
  await gateway.call(await openFor("another"), "send_mail", mail("winter"));
  await spring.getByText("another call of its session comes first").waitFor({ state: "detached" });
  await spring.waitFor();
});
