/**
 * What is wrong with a parsed condition, as far as names tell: what it may see, which functions there are, which
 * levels and roles. What the types tell is for the parser's own check.
 */
import type { ASTNode } from "@marcbachmann/cel-js";
import { nearMiss } from "../../core/index.ts";
import { didYouMean, quote, quoteAll } from "../document/quote.ts";
import {
  type Comparison,
  type ConditionProblem,
  comparisonsIn,
  findNameProblems,
  type KnownNames,
} from "./find-name-problems.ts";
import { FUNCTIONS, METHODS } from "./functions.ts";
import { isRoot, LOOPS, ROOTS } from "./scope.ts";

export function findProblems(node: ASTNode, known: KnownNames): readonly ConditionProblem[] {
  const problems: ConditionProblem[] = [];
  visit(node, [], (part, items) => {
    const problem = problemOf(part, items);
    problems.push(...(problem === null ? [] : [problem]), ...findNameProblems(part, known));
  });
  return problems;
}

/** What a condition names of a call. */
export interface ConditionNames {
  /** What differs from call to call: `args`, `tool`, `session`. */
  readonly roots: ReadonlySet<string>;
  readonly comparisons: readonly Comparison[];
  /** Whether it asks if an argument is there. */
  readonly isOptional: boolean;
}

export function findNames(node: ASTNode): ConditionNames {
  const roots = new Set<string>();
  const comparisons: Comparison[] = [];
  let isOptional = false;
  visit(node, [], (part) => {
    if (part.op === "id" && isRoot(part.args)) roots.add(part.args);
    if (part.op === "call" && part.args[0] === "has") isOptional = true;
    comparisons.push(...comparisonsIn(part));
  });
  return { roots, comparisons, isOptional };
}

type Visitor = (node: ASTNode, items: readonly string[]) => void;

function visit(node: ASTNode, items: readonly string[], visitor: Visitor): void {
  visitor(node, items);
  if (node.op === "rcall" && LOOPS.has(node.args[0])) {
    const [, receiver, [item, ...parts]] = node.args;
    visit(receiver, items, visitor);
    const inside = item?.op === "id" ? [...items, item.args] : items;
    for (const part of parts) visit(part, inside, visitor);
  } else {
    for (const part of partsOf(node)) visit(part, items, visitor);
  }
}

function partsOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case "value":
    case "id":
      return [];
    case ".":
    case ".?":
      return [node.args[0]];
    case "!_":
    case "-_":
      return [node.args];
    case "call":
      return node.args[1];
    case "rcall":
      return [node.args[1], ...node.args[2]];
    case "map":
      return node.args.flat();
    default:
      return node.args;
  }
}

function problemOf(node: ASTNode, items: readonly string[]): ConditionProblem | null {
  switch (node.op) {
    case "value":
      return typeof node.args === "object" && node.args !== null
        ? { offset: node.start, message: "A condition has no bytes and no unsigned numbers." }
        : null;
    case "id":
      return items.includes(node.args) || isRoot(node.args) ? null : unknownName(node.args, node.start);
    case ".":
      return unknownField(node);
    case "call":
      return unknownFunction(node.args[0], node.start, CALLED, "a call");
    case "rcall":
      return problemOfMethod(node);
    default:
      return null;
  }
}

function unknownName(name: string, offset: number): ConditionProblem {
  const owner = Object.entries(ROOTS).find(([, fields]) => fields?.some((known) => known === name))?.[0];
  const near = owner === undefined ? nearMiss(name, Object.keys(ROOTS)) : `${owner}.${name}`;
  const message = `There is no ${quote(name)} in a condition; did you mean ${quote(near ?? `args.${name}`)}?`;
  return {
    offset,
    message,
    ...(near === undefined && { fix: "A condition sees `args`, `tool` and `session`." }),
  };
}

function unknownField({ args: [owner, field], pos }: Extract<ASTNode, { op: "." }>): ConditionProblem | null {
  if (owner.op !== "id" || !isRoot(owner.args)) return null;
  const known: readonly string[] | null = ROOTS[owner.args];
  if (known === null || known.includes(field)) return null;
  const end = didYouMean(field, known);
  const message = `${quote(owner.args)} has no ${quote(field)}${end}`;
  return { offset: pos, message, ...(end === "." && { fix: `It has ${quoteAll(known)}.` }) };
}

function problemOfMethod({ args: [name, receiver, parts], input }: Extract<ASTNode, { op: "rcall" }>) {
  if (!LOOPS.has(name)) {
    return unknownFunction(
      name,
      input.indexOf(name, receiver.end),
      [...METHODS.keys(), ...LOOPS.keys()],
      "a method",
    );
  }
  const [item] = parts;
  if (item?.op !== "id" || !isRoot(item.args)) return null;
  const message = `${quote(item.args)} is what a condition sees, and can't stand for an item as well.`;
  return { offset: item.start, message, fix: "Give the item another name." };
}

const CALLED = Object.freeze([...FUNCTIONS.keys(), "has"]);

/** THREAT: a pattern that takes for ever on one text can be made to by whoever writes the text, a model. */
const NO_PATTERNS = "Use `startsWith`, `endsWith` or `contains`: a regular expression could take for ever.";

function unknownFunction(
  name: string,
  offset: number,
  known: readonly string[],
  form: string,
): ConditionProblem | null {
  if (known.includes(name)) return null;
  if (name === "matches") return { offset, message: "A condition has no `matches`.", fix: NO_PATTERNS };
  const end = didYouMean(name, known);
  const message = `A condition has no ${quote(name)} as ${form}${end}`;
  return { offset, message, ...(end === "." && { fix: `It has ${quoteAll(known)}.` }) };
}
