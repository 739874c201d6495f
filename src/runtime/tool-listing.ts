/**
 * What the agent of a view is told: its tools, its manifest, its planning prompt. Each is built once for a set of
 * visible tools and a label, and shared by all sessions, runs and requests with the same.
 */

import { hash } from "node:crypto";
import {
  type Facts,
  fromLimit,
  type Manifest,
  manifest,
  type Policy,
  planningPrompt,
  type SessionState,
  type Tool,
  visibleTools,
} from "../core/index.ts";
import { BoundedMap } from "../json/bounded-map.ts";

/** What is told about a set of tools under a label. The same object as long as both are the same. */
export interface ToolListing {
  /** Identifies the visible set and the label: within one policy, equal fingerprints mean equal listings. */
  readonly fingerprint: string;
  readonly tools: readonly Tool[];
  manifest(): Manifest;
  prompt(): string;
}

/** Tools in all cached listings of one policy, which limits memory. */
const MAX_TOOLS_KEPT = 20_000;

interface Kept {
  /** The visible tools, by what decides which are visible. */
  readonly visible: Map<string, { readonly tools: readonly Tool[]; readonly digest: string }>;
  readonly listings: Map<string, ToolListing>;
}

// INVARIANT: a policy object never changes.
const keptFor = new WeakMap<Policy, Kept>();

/** The listing of a view under this policy, state and facts. */
export function listingOf(policy: Policy, state: SessionState, facts: Facts): ToolListing {
  const most = Math.max(4, Math.floor(MAX_TOOLS_KEPT / Math.max(20, policy.tools.size)));
  const kept = keptFor.get(policy) ?? { visible: new BoundedMap(most), listings: new BoundedMap(most) };
  keptFor.set(policy, kept);
  const { tools, digest } = remember(kept.visible, viewKey(state, facts), () => {
    // Shared by all with the same view, so it must not change.
    const seen = Object.freeze(visibleTools(policy, state, facts));
    return { tools: seen, digest: hash("sha256", JSON.stringify(seen.map(({ id }) => id)), "base64url") };
  });
  const { lattice, label } = state;
  const fingerprint = `${digest}.${hash("sha256", JSON.stringify([lattice, label]), "base64url")}`;
  return remember(kept.listings, fingerprint, () => createListing(fingerprint, { lattice, label }, tools));
}

/** Everything that decides which tools are visible. The label doesn't: blocked tools stay visible. */
function viewKey(
  { role, closed, tools, limits, permissions }: SessionState,
  { granted, visible }: Facts,
): string {
  const sorted = (names: Iterable<string> | null | undefined) => (names ? [...names].sort() : null);
  return JSON.stringify([
    role,
    closed,
    sorted(tools),
    sorted(granted),
    sorted(visible),
    limits.map(fromLimit),
    sorted(permissions),
  ]);
}

function createListing(
  fingerprint: string,
  held: Pick<SessionState, "lattice" | "label">,
  tools: readonly Tool[],
): ToolListing {
  let told: Manifest | undefined;
  let prompt: string | undefined;
  return {
    fingerprint,
    tools,
    manifest: () => {
      told ??= frozen(manifest(held, tools));
      return told;
    },
    prompt: () => {
      prompt ??= planningPrompt(held, tools);
      return prompt;
    },
  };
}

const frozen = ({ tools, orderingHint }: Manifest): Manifest =>
  Object.freeze({ tools: Object.freeze(tools.map((entry) => Object.freeze(entry))), orderingHint });

/** The cached value, or a new one. */
function remember<Value>(kept: Map<string, Value>, key: string, build: () => Value): Value {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const value = build();
  kept.set(key, value);
  return value;
}
