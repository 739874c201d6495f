/** Collects what is wrong with a policy file, and tells it all at once and in file order. */
import { SluicegateError } from "../../errors/index.ts";
import type { Position } from "./tree.ts";

/** Something wrong with a policy file. Holds names from the file, never the value of a variable. */
export interface Problem extends Position {
  /** The policy file as it was named when it was asked for, or one that it names, by a path from the same folder. */
  readonly file: string;
  /** What is wrong, as a full sentence. */
  readonly message: string;
  /** What to do about it, where the message doesn't say so. */
  readonly fix?: string;
}

/** Something that is allowed but is probably not what was meant. */
export type Warning = Problem;

/** Where checks put what they find. */
export interface Report {
  add(at: Position, message: string, fix?: string): void;
  /** Everything found so far, without repeats: the policy file first, each file in its order. */
  problems(): readonly Problem[];
}

/** The most lines in an error's message; its details hold them all. */
const MAX_LINES = 25;

/** The place for what concerns a file as a whole. */
export const START: Position = Object.freeze({ line: 1, column: 1 });

export function createReport(file: string): Report {
  const found = new Map<string, Problem>();
  const files = new Map([[file, 0]]);
  return Object.freeze({
    add(at: Position, message: string, fix?: string) {
      const { line, column, file: where = file } = at;
      const key = JSON.stringify([where, line, column, message]);
      if (found.has(key)) return;
      if (!files.has(where)) files.set(where, files.size);
      found.set(key, Object.freeze({ file: where, line, column, message, ...(fix && { fix }) }));
    },
    problems: () =>
      [...found.values()].sort(
        (left, right) =>
          (files.get(left.file) ?? 0) - (files.get(right.file) ?? 0) ||
          left.line - right.line ||
          left.column - right.column,
      ),
  });
}

/** The same report for another file: what is added stands in that one. */
export const reportIn = (report: Report, file: string): Report =>
  Object.freeze({
    ...report,
    add: (at: Position, message: string, fix?: string) => report.add({ ...at, file }, message, fix),
  });

/** A problem as one line: `file:line:column: message fix`. */
export function formatProblem({ file, line, column, message, fix }: Problem): string {
  return `${file}:${line}:${column}: ${message}${fix === undefined ? "" : ` ${fix}`}`;
}

/** The error that carries all problems of a file: as lines in its message, as data in `details.problems`. */
export function invalidPolicy(report: Report): SluicegateError {
  const problems = report.problems();
  const lines = problems.slice(0, MAX_LINES).map(formatProblem);
  if (problems.length > lines.length) lines.push(`… and ${problems.length - lines.length} more`);
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  return new SluicegateError("policy-invalid", lines.join("\n"), {
    why: `The policy file has ${count}, so nothing of it was loaded.`,
    fix: "Fix what the message names by line and column, and load the file again.",
    details: { problems },
  });
}

/** The problems that an error carries; none if it is about something else. */
export function problemsOf(error: SluicegateError): readonly Problem[] {
  const { problems } = error.details;
  return error.code === "policy-invalid" && Array.isArray(problems) ? problems.filter(isProblem) : [];
}

function isProblem(value: unknown): value is Problem {
  if (typeof value !== "object" || value === null) return false;
  const get = (key: string): unknown => Reflect.get(value, key);
  const texts = typeof get("file") === "string" && typeof get("message") === "string";
  return texts && typeof get("line") === "number" && typeof get("column") === "number";
}
