/** What is wrong in a policy file, line by line, in the form that editors and CI logs make links of. */
import type { SluicegateError } from "../errors/index.ts";
import { type Part, toned } from "./terminal.ts";

/** Something in a file, with its place; lines and columns count from 1. */
export interface FileProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly fix?: string;
}

/** The problems that an error carries; none where it is about something else. */
export function problemsOf(error: SluicegateError): readonly FileProblem[] {
  const { problems } = error.details;
  return error.code === "policy-invalid" && Array.isArray(problems) ? problems.filter(isProblem) : [];
}

function isProblem(value: unknown): value is FileProblem {
  if (typeof value !== "object" || value === null) return false;
  const get = (key: string): unknown => Reflect.get(value, key);
  const texts = typeof get("file") === "string" && typeof get("message") === "string";
  return texts && typeof get("line") === "number" && typeof get("column") === "number";
}

/** Prints each as `file:line:column: message fix`; a warning says that it is one. */
export function printProblems(
  problems: readonly FileProblem[],
  print: (...parts: readonly Part[]) => void,
  warning = false,
): void {
  for (const { file, line, column, message, fix } of problems) {
    const mark = warning ? [toned("yellow", "warning: ")] : [];
    print(toned("bold", `${file}:${line}:${column}:`), " ", ...mark, message, fix ? ` ${fix}` : "");
  }
}

/** A problem for JSON; `fix` is null where the message says what to do. */
export function toWireProblem({ file, line, column, message, fix }: FileProblem): object {
  return { file, line, column, message, fix: fix ?? null };
}
