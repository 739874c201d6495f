/** Every page in every state: axe finds nothing, the keyboard reaches everything, and no width breaks it. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scrollsSideways, tabThrough, violationsOf } from "./accessible.ts";
import { useBrowser, type VisitOptions } from "./browser.ts";
import { type ConsoleGateway, OPERATOR_TOKEN, startConsoleGateway } from "./console-gateway.ts";
import { PAGE_STATES, reach, type Story } from "./page-states.ts";
import { tellStory } from "./story.ts";

const WIDTHS = [360, 768, 1440];
const browser = useBrowser();
let gateway: ConsoleGateway;
let empty: ConsoleGateway;
let story: Story;
beforeAll(async () => {
  [gateway, empty] = await Promise.all([startConsoleGateway(), startConsoleGateway()]);
  story = await tellStory(gateway);
});
afterAll(() => Promise.all([gateway.remove(), empty.remove()]));

const NAMES = Object.keys(PAGE_STATES);

async function open(name: string, options: VisitOptions = {}): Promise<Page> {
  const state = PAGE_STATES[name];
  if (state === undefined) throw new Error(`There is no state ${name}.`);
  const { url } = state.isEmpty ? empty : gateway;
  const { page } = await browser.visit(url, { token: OPERATOR_TOKEN, path: state.path(story), ...options });
  await reach(page, state);
  return page;
}

describe("axe finds nothing", () => {
  it.each(NAMES)("in %s, light and dark (D5-console)", async (name) => {
    for (const scheme of ["light", "dark"] as const) {
      const page = await open(name, { scheme });
      expect([scheme, await violationsOf(page)]).toEqual([scheme, []]);
    }
  });

  it.each(NAMES)("in %s on a phone (D5-console)", async (name) => {
    expect(await violationsOf(await open(name, { width: 360, height: 740 }))).toEqual([]);
  });

  it("in the page that asks for the token, and where the token is wrong (D5-console)", async () => {
    const { page } = await browser.visit(gateway.url);
    await page.getByLabel("Operator's token").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel("Operator's token").fill("ł");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});

describe("no width breaks a page", () => {
  it.each(
    NAMES,
  )("which shows %s: nothing scrolls sideways but what does so by itself (D5-console)", async (name) => {
    for (const width of WIDTHS) {
      const page = await open(name, { width, height: 800 });
      expect([width, await scrollsSideways(page)]).toEqual([width, false]);
    }
  });
});

describe("the keyboard alone", () => {
  it.each(NAMES)("reaches everything of %s, and the focus is seen (D5-console)", async (name) => {
    const tabbing = await tabThrough(await open(name));
    expect(tabbing.missed).toEqual([]);
    expect(tabbing.unmarked).toEqual([]);
    expect(tabbing.reached).toBeGreaterThan(0);
  });
});
