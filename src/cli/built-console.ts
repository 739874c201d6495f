/** Where the built console lies, and whether it is what its sources say: the same places in a checkout and a package. */
import { type Dirent, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CONSOLE = fileURLToPath(new URL("../../console", import.meta.url));

/** What the console shares with the gateway, so that both speak alike: the order of labels, which characters show. */
export const SHARED_SOURCES = [
  "src/core/label/label.ts",
  "src/json/parse-json.ts",
  "src/json/visible-json.ts",
] as const;

/** What the gateway serves. */
export const CONSOLE_FOLDER = join(CONSOLE, "dist");

/** What people are told who may build it. */
export const HOW_TO_BUILD = "`npm run build:console` builds it";

/**
 * Whether the console is there, and at least as new as all that it is made of. A package has no sources, so there it
 * is never old.
 */
export function checkConsole(folder: string = CONSOLE): "built" | "old" | "missing" {
  const page = join(folder, "dist/index.html");
  if (!existsSync(page)) return "missing";
  const built = statSync(page).mtimeMs;
  const isOld =
    newerThan(built, folder, (entry) => !/^(dist|node_modules|scripts)$/.test(entry.name)) ||
    SHARED_SOURCES.map((file) => join(folder, "..", file)).some(
      (file) => existsSync(file) && statSync(file).mtimeMs > built,
    );
  return isOld ? "old" : "built";
}

/** A folder is newer, too, where a file of it has gone. */
function newerThan(time: number, folder: string, counts: (entry: Dirent) => boolean): boolean {
  return readdirSync(folder, { withFileTypes: true })
    .filter(counts)
    .some((entry) => {
      const path = join(folder, entry.name);
      if (statSync(path).mtimeMs > time) return true;
      return entry.isDirectory() && newerThan(time, path, () => true);
    });
}
