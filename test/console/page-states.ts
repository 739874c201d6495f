/** Every page of the console in every state that it has, and how a person comes there. */
import type { Page } from "playwright-core";

/** What was told to a gateway before its pages are looked at. */
export interface Story {
  /** A session with refused calls, whose principal is `ada`. */
  readonly blocked: { readonly session_id: string };
  /** A session in which nothing was called. */
  readonly fresh: { readonly session_id: string };
  /** An approval that waits, with a diff, and one that was denied. */
  readonly waiting: string;
  readonly ended: string;
}

export interface PageState {
  readonly path: (story: Story) => string;
  /** What the page's main part says once it is there. */
  readonly shows: RegExp;
  /** On a gateway to which nothing was told. */
  readonly isEmpty?: true;
  /** What a person does first. */
  readonly act?: (page: Page) => Promise<unknown>;
}

const PLAN = "search_email,web_search,github_create_pr";
const session = ({ blocked }: Story): string => `/sessions/${blocked.session_id}`;
const bench = ({ fresh }: Story): string => `/sessions/${fresh.session_id}/plan`;

export const PAGE_STATES: Readonly<Record<string, PageState>> = {
  "the approvals": { path: () => "/approvals", shows: /barbara/ },
  "no approvals": { path: () => "/approvals", shows: /Nothing waits for a person/, isEmpty: true },
  "an opened value": {
    path: () => "/approvals",
    shows: /margaret/,
    act: async (page) => {
      await page
        .getByRole("button", { name: /^Open / })
        .first()
        .click();
      await page.getByText(/^All of/).waitFor();
    },
  },
  "a reason half written": {
    path: () => "/approvals",
    shows: /barbara/,
    act: (page) => page.getByRole("button", { name: "Deny", exact: true }).first().click(),
  },
  "calls like one that waits": {
    path: ({ waiting }) => `/approvals/${waiting}`,
    shows: /linus/,
    act: (page) => page.getByRole("button", { name: "Yes, and calls like this …" }).click(),
  },
  "an approval that waits": { path: ({ waiting }) => `/approvals/${waiting}`, shows: /linus/ },
  "an approval that is over": { path: ({ ended }) => `/approvals/${ended}`, shows: /Denied by/ },
  "the sessions": { path: () => "/sessions", shows: /margaret/ },
  // `sluicegate serve` opens one for the operator, so only a gateway without its command line has none.
  "no sessions": { path: () => "/sessions", shows: /No session|^1 session/, isEmpty: true },
  "no session that fits": { path: () => "/sessions?principal=nobody", shows: /No session/ },
  "a session": { path: session, shows: /web_search/ },
  "a session with its checks": {
    path: session,
    shows: /web_search/,
    act: (page) => page.getByRole("button", { name: "Show the checks" }).last().click(),
  },
  "the plan bench": { path: bench, shows: /Plan bench/ },
  "a plan that isn't safe": { path: (told) => `${bench(told)}?calls=${PLAN}`, shows: /Not safe/ },
  "the tools": { path: () => "/policy", shows: /search_email/ },
  "the flows": { path: () => "/policy/flows", shows: /may not/ },
  "the pins": { path: () => "/policy/pins", shows: /search_email/ },
  "the roles": { path: () => "/policy/roles", shows: /analyst/ },
  "the list of keys": { path: () => "/approvals", shows: /barbara/, act: (page) => page.keyboard.press("?") },
};

/** Waits until a page that was opened at a state's path is in that state. */
export async function reach(page: Page, { shows, act }: PageState): Promise<void> {
  await page.getByRole("status", { name: "Connection" }).getByText("Live").waitFor();
  const main = page.getByRole("main");
  await main
    .getByText(shows)
    .first()
    .waitFor()
    .catch(async (error: Error) => {
      throw new Error(`The page says: ${await main.innerText()}`, { cause: error });
    });
  await act?.(page);
}
