/** Words what the YAML parser objects to, in the terms of somebody who edits the file. */
import type { YAMLError } from "yaml";
import type { Wording } from "../shape-wording.ts";
import { quote, toPrintable } from "./quote.ts";
import type { Report } from "./report.ts";
import type { Position } from "./tree.ts";

/** What is said of a file that no policy could need to be nested like. */
export const NESTED_TOO_DEEPLY: Wording = [
  "The file is nested too deeply to be read.",
  "A policy needs fewer than ten levels.",
];

const WORDINGS: ReadonlyMap<string, Wording> = new Map<string, Wording>([
  ["TAB_AS_INDENT", ["The line is indented with a tab.", "Indent with spaces."]],
  ["NON_STRING_KEY", ["A key must be plain text.", "Write the key as a single word or in quotes."]],
  [
    "MULTIPLE_DOCS",
    ["A second YAML document begins here.", "Keep one document in the file, and no `---` or `...` below it."],
  ],
  ["RESOURCE_EXHAUSTION", NESTED_TOO_DEEPLY],
]);

const IN_QUOTES = `Put a value with \`\${…}\` in quotes.`;

/** Reports the parser's errors; of several on one line the first, which the others follow from. */
export function reportSyntax(
  errors: readonly YAMLError[],
  text: string,
  positionOf: (offset: number) => Position,
  report: Report,
): void {
  const lines = new Set<number>();
  for (const error of errors) {
    const at = positionOf(error.pos[0]);
    if (lines.has(at.line)) continue;
    lines.add(at.line);
    report.add(at, ...wordingOf(error, lineAt(text, error.pos[0])));
  }
}

function wordingOf(error: YAMLError, line: string): Wording {
  const known = WORDINGS.get(error.code);
  if (known !== undefined) return known;
  const objection = toPrintable(error.message.replace(/[.\s]+$/, ""));
  const message = `This can't be read as YAML: ${objection}.`;
  return line.includes("${") ? [message, IN_QUOTES] : [message];
}

function lineAt(text: string, offset: number): string {
  const end = text.indexOf("\n", offset);
  return text.slice(text.lastIndexOf("\n", Math.max(0, offset - 1)) + 1, end < 0 ? undefined : end);
}

const LIKE_A_CONDITION = /^!(?:has\(|\(|args\b|session\b|tool\b)/;

/** Reports a tag that is not one of YAML's own, or that this reader doesn't take. */
export function reportTag(warning: YAMLError, text: string, at: Position, report: Report): void {
  const tag = text.slice(...warning.pos).split(/\s/, 1)[0] ?? "";
  const fix = LIKE_A_CONDITION.test(tag)
    ? "Put a condition that begins with `!` in quotes."
    : "Leave it out; a policy is plain text, lists and maps.";
  report.add(at, `The tag ${quote(tag)} can't be used.`, fix);
}

/** Whether a `%` line stands before the document; that is reported. */
export function reportDirective(
  prelude: string,
  positionOf: (offset: number) => Position,
  report: Report,
): boolean {
  const offset = prelude.search(/^%/m);
  if (offset >= 0) report.add(positionOf(offset), "YAML directives can't be used.", "Remove this line.");
  return offset >= 0;
}
