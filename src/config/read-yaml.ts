/**
 * YAML text to a tree with places. Plain YAML 1.2 only: no directives, no tags of its own, no merge keys, one
 * document. Knows nothing of what the keys mean.
 * THREAT: the file may be anything, so its size is bounded here, its depth and its aliases in `to-tree.ts`.
 */
import { parseDocument } from "yaml";
import { createPositions } from "./positions.ts";
import { type Report, START } from "./report.ts";
import { toTree } from "./to-tree.ts";
import type { Tree } from "./tree.ts";
import { reportDirective, reportSyntax, reportTag } from "./yaml-problems.ts";

/** The longest file that is read, in bytes (and in characters). */
export const LARGEST_FILE = 1024 * 1024;

const OPTIONS = Object.freeze({
  version: "1.2",
  schema: "core",
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  strict: true,
  // `toTree` looks for repeated keys: the parser would compare each key with every other.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: "error",
} as const);

/** The document in a text, or null where there is none; what is wrong with its YAML is reported. */
export function readYaml(text: string, report: Report): Tree | null {
  if (text.length > LARGEST_FILE) {
    reportTooLarge(report);
    return null;
  }
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const positionOf = createPositions(source);
  const { contents, errors, warnings } = withoutStacks(() => parseDocument(source, OPTIONS));
  const tags = warnings.filter(({ code }) => code === "TAG_RESOLVE_FAILED");
  const others = warnings.filter(({ code }) => code !== "TAG_RESOLVE_FAILED" && code !== "BAD_DIRECTIVE");
  const isPlain = !reportDirective(source.slice(0, contents?.range[0]), positionOf, report);
  reportSyntax([...errors, ...others], source, positionOf, report);
  if (!isPlain || errors.length > 0 || others.length > 0) return null;
  for (const warning of tags) reportTag(warning, source, positionOf(warning.pos[0]), report);
  if (contents !== null) return toTree(contents, positionOf, report);
  report.add(START, "The file is empty.", "Begin with `version: 1`.");
  return null;
}

/** The parser makes an error object for each thing that it objects to; a million stacks take a quarter of a minute. */
function withoutStacks<T>(parse: () => T): T {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return parse();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** Says of a whole file that it is too large to be read. */
export const reportTooLarge = (report: Report): void =>
  report.add(
    START,
    "The file is larger than 1 MiB.",
    "A policy is far smaller; check that this is the right file.",
  );
