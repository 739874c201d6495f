/** Results of tools, in MCP's shape and with a limited size. */
import { SluicegateError } from "../../../errors/index.ts";
import type { ToolResult } from "../../../runtime/index.ts";
import { MAX_RESULT_LENGTH } from "../limits.ts";
import { pathWithin } from "../paths/canonical-path.ts";

export const textResult = (text: string): ToolResult => ({ content: [{ type: "text", text }] });

/** Lines until the result is full; `more` is appended if some are left out. */
export function boundedLines(lines: Iterable<string>, more: string): string {
  const kept: string[] = [];
  let left = MAX_RESULT_LENGTH;
  for (const line of lines) {
    left -= line.length + 1;
    if (left < 0) return [...kept, more].join("\n");
    kept.push(line);
  }
  return kept.join("\n");
}

/** A name for one line: quoted if it contains special characters. */
export const shownName = (name: string): string =>
  /[\p{Cc}\p{Cf}\u2028\u2029]/u.test(name) ? JSON.stringify(name) : name;

/** A canonical path for the model: relative to the root if it is inside. */
export const relativeTo = (root: string, path: string): string => {
  const within = pathWithin(root, path);
  return within === null ? path : within === "" ? "." : within;
};

/** What a person approved is no longer as it was shown. */
export const targetChanged = (why: string, cause?: unknown): SluicegateError =>
  new SluicegateError("target-changed", "What the call aims at has changed since it was examined.", {
    why,
    fix: "Call the tool again, so that it is examined afresh.",
    ...(cause === undefined ? {} : { cause }),
  });
