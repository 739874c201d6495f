/**
 * Before the system tests: the command line as an installed package has it, so that each start takes a third of the
 * time that it takes on the sources.
 */
import { copyFileSync, globSync, mkdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundleCommandLine } from "../scripts/bundle-command-line.ts";

const ROOT = resolve(import.meta.dirname, "..");
/** Below `node_modules`, so that packages which aren't bundled are found. */
const FOLDER = join(ROOT, "node_modules/.cache/bundled-command");

export const BUNDLED_COMMAND = join(FOLDER, "lib/cli/start.js");

export default async function setup(): Promise<void> {
  if (!isOld()) return;
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  copyFileSync(join(ROOT, "package.json"), join(FOLDER, "package.json"));
  symlinkSync(join(ROOT, "console"), join(FOLDER, "console"));
  await bundleCommandLine(ROOT, join(FOLDER, "lib/cli"));
}

/** A folder is newer, too, where a file of it has gone. */
function isOld(): boolean {
  const built = statSync(BUNDLED_COMMAND, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = globSync(["src/**", "scripts/*bundle*", "package-lock.json"], { cwd: ROOT });
  return sources.some((name) => statSync(join(ROOT, name)).mtimeMs > built);
}
