/** Says what is wrong with a value of the wrong shape. Quotes what stands in the file, never a variable's value. */
import { didYouMeanValue, quote, quoteAll } from "./document/quote.ts";
import { isText, type Tree } from "./document/tree.ts";

type Path = readonly PropertyKey[];
export type Wording = readonly [message: string, fix?: string | undefined];

/** A value that is of the wrong kind; `phrase` says what it must be. */
export const wordKind = (tree: Tree, path: Path, phrase: string): Wording => [
  `${subjectOf(path)} must be ${phrase}, but ${kindOf(tree)}.`,
  fixForKind(tree, phrase),
];

/** A value that is none of those that its key takes. */
export function wordValue(tree: Tree, path: Path, known: readonly unknown[]): Wording {
  const values = known.map(String);
  if (isText(tree) && known.every((value) => typeof value === "number")) {
    return [
      `${subjectOf(path)} must be a number, but it is text.`,
      `Write ${quoteAll(values, "or")}, without quotes.`,
    ];
  }
  const near = isText(tree) ? didYouMeanValue(tree, values) : didYouMeanFlag(tree, values);
  if (path.at(-1) === "approval")
    return [`\`approval\` takes \`always\`, \`never\` or a condition, not ${asWritten(tree)}${near}`];
  return [`${quote(keyOf(path))} takes ${quoteAll(values, "or")}, not ${asWritten(tree)}${near}`];
}

/** `true` and `false` where a value has words for them. */
function didYouMeanFlag(tree: Tree, values: readonly string[]): string {
  if (tree.kind !== "scalar" || typeof tree.value !== "boolean" || !values.includes("always")) return ".";
  return `; did you mean ${quote(tree.value ? "always" : "never")}?`;
}

/** Text or a list with nothing in it. */
export const wordEmpty = (path: Path): Wording => [
  `${subjectOf(path)} must not be empty.`,
  path.at(-1) === "sink"
    ? "With no clearance at all it could never run; remove the key, or name a level."
    : undefined,
];

/** What a path leads to, at the beginning of a sentence. */
function subjectOf(path: Path): string {
  if (path.length === 0) return "The file";
  return typeof path.at(-1) === "number" ? `An item of ${quote(keyOf(path))}` : quote(keyOf(path));
}

/** The key under which a value stands, or the list that it is in. */
const keyOf = (path: Path): string => String(path.findLast((step) => typeof step === "string") ?? "");

function asWritten(tree: Tree): string {
  if (tree.kind !== "scalar") return `a ${tree.kind}`;
  return tree.written === "" ? "nothing" : quote(tree.written);
}

function kindOf(tree: Tree): string {
  if (tree.kind !== "scalar") return `it is a ${tree.kind}`;
  if (tree.value === null) return "there is nothing";
  if (typeof tree.value === "string") return "it is text";
  return `${quote(tree.written)} is ${typeof tree.value === "number" ? "a number" : "a boolean"}`;
}

function fixForKind(tree: Tree, phrase: string): string | undefined {
  if (tree.kind !== "scalar") return undefined;
  if (typeof tree.value === "string") {
    return phrase.startsWith("a list") ? `Put it in brackets: ${quote(`[${tree.written}]`)}.` : undefined;
  }
  if (tree.value === null)
    return phrase === "text" ? 'Write `""` for empty text.' : "Fill it in, or remove the key.";
  return phrase === "text" ? `Put it in quotes: ${quote(`"${tree.written}"`)}.` : undefined;
}
