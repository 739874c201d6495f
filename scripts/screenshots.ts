/**
 * Pictures of every page of the console in every state, at three widths, light and dark, taken from a real gateway on
 * a copy of the office example: `npm run screenshots [-- FOLDER]`. With `--readme`, only the few that the README
 * shows, into `docs/images`.
 */
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { buildConsole } from "../test/console/built-console.ts";
import { launchChromium } from "../test/console/chromium.ts";
import { PAGE_STATES, type PageState, reach, type Story } from "../test/console/page-states.ts";
import { type Office, openOffice, tellDay } from "./screenshots/office-story.ts";

const WIDTHS = [360, 768, 1440] as const;
const SCHEMES = ["light", "dark"] as const;
const README: readonly { state: string; file: string; width: number; height: number; scheme: Scheme }[] = [
  { state: "the approvals", file: "approvals", width: 1200, height: 800, scheme: "light" },
  { state: "a session with its checks", file: "session", width: 1200, height: 800, scheme: "dark" },
  { state: "a plan that isn't safe", file: "plan-bench", width: 1200, height: 800, scheme: "light" },
  { state: "an approval that waits", file: "approval-on-a-phone", width: 390, height: 800, scheme: "dark" },
];

/** Higher than this, a picture can't be looked at any more. */
const HIGHEST = 12_000;

type Scheme = (typeof SCHEMES)[number];

interface Studio {
  readonly browser: Browser;
  readonly full: Office;
  readonly empty: Office;
  readonly story: Story;
  readonly folder: string;
  readonly failed: string[];
}

const { values, positionals } = parseArgs({
  options: { readme: { type: "boolean", default: false } },
  allowPositionals: true,
});
await main();

async function main(): Promise<void> {
  const folder = values.readme
    ? resolve(import.meta.dirname, "../docs/images")
    : (positionals[0] ?? mkdtempSync(join(tmpdir(), "sluicegate-screenshots-")));
  mkdirSync(folder, { recursive: true });
  await buildConsole();
  const browser = await launchChromium();
  const [full, empty] = await Promise.all([openOffice(), openOffice()]);
  try {
    const studio = { browser, full, empty, story: await tellDay(full), folder, failed: [] };
    await (values.readme ? takeForReadme(studio) : takeAll(studio));
    console.log(`The pictures lie in ${folder}.`);
    for (const problem of studio.failed) console.error(problem);
    if (studio.failed.length > 0) process.exitCode = 1;
  } finally {
    await browser.close();
    await Promise.all([full.end(), empty.end()]);
  }
}

async function takeForReadme(studio: Studio): Promise<void> {
  for (const { state, file, ...look } of README) {
    const shown = PAGE_STATES[state];
    if (shown) await take(studio, shown, { file, ...look, scale: 2, isWhole: false });
  }
}

async function takeAll(studio: Studio): Promise<void> {
  for (const scheme of SCHEMES) {
    for (const width of WIDTHS) {
      const look = { width, height: width < 500 ? 740 : 900, scheme, scale: 1, isWhole: true };
      for (const [name, state] of Object.entries(PAGE_STATES))
        await take(studio, state, { ...look, file: fileName(name, width, scheme) });
      await takeSignedOut(studio, { ...look, file: fileName("sign-in", width, scheme) });
    }
  }
  await takeLost(studio);
}

function fileName(state: string, width: number, scheme: Scheme): string {
  return `${state.replaceAll("'", "").replaceAll(" ", "-")}-${width}-${scheme}`;
}

interface Look {
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly scheme: Scheme;
  readonly scale: number;
  /** The whole page, however long it is. */
  readonly isWhole: boolean;
}

async function take(studio: Studio, state: PageState, look: Look): Promise<void> {
  const { gateway } = state.isEmpty ? studio.empty : studio.full;
  await onPage(studio, look, async (page) => {
    await page.goto(`${gateway.url}${state.path(studio.story)}#token=${gateway.operatorToken}`);
    await reach(page, state);
  });
}

async function takeSignedOut(studio: Studio, look: Look): Promise<void> {
  await onPage(studio, look, async (page) => {
    await page.goto(studio.empty.gateway.url);
    await page.getByLabel("Operator's token").fill("of-somebody-else");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
  });
}

/** The gateway ends while the page is open, so this comes last. */
async function takeLost(studio: Studio): Promise<void> {
  const { gateway } = studio.full;
  const look = { width: 1440, height: 900, scheme: "light", scale: 1, isWhole: true } as const;
  await onPage(studio, { ...look, file: fileName("connection lost", 1440, "light") }, async (page) => {
    await page.goto(`${gateway.url}/approvals#token=${gateway.operatorToken}`);
    const connection = page.getByRole("status", { name: "Connection" });
    await connection.getByText("Live").waitFor();
    await page.getByRole("article").first().waitFor();
    await gateway.stop();
    await connection.getByText("Connection lost").waitFor();
  });
}

/** Takes a picture of a page once it is ready. One that isn't is told of at the end, and pictured as it was. */
async function onPage(studio: Studio, look: Look, ready: (page: Page) => Promise<void>): Promise<void> {
  const context = await studio.browser.newContext({
    viewport: { width: look.width, height: look.height },
    deviceScaleFactor: look.scale,
    colorScheme: look.scheme,
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  try {
    await ready(page);
  } catch (cause) {
    studio.failed.push(`${look.file}: ${cause instanceof Error ? cause.message.split("\n")[0] : cause}`);
  }
  await page.evaluate("document.fonts.ready.then(() => true)");
  if (look.isWhole) await showWhole(page, look);
  await page.screenshot({ path: join(studio.folder, `${look.file}.png`) });
  await context.close();
}

/** A window as high as the page: what sticks to the window's edge is then where it belongs. */
async function showWhole(page: Page, { width, height }: Look): Promise<void> {
  const whole: number = await page.evaluate("document.scrollingElement.scrollHeight");
  await page.setViewportSize({ width, height: Math.min(Math.max(whole, height), HIGHEST) });
}
