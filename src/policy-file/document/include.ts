/**
 * Files that hold `databases` and `apis` alone, and how they come into the policy that includes them. What they say is
 * checked with the rest; here they are only put together.
 */
import { wordKind } from "../shape-wording.ts";
import { type Environment, fillIn } from "./environment.ts";
import { didYouMean, quote } from "./quote.ts";
import { type Files, readNamed } from "./read-files.ts";
import { MAX_FILE_SIZE, POLICY_KIND, readYaml } from "./read-yaml.ts";
import { type Report, START } from "./report.ts";
import {
  child,
  type Entry,
  entriesOf,
  entryOf,
  type MapTree,
  type Position,
  type Tree,
  textsOf,
} from "./tree.ts";

/** What an included file may hold. */
const SECTIONS = ["databases", "apis"] as const;
type Section = (typeof SECTIONS)[number];

const NOUNS = { databases: "database", apis: "API" } as const;

const MAX_FILES = 32;

/** The policy with what its `include` names put under its own keys, as both are written. */
export async function withIncluded(
  written: Tree,
  environment: Environment,
  files: Files,
  report: Report,
): Promise<Tree> {
  const include = child(written, "include");
  if (written.kind !== "map" || include === undefined) return written;
  const named = textsOf(fillIn(include, environment, report)).filter(({ value }) => value !== "");
  if (named.length > MAX_FILES) {
    report.add(include.at, `\`include\` names more than ${MAX_FILES} files.`, "Put several into one.");
    return written;
  }
  const seen = new Set<string>();
  let whole: MapTree = written;
  for (const name of named) {
    const found = await readNamed(name, MAX_FILE_SIZE, files, report);
    if (found === null) continue;
    if (seen.has(found.file))
      report.add(name.at, `${quote(name.written)} is included twice.`, "Keep one of the two.");
    else whole = merged(whole, readIncluded(found.file, found.text, report), files, report);
    seen.add(found.file);
  }
  return whole;
}

/** The sections of an included file; what else stands there is reported. */
function readIncluded(file: string, text: string, report: Report): readonly Entry[] {
  const tree = readYaml(text, report, { ...POLICY_KIND, file, ifEmpty: ["The file is empty.", FIX] });
  if (tree === null) return [];
  if (tree.kind !== "map") {
    report.add(tree.at, "An included file must be a map with `databases` or `apis`.", FIX);
    return [];
  }
  const found = entriesOf(tree);
  for (const { key, at, value } of found) {
    if (!isSection(key)) report.add(at, ...wordOther(key));
    else if (value.kind !== "map")
      report.add(value.at, ...wordKind(value, [key], `a map of ${NOUNS[key]}s by name`));
  }
  if (found.length === 0 && !tree.partial) {
    report.add({ ...START, file }, "An included file holds `databases` or `apis`, and this one has neither.");
  }
  return found.filter(({ key, value }) => isSection(key) && value.kind === "map");
}

const FIX = "Begin with `databases:` or `apis:`.";

const isSection = (key: string): key is Section => SECTIONS.some((section) => section === key);

function wordOther(key: string): readonly [message: string, fix?: string] {
  if (key === "include")
    return ["An included file includes no other.", "Name it in the `include` of the policy file."];
  const end = didYouMean(key, SECTIONS);
  const message = `${quote(key)} can't stand in an included file${end}`;
  return end === "."
    ? [message, "It holds `databases` and `apis` alone; the rest goes into the policy file."]
    : [message];
}

function merged(whole: MapTree, sections: readonly Entry[], files: Files, report: Report): MapTree {
  const entries = new Map(whole.entries);
  for (const section of sections) {
    const own = entryOf(whole, section.key);
    entries.set(
      section.key,
      own === undefined ? section : { ...own, value: together(own, section, files, report) },
    );
  }
  return { ...whole, entries };
}

/** The entries of two maps of one key; of two with one name the first. */
function together(own: Entry, added: Entry, files: Files, report: Report): Tree {
  // What is no map in the policy file is told by the check of the shape.
  if (own.value.kind !== "map" || added.value.kind !== "map") return own.value;
  const entries = new Map(own.value.entries);
  for (const entry of added.value.entries.values()) {
    const before = entries.get(entry.key);
    if (before === undefined) entries.set(entry.key, entry);
    else {
      const noun = isSection(added.key) ? NOUNS[added.key] : added.key;
      const first = `the first is ${wordPlace(before.at, files)}`;
      report.add(
        entry.at,
        `The ${noun} ${quote(entry.key)} is declared twice; ${first}.`,
        "Keep one of the two.",
      );
    }
  }
  return { ...own.value, entries, partial: own.value.partial || added.value.partial };
}

/** A place in whatever file it is. */
export const wordPlace = ({ line, file }: Position, { policy }: Files): string =>
  `in ${quote(file ?? policy)} on line ${line}`;
