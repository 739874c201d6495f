/** Checks the names of levels, trust and categories: where they are declared, and in every source and sink. */
import { isLabelName, nearMiss } from "../../core/index.ts";
import { didYouMeanValue } from "../document/near-miss.ts";
import { quote, quoteAll } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import {
  child,
  type Entry,
  entriesOf,
  isText,
  itemsOf,
  type TextTree,
  type Tree,
  textsOf,
} from "../document/tree.ts";
import type { Declared, DeclaredNames } from "./declared.ts";

const NAME_FIX =
  'A name has 1 to 64 letters, digits and any of "_ . : / -", and begins with a letter or a digit.';

export function checkLabels(root: Tree, declared: Declared, report: Report): void {
  for (const key of ["levels", "trust"]) checkList(key, child(root, key), report);
  for (const { key, at } of entriesOf(child(root, "categories"))) {
    if (!isLabelName(key)) report.add(at, `A category can't be called ${quote(key)}.`, NAME_FIX);
  }
  for (const { value } of labelled(declared)) {
    checkLabel(child(value, "source"), declared, report);
    checkSink(child(value, "sink"), declared, report);
  }
}

/** What has a source or a sink. */
const labelled = ({ servers, tools, workspace }: Declared): readonly Entry[] => [
  ...servers,
  ...tools,
  ...(workspace ? [workspace, ...workspace.tools] : []),
];

/** A list of names that the file declares: each well-formed, none twice, at least one. */
function checkList(key: string, list: Tree | undefined, report: Report): void {
  if (list?.kind === "list" && itemsOf(list).length === 0) {
    report.add(
      list.at,
      `${quote(key)} is an empty list.`,
      "Name at least one, or remove the key for the usual ones.",
    );
  }
  const seen = new Set<string>();
  for (const item of textsOf(list)) {
    // An empty one is told by the check of the shape.
    if (item.value !== "" && !isLabelName(item.value)) {
      report.add(item.at, `An item of ${quote(key)} can't be called ${quote(item.written)}.`, NAME_FIX);
    } else if (seen.has(item.value)) {
      report.add(
        item.at,
        `${quote(item.written)} stands twice in ${quote(key)}.`,
        "Its place would be in doubt: keep one.",
      );
    }
    seen.add(item.value);
  }
}

/** A level's name, or a map of level, categories and trust. */
export function checkLabel(label: Tree | undefined, declared: Declared, report: Report): void {
  checkName("level", isText(label) ? label : child(label, "level"), declared.levels, report);
  checkTrustAndCategories(label, declared, report);
}

/** The sensitivity, categories and trust of a database, an API or an operation. */
export function checkSensitivity(tree: Tree, declared: Declared, report: Report): void {
  checkName("level", child(tree, "sensitivity"), declared.levels, report);
  checkTrustAndCategories(tree, declared, report);
}

/** A clearance, or a list of them. */
export function checkSink(sink: Tree | undefined, declared: Declared, report: Report): void {
  for (const clearance of sink?.kind === "list" ? sink.items : [sink])
    checkLabel(clearance, declared, report);
}

function checkTrustAndCategories(label: Tree | undefined, declared: Declared, report: Report): void {
  checkName("trust", child(label, "trust"), declared.trust, report);
  for (const category of textsOf(child(label, "categories"))) {
    checkName("category", category, declared.categories, report);
  }
}

const PLURALS = { level: "levels", trust: "trust levels", category: "categories" } as const;

function checkName(
  kind: keyof typeof PLURALS,
  tree: Tree | undefined,
  names: DeclaredNames,
  report: Report,
): void {
  if (!isText(tree) || tree.value === "" || names === undefined || names.has(tree.value)) return;
  const noun = kind === "trust" ? "trust level" : kind;
  const known = [...names.values()];
  report.add(
    tree.at,
    `Unknown ${noun} ${quote(tree.written)}${didYouMeanValue(tree, known)}`,
    fixFor(kind, tree, known),
  );
}

function fixFor(kind: keyof typeof PLURALS, tree: TextTree, known: readonly string[]): string | undefined {
  if (tree.value === tree.written && nearMiss(tree.value, known) !== undefined) return undefined;
  if (kind === "category" && known.length === 0) return "Declare it under `categories`.";
  return `The ${PLURALS[kind]} are ${quoteAll(known)}.`;
}
