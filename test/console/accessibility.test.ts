/** Every page in every state: axe finds nothing, the keyboard reaches everything, and no width breaks it. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scrollsSideways, tabThrough, violationsOf } from "./accessible.ts";
import { useBrowser, type VisitOptions } from "./browser.ts";
import { type ConsoleGateway, OPERATOR_TOKEN, startConsoleGateway } from "./console-gateway.ts";
import { connection } from "./console-page.ts";
import { type Story, tellStory } from "./story.ts";

const SEED = "search_email,web_search,github_create_pr";
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

interface State {
  readonly path: (story: Story) => string;
  /** What must be there before it is looked at; a part of the page's text. */
  readonly shows: RegExp;
  readonly isEmpty?: true;
  /** What a person does first. */
  readonly act?: (page: Page) => Promise<unknown>;
}

const session = ({ blocked }: Story): string => `/sessions/${blocked.session_id}`;
const STATES: Readonly<Record<string, State>> = {
  "the approvals": { path: () => "/approvals", shows: /wire_transfer/ },
  "no approvals": { path: () => "/approvals", shows: /Nothing waits for a person/, isEmpty: true },
  "an opened value": {
    path: () => "/approvals",
    shows: /margaret/,
    act: (page) => page.getByRole("button", { name: /^Open body/ }).click(),
  },
  "a reason half written": {
    path: () => "/approvals",
    shows: /wire_transfer/,
    act: (page) => page.getByRole("button", { name: "Deny", exact: true }).first().click(),
  },
  "an approval that waits": { path: ({ waiting }) => `/approvals/${waiting}`, shows: /price\.ts/ },
  "an approval that is over": { path: ({ ended }) => `/approvals/${ended}`, shows: /Denied by/ },
  "the sessions": { path: () => "/sessions", shows: /margaret/ },
  "no sessions": { path: () => "/sessions", shows: /session/i, isEmpty: true },
  "no session that fits": { path: () => "/sessions?principal=nobody", shows: /No session/ },
  "a session": { path: session, shows: /delete_everything/ },
  "a session with its checks": {
    path: session,
    shows: /delete_everything/,
    act: (page) => page.getByRole("button", { name: "Show the checks" }).last().click(),
  },
  "the plan bench": { path: (told) => `${session(told)}/plan`, shows: /Plan bench/ },
  "a plan that isn't safe": { path: (told) => `${session(told)}/plan?calls=${SEED}`, shows: /Not safe/ },
  "the tools": { path: () => "/policy", shows: /read_customers/ },
  "the flows": { path: () => "/policy/flows", shows: /may not/ },
  "the pins": { path: () => "/policy/pins", shows: /search_email/ },
  "the roles": { path: () => "/policy/roles", shows: /analyst/ },
  "the list of keys": {
    path: () => "/approvals",
    shows: /wire_transfer/,
    act: (page) => page.keyboard.press("?"),
  },
};
const NAMES = Object.keys(STATES);

async function open(name: string, options: VisitOptions = {}): Promise<Page> {
  const state = STATES[name];
  if (state === undefined) throw new Error(`There is no state ${name}.`);
  const { url } = state.isEmpty ? empty : gateway;
  const { page } = await browser.visit(url, { token: OPERATOR_TOKEN, path: state.path(story), ...options });
  await connection(page).getByText("Live").waitFor();
  await page.getByRole("main").getByText(state.shows).first().waitFor();
  await state.act?.(page);
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
