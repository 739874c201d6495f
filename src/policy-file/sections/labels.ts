/** Levels, trust and categories: what a policy file declares of them, and the labels made of them. */
import { z } from "zod";
import {
  isLabelName,
  type Label,
  type LabelDeclaration,
  type Lattice,
  nearMiss,
  toSource,
} from "../../core/index.ts";
import { didYouMeanValue, quote, quoteAll } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, entriesOf, isText, itemsOf, type TextTree, type Tree, textsOf } from "../document/tree.ts";
import type { Declared, DeclaredNames } from "./declared.ts";
import { byName, described, map, name, names } from "./shape.ts";

export const labelKeys = {
  levels: described(
    names,
    "How sensitive data can be, lowest first. By default public, internal, confidential, secret.",
  ),
  trust: described(names, "How far data can be trusted, lowest first. By default untrusted, trusted."),
  categories: described(
    byName(
      map(
        "A category",
        {
          readers: described(
            names,
            "Who may receive such data: addresses, patterns with `*`, `group:NAME`. Left out: whoever a clearance names it for.",
          ),
        },
        { error: "empty or a map with `readers`" },
      ).nullable(),
      "a map of categories",
    ),
    "Kinds of data that a level doesn't tell apart, such as `hr:`.",
  ),
};

const level = name.meta({ description: "The name of a level, one of `levels`." });

const labelParts = {
  categories: described(names, "Categories, each declared under `categories`."),
  trust: described(name, "One of `trust`."),
};

const labelSchema = map("A label", {
  level: described(name, "How sensitive the data is: one of `levels`; the lowest where it is left out."),
  ...labelParts,
});

const clearanceSchema = map(
  "A sink",
  {
    level: name.meta({ description: "The highest level that may be sent: one of `levels`." }),
    ...labelParts,
  },
  { later: ["to"] },
);

const LABEL = "a level's name or a map of `level`, `categories` and `trust`";

export const source = z.union([level, labelSchema], { error: LABEL }).meta({
  id: "source",
  description: "The label of the data that comes in. `source: internal` is short for `{ level: internal }`.",
});

const clearance = z.union([level, clearanceSchema], { error: LABEL });

export const sink = z
  .union([level, clearanceSchema, z.array(clearance).min(1)], { error: `${LABEL}, or a list of them` })
  .meta({
    id: "sink",
    description: "What may be sent out: a clearance, or a list of clearances of which any one is enough.",
  });

const paths = z.union([name, z.array(name).min(1)], {
  error: "an argument's path such as `args.to`, or a list of them",
});

/** What a tool may send: a sink, or what its recipients may receive. */
export const toolSink = z
  .union(
    [
      level,
      clearanceSchema,
      z.array(clearance).min(1),
      z.strictObject({
        to: paths.meta({
          description:
            "The arguments that name the recipients, such as `args.to`: each may receive what `recipients` says.",
        }),
      }),
    ],
    { error: `${LABEL}, a list of them, or a map with \`to\`` },
  )
  .meta({
    id: "tool-sink",
    description:
      "What may be sent out: a clearance, a list of clearances of which any one is enough, or `to`.",
  });

/** What databases, APIs and operations say of what they hold. */
export const sensitivity = {
  sensitivity: described(name, "How sensitive what it holds is: one of `levels`. Left out: the lowest."),
  categories: described(names, "The categories of what it holds, each declared under `categories`."),
  trust: described(name, "How far what it holds can be trusted: one of `trust`. Left out: the highest."),
};

type SourceDocument = z.infer<typeof source>;
type SinkDocument = z.infer<typeof sink>;
type ToolSinkDocument = z.infer<typeof toolSink>;
interface SensitivityDocument {
  readonly sensitivity?: string | undefined;
  readonly categories?: string[] | undefined;
  readonly trust?: string | undefined;
}

const NAME_FIX =
  'A name has 1 to 64 letters, digits and any of "_ . : / -", and begins with a letter or a digit.';

export function checkLabels(root: Tree, report: Report): void {
  for (const key of ["levels", "trust"]) checkList(key, child(root, key), report);
  for (const { key, at } of entriesOf(child(root, "categories"))) {
    if (!isLabelName(key)) report.add(at, `A category can't be called ${quote(key)}.`, NAME_FIX);
  }
}

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

/** Whether neither a level nor a category is said. */
export const saysNothing = (tree: Tree): boolean =>
  child(tree, "sensitivity") === undefined && child(tree, "categories") === undefined;

/** The `source` and the `sink` of whatever has them. */
export function checkSourceAndSink(tree: Tree, declared: Declared, report: Report): void {
  checkLabel(child(tree, "source"), declared, report);
  checkClearances(child(tree, "sink"), declared, report);
}

/** A clearance, or a list of them. */
export function checkClearances(sinks: Tree | undefined, declared: Declared, report: Report): void {
  for (const one of sinks?.kind === "list" ? sinks.items : [sinks]) checkLabel(one, declared, report);
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
  known: DeclaredNames,
  report: Report,
): void {
  if (!isText(tree) || tree.value === "" || known === undefined || known.has(tree.value)) return;
  const noun = kind === "trust" ? "trust level" : kind;
  const all = [...known.values()];
  report.add(
    tree.at,
    `Unknown ${noun} ${quote(tree.written)}${didYouMeanValue(tree, all)}`,
    fixFor(kind, tree, all),
  );
}

function fixFor(kind: keyof typeof PLURALS, tree: TextTree, known: readonly string[]): string | undefined {
  if (tree.value === tree.written && nearMiss(tree.value, known) !== undefined) return undefined;
  if (kind === "category" && known.length === 0) return "Declare it under `categories`.";
  return `The ${PLURALS[kind]} are ${quoteAll(known)}.`;
}

/** What is left out stays so. */
export function toLabelDeclaration(label: SourceDocument): LabelDeclaration {
  if (typeof label === "string") return { level: label };
  const { level, categories, trust } = label;
  return {
    ...(level !== undefined && { level }),
    ...(categories && { categories }),
    ...(trust !== undefined && { trust }),
  };
}

export const toClearances = (sinks: SinkDocument): readonly LabelDeclaration[] =>
  Array.isArray(sinks) ? sinks.map(toLabelDeclaration) : [toLabelDeclaration(sinks)];

/** Paths of arguments, which may be written with `args.` before them. */
export const toPaths = (written: string | readonly string[]): readonly string[] =>
  (typeof written === "string" ? [written] : written).map((path) => path.replace(/^args\./, ""));

/** The sink of a tool, for the core. */
export function toToolSink(
  sinks: ToolSinkDocument | undefined,
): { readonly sink?: readonly LabelDeclaration[] } | { readonly to: readonly string[] } {
  if (sinks === undefined) return {};
  if (typeof sinks === "object" && "to" in sinks) return { to: toPaths(sinks.to) };
  return { sink: toClearances(sinks) };
}

/** The source and the sink of whatever has them, for the core. */
export const toSourceAndSink = (part: {
  readonly source?: SourceDocument | undefined;
  readonly sink?: SinkDocument | undefined;
}): { readonly source?: LabelDeclaration; readonly sink?: readonly LabelDeclaration[] } => ({
  ...(part.source !== undefined && { source: toLabelDeclaration(part.source) }),
  ...(part.sink !== undefined && { sink: toClearances(part.sink) }),
});

export const labelOf = (label: SourceDocument, lattice: Lattice): Label =>
  toSource(lattice, toLabelDeclaration(label));

export const labelsOf = (
  labels: Readonly<Record<string, SourceDocument>>,
  lattice: Lattice,
): ReadonlyMap<string, Label> =>
  new Map(Object.entries(labels).map(([key, label]) => [key, labelOf(label, lattice)]));

/** The label that `sensitivity`, `categories` and `trust` say; what is left out is that of `otherwise`. */
export const sensitivityOf = (
  { sensitivity: level, categories, trust }: SensitivityDocument,
  lattice: Lattice,
  otherwise: LabelDeclaration = {},
): Label => toSource(lattice, { ...otherwise, ...toLabelDeclaration({ level, categories, trust }) });
