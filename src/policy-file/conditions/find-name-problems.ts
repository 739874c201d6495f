/** Checks the names that a condition compares the session's with, and that it doesn't take their order for an alphabet's. */
import type { ASTNode } from "@marcbachmann/cel-js";
import { didYouMean } from "../document/near-miss.ts";
import { quote, quoteAll } from "../document/quote.ts";
import type { DeclaredNames } from "../sections/declared.ts";

/** Something wrong with a condition. */
export interface ConditionProblem {
  /** Where in its text, in UTF-16 units. */
  readonly offset: number;
  readonly message: string;
  readonly fix?: string;
}

/** The names that a policy declares. */
export interface KnownNames {
  readonly levels: DeclaredNames;
  readonly trust: DeclaredNames;
  readonly categories: DeclaredNames;
  readonly roles: DeclaredNames;
}

interface Compared {
  /** What its names are called. */
  readonly noun: string;
  readonly names: DeclaredNames;
}

export function findNameProblems(node: ASTNode, known: KnownNames): readonly ConditionProblem[] {
  if (node.op === "<" || node.op === "<=" || node.op === ">" || node.op === ">=") {
    return node.args.some((side) => isOrdered(side)) ? [ordered(node.start)] : [];
  }
  if (node.op !== "==" && node.op !== "!=" && node.op !== "in") return [];
  return [node.args, node.args.toReversed()].flatMap(([side, other]) => {
    const compared = side && comparedWith(side, known);
    return compared && other ? textsOf(other).flatMap((text) => unknownName(text, compared)) : [];
  });
}

const fieldOfSession = (node: ASTNode): string | null =>
  node.op === "." && node.args[0].op === "id" && node.args[0].args === "session" ? node.args[1] : null;

const isOrdered = (node: ASTNode): boolean => ["level", "trust"].includes(fieldOfSession(node) ?? "");

const ordered = (offset: number): ConditionProblem => ({
  offset,
  message: "`<` and `>` would compare the letters of a level, not how high it is.",
  fix: 'Name the levels that are meant: `session.level in ["confidential", "secret"]`.',
});

function comparedWith(node: ASTNode, { levels, trust, categories, roles }: KnownNames): Compared | null {
  switch (fieldOfSession(node)) {
    case "level":
      return { noun: "level", names: levels };
    case "trust":
      return { noun: "trust level", names: trust };
    case "categories":
      return { noun: "category", names: categories };
    case "role":
      return { noun: "role", names: roles };
    default:
      return null;
  }
}

interface Text {
  readonly text: string;
  readonly offset: number;
}

function textsOf(node: ASTNode): readonly Text[] {
  if (node.op === "list") return node.args.flatMap(textsOf);
  return node.op === "value" && typeof node.args === "string"
    ? [{ text: node.args, offset: node.start }]
    : [];
}

function unknownName({ text, offset }: Text, { noun, names }: Compared): readonly ConditionProblem[] {
  if (names === undefined || names.has(text)) return [];
  const known = [...names.values()];
  const end = didYouMean(text, known);
  const fix = known.length === 0 ? "None is declared." : `There are ${quoteAll(known)}.`;
  return [{ offset, message: `Unknown ${noun} ${quote(text)}${end}`, ...(end === "." && { fix }) }];
}
