/** The console as it is published: built when a source is newer than the build, so that no test runs on an old page. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

const CONSOLE = resolve(import.meta.dirname, "../../console");

/** Where the built console lies; what a gateway is given. */
export const CONSOLE_FOLDER = join(CONSOLE, "dist");

/** Builds it where that is needed. @throws with the bundler's words where it can't be built */
export async function buildConsole(): Promise<void> {
  const built = join(CONSOLE_FOLDER, "index.html");
  if (existsSync(built) && statSync(built).mtimeMs > newestSource()) return;
  const fresh = join(CONSOLE, `node_modules/.dist-${process.pid}`);
  const vite = dirname(createRequire(join(CONSOLE, "package.json")).resolve("vite/package.json"));
  try {
    const build = [join(vite, "bin/vite.js"), "build", "--outDir", fresh, "--emptyOutDir"];
    await promisify(execFile)(process.execPath, build, { cwd: CONSOLE });
    rmSync(CONSOLE_FOLDER, { recursive: true, force: true });
    renameSync(fresh, CONSOLE_FOLDER);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function newestSource(): number {
  const ours = readdirSync(CONSOLE, { withFileTypes: true }).filter(
    ({ name }) => name !== "dist" && name !== "node_modules",
  );
  const files = ours.flatMap((entry) => {
    const path = join(CONSOLE, entry.name);
    if (!entry.isDirectory()) return [path];
    return readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name));
  });
  return Math.max(...files.map((file) => statSync(file).mtimeMs));
}
