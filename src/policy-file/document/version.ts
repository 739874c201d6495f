/** A policy's version: the hash of what its file says, whatever the order of its keys and its comments. */
import { createHash } from "node:crypto";
import { entriesOf, type Tree } from "./tree.ts";

const byKey = (left: { key: string }, right: { key: string }): number => (left.key < right.key ? -1 : 1);

function canonical(tree: Tree): string {
  switch (tree.kind) {
    case "scalar":
      return JSON.stringify(tree.value);
    case "list":
      return `[${tree.items.map(canonical).join(",")}]`;
    case "map": {
      const entries = [...entriesOf(tree)].sort(byKey);
      return `{${entries.map(({ key, value }) => `${JSON.stringify(key)}:${canonical(value)}`).join(",")}}`;
    }
  }
}

/**
 * `sha256:` and the hash of a document's canonical JSON, followed by the hashes of what else belongs to it, by name.
 * Give it the document as written: secrets that variables hold are no part of a policy's identity.
 */
export function versionOf(tree: Tree, digests: ReadonlyMap<string, string> = new Map()): string {
  const hash = createHash("sha256").update(canonical(tree));
  for (const [name, digest] of [...digests].sort(([left], [right]) => (left < right ? -1 : 1))) {
    hash.update(`\n${JSON.stringify([name, digest])}`);
  }
  return `sha256:${hash.digest("hex")}`;
}
