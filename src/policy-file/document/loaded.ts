/** A policy beside the document that it was built from, for who looks for what was probably not meant. */
import { definePolicy, type Policy, type ToolPolicy } from "../../core/index.ts";
import type { Declared } from "../sections/declared.ts";
import type { Tree } from "./tree.ts";

export interface Loaded {
  readonly root: Tree;
  readonly declared: Declared;
  readonly policy: Policy;
}

/** The identities of the tools that one limit alone would take away: what the core says, not what we think. */
export function takenAwayBy({ policy }: Loaded, limit: ToolPolicy): ReadonlySet<string> {
  const { removed } = definePolicy({ ...policy.origin.declaration, roles: {}, policy: limit });
  return new Set(removed.keys());
}
