/** How this program is started by others. */
import { realpathSync } from "node:fs";

/** This very program by its absolute path: what the PATH has is another matter, and `npx` takes a second. */
export function ownCommand(): readonly [string, ...string[]] {
  const program = realpathSync(process.argv[1] ?? "");
  return [
    process.execPath,
    ...(program.endsWith(".ts") ? ["--disable-warning=ExperimentalWarning"] : []),
    program,
  ];
}

/** A word that a shell takes as it is. */
export const inShell = (word: string): string =>
  /^[\w./:@%+,-][\w./:=@%+,-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
