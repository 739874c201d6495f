/** The console as it is published: built where a source is newer, so that no test runs on an old page. */
import { execFile } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { CONSOLE_FOLDER, checkConsole } from "../../src/cli/built-console.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** Builds it where that is needed, and puts it in its place whole. @throws with the bundler's words where it can't. */
export async function buildConsole(): Promise<void> {
  if (checkConsole() === "built") return;
  const fresh = join(ROOT, `console/node_modules/.dist-${process.pid}`);
  const build = [join(ROOT, "node_modules/vite/bin/vite.js"), "build", "console", "--outDir", fresh];
  try {
    await promisify(execFile)(process.execPath, [...build, "--emptyOutDir"], { cwd: ROOT });
    rmSync(CONSOLE_FOLDER, { recursive: true, force: true });
    renameSync(fresh, CONSOLE_FOLDER);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}
