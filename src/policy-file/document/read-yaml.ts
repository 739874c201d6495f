/**
 * YAML text to a tree with places. Plain YAML 1.2 only: no directives, no tags of its own, no merge keys, one
 * document. Knows nothing of what the keys mean.
 * THREAT: the file may be anything, so its size is bounded here, its depth and its aliases in `to-tree.ts`.
 */
import { parseDocument } from "yaml";
import type { Wording } from "../shape-wording.ts";
import { type Report, reportIn, START } from "./report.ts";
import { toTree } from "./to-tree.ts";
import type { Position, Tree } from "./tree.ts";
import { reportDirective, reportSyntax, reportTag } from "./yaml-problems.ts";

/** The longest policy file that is read, in bytes (and in characters). */
export const MAX_FILE_SIZE = 1024 * 1024;

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

/** How a kind of file is read. */
export interface YamlKind {
  /** The file's name in messages, where it is not the policy file itself. */
  readonly file?: string;
  /** In characters. */
  readonly largest: number;
  readonly tooLarge: Wording;
  readonly ifEmpty: Wording;
  /** How many values all its aliases may stand for together. */
  readonly mostAliased: number;
  /** How deep it may be nested. */
  readonly deepest: number;
}

export const POLICY_KIND: YamlKind = Object.freeze({
  largest: MAX_FILE_SIZE,
  tooLarge: ["The file is larger than 1 MiB.", "A policy is far smaller; check that this is the right file."],
  ifEmpty: ["The file is empty.", "Begin with `version: 1`."],
  mostAliased: 10_000,
  deepest: 32,
} as const);

/** The document in a text, or null if there is none; what is wrong with its YAML is reported. */
export function readYaml(text: string, report: Report, kind: YamlKind = POLICY_KIND): Tree | null {
  const { file } = kind;
  const found = file === undefined ? report : reportIn(report, file);
  if (text.length > kind.largest) {
    found.add(START, ...kind.tooLarge);
    return null;
  }
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const positionOf = createPositions(source, file);
  const { contents, errors, warnings } = withoutStacks(() => parseDocument(source, OPTIONS));
  const tags = warnings.filter(({ code }) => code === "TAG_RESOLVE_FAILED");
  const others = warnings.filter(({ code }) => code !== "TAG_RESOLVE_FAILED" && code !== "BAD_DIRECTIVE");
  const isPlain = !reportDirective(source.slice(0, contents?.range[0]), positionOf, found);
  reportSyntax([...errors, ...others], source, positionOf, found);
  if (!isPlain || errors.length > 0 || others.length > 0) return null;
  for (const warning of tags) reportTag(warning, source, positionOf(warning.pos[0]), found);
  if (contents !== null) return toTree(contents, { positionOf, report: found, ...kind });
  found.add(START, ...kind.ifEmpty);
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

/**
 * Offsets, in UTF-16 units, to lines and columns of a text; lines end in LF or CRLF. `file` is its name, where it is
 * not the policy file itself. The parser's own line counter loses lines where a quote is left open.
 */
export function createPositions(text: string, file?: string): (offset: number) => Position {
  const starts = [0];
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  return (offset) => {
    let line = 1;
    let after = starts.length + 1;
    // INVARIANT: line `line` begins at or before the offset, line `after` behind it.
    while (after - line > 1) {
      const middle = Math.floor((line + after) / 2);
      if ((starts[middle - 1] ?? 0) <= offset) line = middle;
      else after = middle;
    }
    return { line, column: offset - (starts[line - 1] ?? 0) + 1, ...(file !== undefined && { file }) };
  };
}
