/** Options of a gate and of a session. */
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
  /** Tools that nobody may use, in addition to those that the policy denies. */
  readonly toolPolicy?: ToolPolicy;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Keys the digests of arguments in the journal; keep it with the store. Default: random, for this process. */
  readonly digestKey?: Uint8Array;
  /** More facts for the decision on a call, gathered just before it. An exception, or any other shape, is a fault. */
  readonly facts?: GatherFacts;
  /** How long an approval can be answered; by default as the policy says. */
  readonly approvalSeconds?: number;
  /** Pending approvals of one session; 100 by default. */
  readonly mostPending?: number;
  /** Sessions in memory; 10,000 by default. Idle ones beyond that are loaded again when they are used. */
  readonly mostInMemory?: number;
  /** Inspects each result before it is released. It can only raise the label. Left out, nothing is inspected. */
  readonly inspect?: InspectResult;
  /**
   * The id of this process, if several share the store: another process can then end the calls that it leaves open.
   */
  readonly runner?: Runner;
  /** Called with errors that have no caller. */
  readonly onFault?: (cause: unknown) => void;
}

export interface OpenOptions {
  /** Who the session works for; `operator` by default. */
  readonly principal?: string;
  readonly role?: string;
  /** The user's own words. Stored beside the journal, never in it. */
  readonly task?: string;
  /** Names of tools; the session has only these. */
  readonly tools?: readonly string[];
  /** Each removes tools from the session, durably. */
  readonly toolPolicies?: readonly ToolPolicy[];
  /** The most that the session and its forks may ever be granted, durably; by default that of its role. */
  readonly permissions?: Iterable<Permission>;
}

/** The default principal, and the default name of whoever answers an approval. */
export const OPERATOR = "operator";
