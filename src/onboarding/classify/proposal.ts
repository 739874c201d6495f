/** What is proposed for a tool, with the reason for each part of it. Plain data in the words of the default levels. */
import type { Permission } from "../../core/index.ts";

/** The default levels of a policy, lowest first. */
export const SENSITIVITIES = Object.freeze(["public", "internal", "confidential", "secret"] as const);

export type Sensitivity = (typeof SENSITIVITIES)[number];

/**
 * How sure it is: `known` by a pack, `likely` by its name and schema, `doubtful` where these leave it open, `unknown`
 * where they say nothing. What is unknown belongs in no policy: left out, it is withheld.
 */
export type Confidence = "known" | "likely" | "doubtful" | "unknown";

/** A tool as its server describes it. Nothing of it is believed; it can only make a proposal stricter. */
export interface DescribedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** What is proposed for one tool. */
export interface Proposal {
  readonly permissions: readonly Permission[];
  /** The label of what it brings in; null for nothing. */
  readonly source: { readonly level: Sensitivity; readonly trust: "untrusted" | "trusted" } | null;
  /** The highest level that it may send; null if nothing that it is given leaves the machine. */
  readonly sink: Sensitivity | null;
  readonly tags: readonly string[];
  /** `always`, `never`, or a condition. */
  readonly approval: string;
  /** Whether a person may release a call whose data is above the sink. */
  readonly onViolation: "deny" | "ask";
  /** The arguments that name recipients: each may receive what the policy lets it, in place of `sink`. */
  readonly to?: readonly string[];
  /** The arguments that say whom or what a call is for. Left out: all but the payload. */
  readonly critical?: readonly string[];
  readonly payload?: readonly string[];
  /** Whether a call may delete, overwrite or move something; left out, it may. */
  readonly isDestructive?: boolean;
  /** Sentences for the person who reads the policy. */
  readonly reasons: readonly string[];
  readonly confidence: Confidence;
}

export const rankOf = (level: Sensitivity): number => SENSITIVITIES.indexOf(level);

export const higher = (left: Sensitivity, right: Sensitivity): Sensitivity =>
  rankOf(left) >= rankOf(right) ? left : right;

/** The worst of all: for what nothing is known of. */
export const WORST = Object.freeze({
  permissions: Object.freeze(["read", "write", "connect"] as const),
  source: Object.freeze({ level: "secret", trust: "untrusted" } as const),
  sink: "public",
  approval: "always",
  onViolation: "deny",
} as const);
