/** Walks the select list: the names that a SELECT returns to the outer query, and what each depends on. */

import { type Fields, namesIn, nodeIn, nodesIn, type TreeNode } from "../parsing/parse-tree.ts";
import { eitherKind, kindOfValue, type ValueKind } from "../value-identity.ts";
import { Dependencies } from "./dependencies.ts";
import { nameOfOutput } from "./output-name.ts";
import { readExpression } from "./read-expression.ts";
import type { Derived, Lazy, ReadingContext } from "./reading-context.ts";
import type { Entry } from "./scope.ts";

/** @param context its level is the complete FROM of this SELECT */
export function readOutputs(select: Fields, context: ReadingContext, lazy: Lazy): Derived {
  const outputs = new Outputs();
  for (const target of nodesIn(select, "targetList")) {
    const value = nodeIn(target.fields, "val");
    if (value === null) continue;
    const starred = entriesOfStar(value, context);
    if (starred !== null) outputs.addStar(starred, context, lazy);
    else
      outputs.add(nameOfOutput(target, value), readOutput(value, context, lazy), kindOfValue(value, context));
  }
  return outputs.toDerived();
}

class Outputs {
  readonly #columns = new Set<string>();
  readonly #outputs = new Map<string, Dependencies>();
  #places: Dependencies[] | null = [];
  readonly #kinds = new Map<string, ValueKind>();
  readonly #kindsByPlace: ValueKind[] = [];
  #open = false;

  add(name: string | null, reads: Dependencies, kind: ValueKind): void {
    this.#places?.push(reads);
    this.#kindsByPlace.push(kind);
    if (name === null) this.#open = true;
    else this.#note(name, reads, kind);
  }

  addStar(entries: readonly Entry[], context: ReadingContext, lazy: Lazy): void {
    this.#places = null;
    for (const entry of entries) {
      if (lazy === "none" || entry.open) entry.touchAll(context.reads);
      this.#open ||= entry.open;
      for (const column of entry.columns) {
        const later = new Dependencies();
        if (lazy !== "none") entry.touch(column, later);
        noteNow(later, context);
        this.#note(column, later, entry.kindOf?.(column) ?? "loose");
      }
    }
  }

  toDerived(): Derived {
    return {
      columns: this.#columns,
      open: this.#open,
      outputs: this.#outputs,
      places: this.#places,
      kinds: this.#kinds,
      kindsByPlace: this.#places === null ? null : this.#kindsByPlace,
    };
  }

  /** Two outputs may have one name. */
  #note(name: string, reads: Dependencies, kind: ValueKind): void {
    this.#kinds.set(name, eitherKind(kind, this.#kinds.get(name) ?? kind));
    this.#columns.add(name);
    const known = this.#outputs.get(name);
    if (known === undefined) this.#outputs.set(name, reads);
    else this.#outputs.set(name, joined(known, reads));
  }
}

function joined(first: Dependencies, second: Dependencies): Dependencies {
  const both = new Dependencies();
  both.merge(first);
  both.merge(second);
  return both;
}

/** What is noted when the output is read, without what is noted already. */
function readOutput(value: TreeNode, context: ReadingContext, lazy: Lazy): Dependencies {
  const later = new Dependencies();
  if (lazy === "none" || (lazy === "columns" && (value.kind !== "ColumnRef" || isStar(value)))) {
    readExpression(value, context);
    return later;
  }
  readExpression(value, { ...context, reads: later });
  noteNow(later, context);
  return later;
}

/**
 * Notes what happens even if the output isn't read: a call may have an effect, and in a WITH a computation may fail.
 */
function noteNow(later: Dependencies, { inWith, reads }: ReadingContext): void {
  if (!later.isResolved || (inWith && later.mayFail)) reads.merge(later);
}

/** The relations of `*` or `orders.*`; null for anything else, and for a row of an outer query. */
function entriesOfStar(value: TreeNode, context: ReadingContext): readonly Entry[] | null {
  if (!isStar(value)) return null;
  const fields = nodesIn(value.fields, "fields");
  const entries = context.level?.entries ?? [];
  if (fields.length === 1) return entries;
  const name = namesIn(value.fields, "fields").at(-1);
  const named = entries.filter((entry) => entry.name === name);
  return named.length === 0 ? null : named;
}

const isStar = (value: TreeNode): boolean =>
  value.kind === "ColumnRef" && nodesIn(value.fields, "fields").at(-1)?.kind === "A_Star";
