/**
 * A parsed condition to a function. Ours instead of the parser's own, because it must be total: every part either
 * has a value of JSON or is `UNCLEAR`, and what it costs is counted. A part that can't be determined doesn't matter where
 * the other side of `&&` or `||` settles the whole, as CEL has it.
 */
import type { ASTNode } from "@marcbachmann/cel-js";
import { FUNCTIONS, keysOf, METHODS } from "./functions.ts";
import { isRoot, LOOPS, type Scope, type Step, UNCLEAR } from "./scope.ts";
import {
  asBoolean,
  attempt,
  calculate,
  compare,
  isAny,
  isEqual,
  isIn,
  isList,
  isMapping,
  itemAt,
  negate,
} from "./values.ts";

/** `items` are the names that stand for items here, outermost first. The node was checked by `findProblems`. */
export function toStep(node: ASTNode, items: readonly string[] = []): Step {
  const step = (part: ASTNode): Step => toStep(part, items);
  switch (node.op) {
    case "value":
      return constant(node.args);
    case "id":
      return toName(node.args, items);
    case ".":
    case ".?": {
      const of = step(node.args[0]);
      const key = node.args[1];
      return (scope) => fieldOf(of(scope), key);
    }
    case "[]":
    case "[?]":
      return ofBoth(step(node.args[0]), step(node.args[1]), itemAt);
    case "list": {
      const parts = node.args.map(step);
      return (scope) => parts.map((part) => part(scope));
    }
    case "map":
      return toMapStep(node.args.map(([key, value]) => [step(key), step(value)] as const));
    case "call":
      return toCall(node.args, items);
    case "rcall":
      return toMethodCall(node.args, items);
    case "!_": {
      const of = step(node.args);
      return (scope) => !asBoolean(of(scope));
    }
    case "-_": {
      const of = step(node.args);
      return (scope) => negate(of(scope));
    }
    case "?:": {
      const [when, then, otherwise] = node.args.map(step);
      return (scope) => (asBoolean(when?.(scope)) ? then?.(scope) : otherwise?.(scope));
    }
    case "&&":
      return toLogical(step(node.args[0]), step(node.args[1]), false);
    case "||":
      return toLogical(step(node.args[0]), step(node.args[1]), true);
    default:
      return toBinary(
        node,
        step(node.args[0]),
        node.op === "in" ? toList(node.args[1], items) : step(node.args[1]),
      );
  }
}

const constant =
  (value: unknown): Step =>
  () =>
    value;

const ofBoth =
  (left: Step, right: Step, combine: (left: unknown, right: unknown) => unknown): Step =>
  (scope) =>
    combine(left(scope), right(scope));

function toName(name: string, items: readonly string[]): Step {
  const place = items.lastIndexOf(name);
  if (place >= 0) return (scope) => scope.items[place];
  if (isRoot(name)) return (scope) => scope.facts[name];
  return () => {
    throw UNCLEAR;
  };
}

const fieldOf = (value: unknown, key: string): unknown => {
  if (!isMapping(value) || !Object.hasOwn(value, key)) throw UNCLEAR;
  return value[key];
};

/** `settles`: what either side is enough to say. */
function toLogical(left: Step, right: Step, settles: boolean): Step {
  return (scope) => {
    const first = attempt(() => left(scope), scope.meter);
    if (first === settles) return settles;
    const second = attempt(() => right(scope), scope.meter);
    if (second === settles) return settles;
    if (first === null || second === null) throw UNCLEAR;
    return !settles;
  };
}

type Binary = Extract<ASTNode, { args: [ASTNode, ASTNode] }>;

function toBinary({ op, args }: Binary, left: Step, right: Step): Step {
  const expectsNull = args.some(isNullable);
  switch (op) {
    case "==":
      return (scope) => isEqual(left(scope), right(scope), scope.meter, expectsNull);
    case "!=":
      return (scope) => !isEqual(left(scope), right(scope), scope.meter, expectsNull);
    case "in":
      return (scope) => isIn(left(scope), right(scope), scope.meter, expectsNull);
    case "<":
      return (scope) => compare(left(scope), right(scope), scope.meter) < 0;
    case "<=":
      return (scope) => compare(left(scope), right(scope), scope.meter) <= 0;
    case ">":
      return (scope) => compare(left(scope), right(scope), scope.meter) > 0;
    case ">=":
      return (scope) => compare(left(scope), right(scope), scope.meter) >= 0;
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
      return (scope) => calculate(op, left(scope), right(scope), scope.meter);
    default:
      return constant(undefined);
  }
}

/** Whether null is one of the values that a part is known to have: not that of an argument. */
const isNullable = (node: ASTNode): boolean =>
  (node.op === "value" && node.args === null) ||
  (node.op === "." && node.args[0].op === "id" && /^(?:tool|session)$/.test(node.args[0].args));

function toMapStep(entries: readonly (readonly [key: Step, value: Step])[]): Step {
  return (scope) => {
    const map: Record<string, unknown> = Object.create(null);
    for (const [toKey, toValue] of entries) {
      const key = toKey(scope);
      if (typeof key !== "string") throw UNCLEAR;
      map[key] = toValue(scope);
    }
    return map;
  };
}

function toCall([name, parts]: [string, ASTNode[]], items: readonly string[]): Step {
  const [part] = parts;
  if (name === "has" && part?.op === ".") {
    const of = toStep(part.args[0], items);
    const key = part.args[1];
    return (scope) => {
      const owner = of(scope);
      if (!isMapping(owner)) throw UNCLEAR;
      return Object.hasOwn(owner, key);
    };
  }
  return applied(FUNCTIONS, name, parts, items);
}

function toMethodCall([name, receiver, parts]: [string, ASTNode, ASTNode[]], items: readonly string[]): Step {
  if (LOOPS.has(name)) return toLoopOver(name, receiver, parts, items);
  return applied(METHODS, name, [receiver, ...parts], items);
}

/**
 * Where a list is gone through. Of what is an object whatever the call (all arguments, or one that the condition spells
 * out) these are the keys. Any other object stands where a list was meant, and is left as it is, to be `UNCLEAR`.
 */
function toList(node: ASTNode, items: readonly string[]): Step {
  const of = toStep(node, items);
  const isObject = node.op === "map" || (node.op === "id" && node.args === "args" && !items.includes("args"));
  return isObject ? (scope) => keysOf(of(scope), scope.meter) : of;
}

function toLoopOver(
  name: string,
  receiver: ASTNode,
  [item, ...parts]: readonly ASTNode[],
  items: readonly string[],
): Step {
  const inside = [...items, item?.op === "id" ? item.args : ""];
  return toLoop({
    name,
    of: toList(receiver, items),
    parts: parts.map((part) => toStep(part, inside)),
    place: items.length,
    // A part costs as much as it is long: each of its pieces is asked at most once for an item.
    cost: parts.reduce((sum, { start, end }) => sum + end - start, 0) / 4,
  });
}

function applied(
  known: typeof FUNCTIONS,
  name: string,
  parts: readonly ASTNode[],
  items: readonly string[],
): Step {
  const apply = known.get(name);
  const steps = parts.map((part) => (name === "size" ? toList(part, items) : toStep(part, items)));
  return (scope) => {
    if (apply === undefined) throw UNCLEAR;
    return apply(scope.meter, ...steps.map((step) => step(scope)));
  };
}

interface Loop {
  readonly name: string;
  /** What is gone through. */
  readonly of: Step;
  /** What is asked of each item. */
  readonly parts: readonly Step[];
  /** Where the item stands among those of the scope. */
  readonly place: number;
  /** What asking one item costs. */
  readonly cost: number;
}

/**
 * `exists` and its like: a part of a condition for each item of a list. An object is `UNCLEAR`: whoever sends one in
 * place of a list would otherwise pass what its keys don't break.
 */
const toLoop =
  ({ name, of, parts, place, cost }: Loop): Step =>
  (scope) => {
    const all = of(scope);
    if (!isList(all)) throw UNCLEAR;
    const ask = (part: Step, item: unknown): unknown => {
      scope.meter.charge(4 + cost);
      scope.items[place] = item;
      return part(scope);
    };
    return run(name, all, parts, ask, scope);
  };

type Ask = (step: Step, value: unknown) => unknown;

function run(
  name: string,
  all: readonly unknown[],
  steps: readonly Step[],
  ask: Ask,
  { meter }: Scope,
): unknown {
  const [test, change] = steps;
  if (test === undefined) throw UNCLEAR;
  const holds = (value: unknown): boolean => asBoolean(ask(test, value));
  switch (name) {
    case "exists":
      return isAny(all, holds, meter);
    case "all":
      return !isAny(all, (value) => !holds(value), meter);
    case "exists_one":
      return all.filter(holds).length === 1;
    case "filter":
      return all.filter(holds);
    case "map": {
      const kept = change === undefined ? all : all.filter(holds);
      meter.charge(kept.length);
      return kept.map((value) => ask(change ?? test, value));
    }
    default:
      throw UNCLEAR;
  }
}
