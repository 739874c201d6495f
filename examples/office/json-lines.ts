/** Files with one JSON object per line, to which lines are only added. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** Adds a line. Done before it returns, so that two requests can't mix their lines. */
export function appendLine(file: string, entry: object): void {
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
}

/** The lines of a file, oldest first; none where there is no file. */
export function readLines(file: string): unknown[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}
