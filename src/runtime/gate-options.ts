/** What a gate is created with, and a session opened with. */
import type { Permission, Policy, ToolPolicy } from "../core/index.ts";
import type { GatherFacts } from "./calls/call-facts.ts";
import type { InspectResult } from "./calls/inspect-result.ts";
import type { Runner } from "./calls/open-calls.ts";
import type { Clock } from "./ports/clock.ts";
import type { Random } from "./ports/random.ts";
import type { Store } from "./ports/store.ts";

export interface GateOptions {
  readonly policy: Policy;
  readonly store: Store;
  /** Taken away from everybody, on top of what the policy takes. */
  readonly toolPolicy?: ToolPolicy;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Keys the digests of arguments in the journal; keep it with the store. By default random, for this process. */
  readonly digestKey?: Uint8Array;
  /** What else must be known to decide a call, gathered just before it. Throwing is a fault, and so is another shape. */
  readonly facts?: GatherFacts;
  /** How long an approval waits for a person; by default as the policy says. */
  readonly approvalSeconds?: number;
  /** Approvals of one session that may wait at once; 100 by default. */
  readonly mostPending?: number;
  /** Sessions kept in memory; 10,000 by default. Idle ones beyond that are loaded again when they are used. */
  readonly mostInMemory?: number;
  /** Looks into each result before it is released, and only raises; left out, results go on as they came. */
  readonly inspect?: InspectResult;
  /** Who runs calls here, where several processes share the store: what it leaves open can be ended by another. */
  readonly runner?: Runner;
  /** Called for what failed without a caller to tell. */
  readonly onFault?: (cause: unknown) => void;
}

export interface OpenOptions {
  /** Who the session works for; `operator` by default. */
  readonly principal?: string;
  readonly role?: string;
  /** The user's own words. Kept beside the journal, never in it. */
  readonly task?: string;
  /** Any names of tools; they only narrow. */
  readonly tools?: readonly string[];
  /** Each takes tools away from the session, durably. */
  readonly toolPolicies?: readonly ToolPolicy[];
  /** All that the session may ever be granted, durably, forks too; by default what its role is. */
  readonly permissions?: Iterable<Permission>;
}

/** Whom a session works for, and who answers an approval, where nobody else is named. */
export const OPERATOR = "operator";
