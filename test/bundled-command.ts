/** Before the system tests: the command line that they start. */
import { copyFileSync, globSync, mkdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundleCommandLine } from "../scripts/bundle-command-line.ts";
import { BUNDLED_COMMAND, ROOT } from "../src/cli/cli.test-kit.ts";

const FOLDER = resolve(BUNDLED_COMMAND, "../../..");

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
