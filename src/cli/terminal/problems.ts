/** What is wrong in a policy file, line by line, in the form that editors and CI logs make links of. */

import type { Problem } from "../../policy-file/index.ts";
import { type Part, styled } from "./terminal.ts";

/** Prints each as `file:line:column: message fix`; a warning says that it is one. */
export function printProblems(
  problems: readonly Problem[],
  print: (...parts: readonly Part[]) => void,
  warning = false,
): void {
  for (const { file, line, column, message, fix } of problems) {
    const mark = warning ? [styled("yellow", "warning: ")] : [];
    print(styled("bold", `${file}:${line}:${column}:`), " ", ...mark, message, fix ? ` ${fix}` : "");
  }
}

/** A problem for JSON; `fix` is null where the message says what to do. */
export function toWireProblem({ file, line, column, message, fix }: Problem): object {
  return { file, line, column, message, fix: fix ?? null };
}
