/** The end of a process whose own thread is too busy to end it. */
import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

const module = new URL("./watchdog.ts", import.meta.url).href;
const run = (rest: string) =>
  spawnSync(process.execPath, [
    "--disable-warning=ExperimentalWarning",
    "--input-type=module",
    "-e",
    `const { endAfter } = await import(${JSON.stringify(module)}); ${rest}`,
  ]);

it("ends a process that is busy, and leaves one alone that called it off (law-9)", () => {
  expect(run("endAfter(0.2); for (;;);").signal).toBe("SIGKILL");
  expect(run("endAfter(0.2)(); setTimeout(() => process.exit(7), 600);").status).toBe(7);
});
