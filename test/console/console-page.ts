/** The console's parts by what a person sees and hears of them: roles and names, never markup. */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { ConsoleGateway } from "./console-gateway.ts";

/** The card of a call that waits or was decided, by words of its name. */
export const card = (page: Page, words: string): Locator =>
  page.getByRole("article").filter({ hasText: words });

export const heading = (page: Page, name: string, level = 1): Locator =>
  page.getByRole("heading", { name, level, exact: true });

export const connection = (page: Page): Locator => page.getByRole("status", { name: "Connection" });

export const announcements = (page: Page): Locator => page.getByRole("status", { name: "Announcements" });

export const approve = (within: Locator): Locator =>
  within.getByRole("button", { name: "Approve", exact: true });

export const release = (within: Locator): Locator =>
  within.getByRole("button", { name: "Release and approve", exact: true });

export const deny = (within: Locator): Locator => within.getByRole("button", { name: "Deny", exact: true });

export const reason = (within: Locator): Locator =>
  within.getByRole("textbox", { name: "Reason (optional)" });

/** Asks a page again and again until what it shows is as expected, for as long as a slow machine may take. */
export const eventually = <Value>(read: () => Value | Promise<Value>) =>
  expect.poll(read, { timeout: 15_000 });

/** What it shows as decided. */
export const verdict = (within: Locator, words: string | RegExp): Locator => within.getByText(words).first();

/** Resolves when the gateway has so many approvals that wait in a session; asks it again and again. */
export async function untilWaiting(
  gateway: ConsoleGateway,
  session: { readonly session_id: string },
  count = 1,
): Promise<any[]> {
  for (const end = performance.now() + 20_000; performance.now() < end; ) {
    const { approvals } = await gateway.request("GET", "/v1/approvals?status=all");
    const ours = approvals.filter((one: any) => one.session_id === session.session_id);
    if (ours.length === count) return ours;
  }
  throw new Error(`There never were ${count} approvals that waited.`);
}

/** Denies whatever waits, so that a test begins with an empty queue. */
export async function denyAll(gateway: ConsoleGateway): Promise<void> {
  const { approvals } = await gateway.request("GET", "/v1/approvals?status=all&fold=100");
  for (const { id } of approvals) await gateway.request("POST", `/v1/approvals/${id}/deny`, {});
}

/** Chooses the first card by key, and waits until keys that answer count for it. */
export async function choose(page: Page, asked: Locator): Promise<void> {
  await asked.waitFor();
  await page.keyboard.press("j");
  await eventually(() => deny(asked).isEnabled()).toBe(true);
  await eventually(() => approve(asked).isEnabled()).toBe(true);
}

/** How often a tool ran with these words in its arguments. */
export const timesRan = (gateway: ConsoleGateway, tool: string, words: string): number =>
  gateway.ran.filter((call) => call.tool === tool && JSON.stringify(call.arguments).includes(words)).length;

/** The requests of a page that answered an approval. */
export const answersSent = (requests: readonly string[]): string[] =>
  requests.filter((request) => /^POST .*\/v1\/approvals\/[^/]+\/(?:approve|deny)$/.test(request));
