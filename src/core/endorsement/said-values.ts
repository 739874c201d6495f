/**
 * Finds the values that the user said. All values of a call are searched for at once, in a tree of their words: a
 * long text costs one pass, however many values there are.
 */
import type { Utterance, Words } from "./user-word.ts";

interface Sequence {
  /** The tokens of its words, in order; a value without words was never said. */
  readonly words: readonly string[];
}

/** The position of a word in the user's words. */
interface Place {
  readonly utterance: Utterance;
  readonly at: number;
}

/** The values whose words follow each other in one utterance. */
export function saidAmong<Value extends Sequence>(
  { utterances }: Pick<Words, "utterances">,
  values: readonly Value[],
): ReadonlySet<Value> {
  const places = placesOf(utterances);
  const root = toTree(values);
  const said = new Set<Value>();
  for (const [word, node] of root.next) {
    for (const { utterance, at } of places.get(word) ?? []) {
      if (follow(node, utterance, at + 1, said)) break;
    }
  }
  return said;
}

export const isSaid = (words: Pick<Words, "utterances">, sequence: readonly string[]): boolean =>
  saidAmong(words, [{ words: sequence }]).size > 0;

/** Values with the same words up to here. */
interface Node<Value> {
  /** Those that end here and weren't found yet. */
  ending: Value[];
  readonly next: Map<string, Node<Value>>;
}

const emptyNode = <Value>(): Node<Value> => ({ ending: [], next: new Map() });

function toTree<Value extends Sequence>(values: readonly Value[]): Node<Value> {
  const root = emptyNode<Value>();
  for (const value of values) {
    let node = root;
    for (const word of value.words) {
      const next = node.next.get(word) ?? emptyNode();
      node.next.set(word, next);
      node = next;
    }
    node.ending.push(value);
  }
  return root;
}

/** Finds the values that continue as the utterance does. True if none is left below this node. */
function follow<Value>(node: Node<Value>, utterance: Utterance, at: number, said: Set<Value>): boolean {
  for (const value of node.ending) said.add(value);
  node.ending = [];
  if (node.next.size === 0) return true;
  for (const form of utterance[at] ?? []) {
    const next = node.next.get(form);
    if (next && follow(next, utterance, at + 1, said)) node.next.delete(form);
  }
  return node.next.size === 0;
}

/** The positions of each form of each word, cached: utterances never change. */
const knownPlaces = new WeakMap<readonly Utterance[], ReadonlyMap<string, readonly Place[]>>();

function placesOf(utterances: readonly Utterance[]): ReadonlyMap<string, readonly Place[]> {
  const known = knownPlaces.get(utterances);
  if (known !== undefined) return known;
  const places = new Map<string, Place[]>();
  for (const utterance of utterances) {
    for (const [at, forms] of utterance.entries()) {
      for (const form of forms) {
        const found = places.get(form);
        if (found) found.push({ utterance, at });
        else places.set(form, [{ utterance, at }]);
      }
    }
  }
  knownPlaces.set(utterances, places);
  return places;
}
