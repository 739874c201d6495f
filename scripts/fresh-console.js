/**
 * Builds the console after `npm ci`, and before `npm start` where it is older than its sources (`--if-old`).
 * It is JavaScript, and imports nothing of the project at once: where the packages for developers are left out, it is
 * read by whatever Node the machine has, and has only to say that there is nothing to build with.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "..");
const VITE = join(ROOT, "node_modules/vite/bin/vite.js");

if (!existsSync(VITE)) {
  console.error("The console isn't built: what builds it isn't installed. The gateway works without it.");
} else if (!process.argv.includes("--if-old") || (await isOld())) {
  const { status } = spawnSync(process.execPath, [VITE, "build", "console", "--logLevel", "error"], {
    cwd: ROOT,
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
}

async function isOld() {
  try {
    const { checkConsole } = await import("../src/cli/built-console.ts");
    return checkConsole() !== "built";
  } catch {
    // A Node that reads no TypeScript can't tell; building is never wrong.
    return true;
  }
}
