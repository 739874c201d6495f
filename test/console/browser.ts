/**
 * A Chromium for a test file, and what went wrong in it: each test ends with the assertion that its pages had no
 * error, no violation of the content security policy, no failed request, and asked nobody but their gateway.
 */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import { launchChromium } from "./chromium.ts";

export interface VisitOptions {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: "light" | "dark";
  /** Motion is reduced unless a test is about it: nothing then has to wait for an animation. */
  readonly motion?: "reduce" | "no-preference";
  readonly touch?: boolean;
  /** Signed in with this token by the address's fragment, as `sluicegate serve` prints it. */
  readonly token?: string;
  /** Where it begins; `/` by default. */
  readonly path?: string;
  /** A script that runs in each page before its own. */
  readonly script?: string;
}

/** One person's browser: a context with a page, and what went wrong in it. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Every address that was asked for, with method and without the fragment. */
  readonly requests: readonly string[];
  /** Problems that this test expects, such as failed requests while the gateway is down. */
  expectProblems(pattern: RegExp): void;
  /** What went wrong and wasn't expected. */
  problems(): readonly string[];
  /** Another tab of the same person. */
  openTab(path: string): Promise<Page>;
}

export interface TestBrowser {
  visit(origin: string, options?: VisitOptions): Promise<Visit>;
}

/** Told as an error on the page's console, which is where problems are collected. */
const TELL_VIOLATIONS = `document.addEventListener("securitypolicyviolation", (event) =>
  console.error("policy violated:", event.violatedDirective, event.blockedURI, event.sample));`;

/** One Chromium for the tests of a file. Call it once, at the file's top. */
export function useBrowser(): TestBrowser {
  let browser: Browser | null = null;
  const visits: Visit[] = [];
  beforeAll(async () => {
    const problem = inject("consoleProblem");
    if (problem !== null) throw new Error(problem);
    browser = await launchChromium();
  });
  afterEach(async () => {
    const ended = visits.splice(0);
    await Promise.all(ended.map(({ context }) => context.close()));
    expect(ended.flatMap((visit) => visit.problems())).toEqual([]);
  });
  afterAll(async () => browser?.close());
  return {
    visit: async (origin, options = {}) => {
      if (browser === null) throw new Error("The browser isn't started yet.");
      const visit = await openVisit(browser, origin, options);
      visits.push(visit);
      const { path = "/", token } = options;
      await visit.page.goto(origin + path + (token === undefined ? "" : `#token=${token}`));
      return visit;
    },
  };
}

/** A context with a page that was told of nothing yet. */
export async function openVisit(browser: Browser, origin: string, options: VisitOptions): Promise<Visit> {
  const context = await browser.newContext(toContextOptions(options));
  await context.addInitScript(TELL_VIOLATIONS);
  if (options.script !== undefined) await context.addInitScript(options.script);
  const problems: string[] = [];
  const requests: string[] = [];
  const expected: RegExp[] = [];
  context.on("page", (page) => watch(page, { origin, problems, requests, token: options.token }));
  return {
    context,
    page: await context.newPage(),
    requests,
    expectProblems: (pattern) => void expected.push(pattern),
    problems: () => problems.filter((problem) => !expected.some((pattern) => pattern.test(problem))),
    openTab: async (path) => {
      const page = await context.newPage();
      await page.goto(origin + path);
      return page;
    },
  };
}

function toContextOptions({ width = 1440, height = 900, ...options }: VisitOptions): BrowserContextOptions {
  return {
    viewport: { width, height },
    colorScheme: options.scheme ?? "light",
    reducedMotion: options.motion ?? "reduce",
    hasTouch: options.touch ?? false,
    locale: "en-GB",
    timezoneId: "UTC",
  };
}

interface Watch {
  readonly origin: string;
  readonly problems: string[];
  readonly requests: string[];
  readonly token: string | undefined;
}

function watch(page: Page, { origin, problems, requests, token }: Watch): void {
  page.setDefaultTimeout(15_000);
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`console error: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`page error: ${error}`));
  page.on("crash", () => problems.push("the page crashed"));
  page.on("dialog", (dialog) => {
    problems.push(`a dialog opened: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("requestfailed", (request) => {
    // What the page gives up by itself, as it leaves or asks anew, has not failed.
    const { errorText } = request.failure() ?? { errorText: "" };
    if (errorText !== "net::ERR_ABORTED") problems.push(`request failed: ${request.url()} ${errorText}`);
  });
  page.on("request", (request) => {
    const [address = ""] = request.url().split("#");
    requests.push(`${request.method()} ${address}`);
    if (!address.startsWith(`${origin}/`)) problems.push(`a foreign address was asked for: ${address}`);
    if (token !== undefined && address.includes(token))
      problems.push(`the token is in an address: ${address}`);
  });
}
