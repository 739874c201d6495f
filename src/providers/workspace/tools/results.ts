/** Results of tools, in MCP's shape and bounded. */
import { SluicegateError } from "../../../errors/index.ts";
import type { ToolResult } from "../../../runtime/index.ts";
import { MAX_RESULT_LENGTH } from "../limits.ts";
import { pathWithin } from "../paths/canonical-path.ts";

export const textResult = (text: string): ToolResult => ({ content: [{ type: "text", text }] });

/** Lines until the result is full; `more` is said where some are left out. */
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

/** A name as it can stand in a line: quoted where it would break it. */
export const shownName = (name: string): string =>
  /[\p{Cc}\p{Cf}\u2028\u2029]/u.test(name) ? JSON.stringify(name) : name;

/** A canonical path as the model sees it: from the root where it lies in it. */
export const relativeTo = (root: string, path: string): string => {
  const within = pathWithin(root, path);
  return within === null ? path : within === "" ? "." : within;
};

/** What a person said yes to isn't there any more as it was shown. */
export const targetChanged = (why: string, cause?: unknown): SluicegateError =>
  new SluicegateError("target-changed", "What the call aims at has changed since it was examined.", {
    why,
    fix: "Call the tool again, so that it is examined afresh.",
    ...(cause === undefined ? {} : { cause }),
  });
