/** Whatever a model, a tool or a server wrote is shown as text, with what can't be seen made visible. */
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { useBrowser, type Visit } from "./browser.ts";
import { type ConsoleGateway, OPERATOR_TOKEN, startConsoleGateway } from "./console-gateway.ts";
import { answersSent, approve, card, connection, denyAll, eventually } from "./console-page.ts";

const HELD_SECONDS = 60;
const browser = useBrowser();
let gateway: ConsoleGateway;
beforeAll(async () => {
  gateway = await startConsoleGateway();
});
afterEach(() => denyAll(gateway));
afterAll(() => gateway.remove());

async function visit(): Promise<Visit> {
  const visit = await browser.visit(gateway.url, { token: OPERATOR_TOKEN });
  await connection(visit.page).getByText("Live").waitFor();
  return visit;
}

/** Values with what must be read of them. */
const VALUES: readonly [what: string, value: string, seen: RegExp][] = [
  ["an image", `<img src=x onerror="globalThis.ran=1">`, /<img src=x onerror="globalThis\.ran=1">/],
  ["a script", "</pre><script>globalThis.ran=1</script>", /<\/pre><script>globalThis\.ran=1<\/script>/],
  ["a drawing", "<svg onload=globalThis.ran=1><a href=/>go</a></svg>", /<svg onload=globalThis\.ran=1>/],
  ["a script's address", "javascript:globalThis.ran=1", /javascript:globalThis\.ran=1/],
  ["a link in Markdown", "[safe](javascript:globalThis.ran=1)", /\[safe\]\(javascript:globalThis\.ran=1\)/],
  ["an address", "https://example.org/?q=secret", /https:\/\/example\.org\/\?q=secret/],
  ["an order to turn around", "invoice\u202Efdp.exe", /202e/i],
  ["an isolate", "a\u2066b\u2069c", /2066[\s\S]*2069/],
  ["a space of no width", "pay\u200Bpal.com", /200b/i],
  ["a byte order mark", "pay\uFEFFpal", /feff/i],
  ["an escape of a terminal", "\u001B[31mred\u001B[0m", /(?:1b|␛|ESC)[\s\S]*\[31m/i],
  ["a zero byte", "a\u0000b", /(?:0000|U\+0|\\0|␀|NUL)/],
  ["a tag of no glyph", "hi\u{E0041}\u{E0042}", /e0041/i],
  ["a soft hyphen", "pass\u00ADword", /00ad/i],
];
/** What would not be seen, or would move what is. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}]/u;

describe("a value of a call that waits", () => {
  it.each(VALUES)("is text where it is %s (D7-console, X14)", async (what, value, seen) => {
    const { page } = await visit();
    const session = await gateway.open({ principal: `For ${what}!` });
    await gateway.call(session, "send_mail", { to: what, body: value, [value]: "as a name" });
    const asked = card(page, `For ${what}!`);
    await approve(asked).waitFor();
    const text = (await asked.textContent()) ?? "";
    expect(text).toMatch(seen);
    expect(UNSEEN.exec(text)).toBeNull();
    expect(await page.evaluate("globalThis.ran")).toBeUndefined();
    expect(await asked.locator("img, script, iframe, object, embed, form").count()).toBe(0);
    for (const link of await asked.getByRole("link").all())
      expect(await link.getAttribute("href")).toMatch(/^\/(?!\/)/);
  });

  it("is shown so in what people are called, in titles and in what is announced (X14)", async () => {
    const { page } = await visit();
    const session = await gateway.open({ principal: `<b>eve</b>\u202E${"e".repeat(40)}` });
    await gateway.call(session, "send_mail", { subject: "From eve" });
    const asked = card(page, "From eve");
    await approve(asked).waitFor();
    expect(await asked.innerText()).toContain("<b>eve</b>");
    const all: string = await page.evaluate("document.title + document.body.textContent");
    expect(all).not.toContain("\u202E");
  });
});

describe("a name that is nearly another", () => {
  it("is shown as it was sent, whatever calls came before (D7-console, X14)", async () => {
    const { page } = await visit();
    const name = '"Bob" <bob@example.org>';
    // A browser may take it for this one, which is as long, and begins as that one is written.
    const before = JSON.stringify(name).slice(1, 1 + name.length);
    await gateway.call(await gateway.open({ principal: "Eve" }), "send_mail", { "!access": 1, [before]: 1 });
    await approve(card(page, "Eve")).waitFor();
    await gateway.call(await gateway.open({ principal: "Ada" }), "send_mail", { "!access": 1, [name]: 1 });
    const asked = card(page, "Ada");
    await approve(asked).waitFor();
    expect((await asked.locator("dl dt").allInnerTexts()).join()).toContain("bob@example.org>");
  });

  it("shows the blanks at its ends, and stands in quotes where it could be taken for more (D7-console)", async () => {
    const { page } = await visit();
    const args = { to: "boss@example.org", "to ": "eve@example.org", 'cc: "boss@example.org"': true };
    await gateway.call(await gateway.open({ principal: "Nearly" }), "send_mail", args);
    const asked = card(page, "Nearly");
    await approve(asked).waitFor();
    const names = await asked.locator("dl dt").allInnerTexts();
    expect(names).toEqual(['"cc: "boss@example.org""', "to", '"to·"']);
  });

  it("of a file is not the other file's (D7-console)", async () => {
    const { page } = await visit();
    const args = { path: "price.ts ", content: "x\n" };
    await gateway.call(await gateway.open({ principal: "Blank" }), "mcp__workspace__write_text_file", args);
    const asked = card(page, "Blank");
    await approve(asked).waitFor();
    const text = await asked.innerText();
    expect(text).toContain("New file price.ts·");
    expect(text).toMatch(/Paths?\s+\S+\/price\.ts·/);
  });
});

describe("a long value", () => {
  it("of 5 MB is folded with its size, and must be opened before a yes, which sends all of it (D7-console)", async () => {
    const { page, requests } = await visit();
    const session = await gateway.open({ principal: "Long value" });
    const body = `start ${"0123456789abcdef".repeat(327_680)} end`;
    const held = gateway.call(session, "send_mail", { to: "Long value", body }, HELD_SECONDS);
    const asked = card(page, "Long value");
    await asked.waitFor();
    expect(await approve(asked).isDisabled()).toBe(true);
    const explained = await describedBy(page, asked);
    expect(explained).toMatch(/open/i);
    expect(explained).toMatch(/body/);
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    const open = asked.getByRole("button", { name: /^Open body, [\d.,]+ ?(?:MB|MiB)/ });
    await open.click();
    await eventually(() => approve(asked).isEnabled()).toBe(true);
    expect(answersSent(requests)).toEqual([]);
    expect(await asked.textContent()).toContain("cdef end");
    await approve(asked).click();
    expect(await held).toMatchObject({ effect: "allow" });
    const sent = gateway.ran.filter((call) => call.arguments.to === "Long value");
    expect(sent.map((call) => call.arguments.body === body)).toEqual([true]);
  });

  it("is opened by key (D7-console)", async () => {
    const { page } = await visit();
    await gateway.call(await gateway.open({ principal: "By o" }), "send_mail", {
      to: "By o",
      body: "long ".repeat(20_000),
    });
    const asked = card(page, "By o");
    await asked.waitFor();
    expect(await approve(asked).isDisabled()).toBe(true);
    await page.keyboard.press("j");
    await page.keyboard.press("o");
    await eventually(() => approve(asked).isEnabled()).toBe(true);
  });

  it("may be a name, a list of 10,000, or nested deep, and the page stays usable (D7-console)", async () => {
    const { page } = await visit();
    const nested = Array.from({ length: 60 }).reduce<unknown>((inner) => ({ inner }), "deepest");
    const shapes = {
      [`${"n".repeat(15_000)}`]: 1,
      list: Array.from({ length: 10_000 }, (_, at) => at),
      nested,
    };
    for (const [at, [name, value]] of Object.entries(shapes).entries()) {
      await gateway.call(await gateway.open(), "send_mail", { to: `Shape ${at}.`, [name]: value });
      const asked = card(page, `Shape ${at}.`);
      await asked.waitFor();
      await asked.focus();
      await page.keyboard.press("o");
      await eventually(() => approve(asked).isEnabled()).toBe(true);
      const wide: boolean = await page.evaluate("document.scrollingElement.scrollWidth > innerWidth");
      expect([at, wide]).toEqual([at, false]);
    }
  });
});

/** The explanation that stands by a button that can't be pressed. */
async function describedBy(page: Page, asked: Locator): Promise<string> {
  const ids = ((await approve(asked).getAttribute("aria-describedby")) ?? "").split(" ").filter(Boolean);
  const texts = await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).innerText()));
  return texts.join(" ");
}
