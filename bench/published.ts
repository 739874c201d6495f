/** The package as it is published, built once for a run, so that what is measured is what people install. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./machine.ts";

export interface Published {
  /** The command's start file; the first to ask has the package built. */
  start(): string;
  remove(): void;
}

/** Builds into a folder of its own in `home`, from where Node finds the checkout's packages. */
export function createPublished(home: string, progress: (line: string) => void): Published {
  let folder: string | null = null;
  return {
    start: () => {
      if (folder === null) {
        progress("building the package");
        folder = mkdtempSync(join(home, "bench-package-"));
        execFileSync(process.execPath, [join(ROOT, "scripts/build.ts"), folder], { stdio: "pipe" });
      }
      return join(folder, "lib/cli/start.js");
    },
    remove: () => {
      if (folder !== null) rmSync(folder, { recursive: true, force: true });
    },
  };
}
