/** Checks a document's shape against the schema, and finds the place of whatever departs from it. */
import type { z } from "zod";
import { didYouMean, quote, quoteAll } from "./document/quote.ts";
import type { Report } from "./document/report.ts";
import { entryOf, type Tree, toPlain, treeAt } from "./document/tree.ts";
import { mapAt, type PolicyDocument, policySchema } from "./schema.ts";
import { wordEmpty, wordKind, wordValue } from "./shape-wording.ts";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** The document as typed data, or null if its shape is wrong, which is then reported. */
export function checkShape(root: Tree, report: Report): PolicyDocument | null {
  // A file is checked once: compiling the schema first, as zod would, takes longer than the check.
  const parsed = policySchema.safeParse(toPlain(root), { jitless: true });
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) reportIssue(root, issue, [], report);
  return null;
}

/** `base` is where the issue's path begins. */
function reportIssue(root: Tree, issue: Issue, base: Path, report: Report): void {
  const path = [...base, ...issue.path];
  const tree = treeAt(root, path);
  const closest = issue.code === "invalid_union" ? closestOption(issue.errors) : undefined;
  if (tree === undefined) reportMissing(root, path, report);
  else if (tree.kind === "scalar" && tree.unresolved) return;
  else if (issue.code === "unrecognized_keys") reportUnknownKeys(tree, path, issue.keys, report);
  else if (issue.code === "invalid_value") report.add(tree.at, ...wordValue(tree, path, issue.values));
  else if (issue.code === "too_small") report.add(tree.at, ...wordEmpty(path));
  else if (closest === undefined) report.add(tree.at, ...wordKind(tree, path, issue.message));
  else for (const inner of closest) reportIssue(root, inner, path, report);
}

/** Of several shapes that a value may have, what it lacks for the one that it is of the right kind for. */
const closestOption = (options: readonly Issue[][]): Issue[] | undefined =>
  options.find((issues) => !issues.some(({ code, path }) => code === "invalid_type" && path.length === 0));

const FIX_FOR_MISSING: ReadonlyMap<string, string> = new Map([
  ["root", "Name the folder, relative to the policy file: `root: .`."],
  ["version", "Begin the file with `version: 1`."],
  ["base_url", "Say where calls go, such as `base_url: https://api.example.com/v1`."],
  ["type", "Say what it is: `type: sqlite` or `type: postgres`."],
  ["level", "A sink says the highest level that may be sent, such as `level: public`."],
]);

function reportMissing(root: Tree, path: Path, report: Report): void {
  const owner = path.slice(0, -1);
  const key = String(path.at(-1));
  const map = treeAt(root, owner);
  if (map?.kind !== "map" || map.partial) return;
  // A key that comes later stands for the missing one, and is reported itself.
  if (mapAt(owner)?.later.some((known) => entryOf(map, known))) return;
  report.add(map.at, `${quote(key)} is missing.`, FIX_FOR_MISSING.get(key));
}

/** What is said of a key that only a later version enforces. */
const NOT_YET = "is known, but this version doesn't enforce it yet.";
const NOT_YET_FIX = "Remove it: what is written here must hold.";

function reportUnknownKeys(map: Tree, path: Path, keys: readonly string[], report: Report): void {
  const kind = mapAt(path);
  for (const key of keys) {
    const at = entryOf(map, key)?.at ?? map.at;
    if (kind?.later.includes(key)) {
      report.add(at, `${quote(key)} ${NOT_YET}`, NOT_YET_FIX);
    } else {
      const known = kind?.keys ?? [];
      const message = `Unknown key ${quote(key)}${didYouMean(key, known)}`;
      report.add(at, message, message.endsWith("?") ? undefined : fixForKey(kind?.title, known));
    }
  }
}

function fixForKey(title: string | undefined, known: readonly string[]): string | undefined {
  if (title === undefined) return undefined;
  // All of them: a key that isn't told is one that nobody finds.
  return known.length === 0
    ? `${title} takes no keys.`
    : `${title} takes ${quoteAll(known, "and", known.length)}.`;
}
