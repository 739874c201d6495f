/** Before the system tests: the console is built and Chromium unpacked. What fails here fails the console's tests. */
import type { TestProject } from "vitest/node";
import { buildConsole } from "./built-console.ts";
import { prepareChromium } from "./chromium.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Why there is no console, or no browser, to test; null where there are both. */
    readonly consoleProblem: string | null;
  }
}

export default async function setup(project: TestProject): Promise<void> {
  const ends = await Promise.allSettled([buildConsole(), prepareChromium()]);
  const problems = ends.flatMap((end) => (end.status === "rejected" ? [String(end.reason)] : []));
  project.provide("consoleProblem", problems.join("\n") || null);
}
