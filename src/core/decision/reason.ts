/**
 * Why a call isn't simply allowed: stable codes with the facts behind them, as plain data. `explain.ts` words
 * them. A reason holds names and labels, never an argument or a result.
 */
import type { Label } from "../label/label.ts";
import type { Permission } from "../tools/tool.ts";

/** Causes that the workspace finds, in addition to a tool's declaration. */
export const PATH_CAUSES = Object.freeze([
  "outside-workspace",
  "ignored-path",
  "git-folder",
  "git-unavailable",
  "not-a-repository",
  "nested-repository",
  "special-file",
  "several-links",
  "protected-name",
  "instruction-file",
  "unclear-path",
] as const);

export const ASK_CAUSES = Object.freeze([
  "always",
  "unclassified",
  "condition",
  "condition-unclear",
  "release",
  "not-endorsed",
  "rule",
  ...PATH_CAUSES,
] as const);

/** Why a person must approve a call. */
export type AskCause = (typeof ASK_CAUSES)[number];

/** A call that loaded data which now blocks another. */
export interface Cause {
  /** Null if the label came without a call, or where the call is only planned. */
  readonly call: string | null;
  /** Counted from 0; null if the label came without a call. */
  readonly step: number | null;
  readonly tool: string | null;
  readonly dataset: string;
  /** Whether only the agent's own report says so. */
  readonly reported?: true;
  /** Of more than eight categories it has the blocking ones, at most eight. */
  readonly label: Label;
  /** The number of further blocking categories. */
  readonly moreCategories?: number;
}

/** A call that isn't covered by the user's word. */
export interface NotEndorsed {
  readonly code: "not-endorsed";
  readonly tool: string;
  /**
   * What is missing: the user's word for a critical argument, any critical argument, a link from the user, or a
   * person's approval, which credentials always need. `unknown`: a plan without the arguments.
   */
  readonly problem: "not-said" | "none-given" | "link" | "credential" | "unknown";
  /** The argument's path, never its value; the agent chose it, so a sentence shows it by `quoteName`. */
  readonly argument: string | null;
  /** The result in which its value came into the session first; null if that isn't known. */
  readonly firstSeen: { readonly step: number; readonly tool: string; readonly trust: string } | null;
}

/** A rule of the policy that concerns a call. */
export interface RuleApplies {
  readonly code: "denied-by-rule" | "rule-asks";
  readonly tool: string;
  /** The rule's name. */
  readonly rule: string;
  /** `unclear`: it can't be evaluated on these arguments. `unknown`: a plan without the arguments. */
  readonly result: "holds" | "unclear" | "unknown";
}

/** How much a freeze stops, from everything to one tool. */
export const FREEZE_SCOPES = Object.freeze(["everything", "principal", "session", "server", "tool"] as const);

export type FreezeScope = (typeof FREEZE_SCOPES)[number];

export type Reason =
  | { readonly code: "frozen"; readonly tool: string; readonly scope: FreezeScope }
  | { readonly code: "session-closed" }
  | { readonly code: "unknown-tool"; readonly tool: string }
  | { readonly code: "ambiguous-tool"; readonly tool: string; readonly candidates: readonly string[] }
  | { readonly code: "unclassified-tool"; readonly tool: string }
  | { readonly code: "definition-changed"; readonly tool: string }
  | { readonly code: "denied-by-policy"; readonly tool: string }
  | { readonly code: "missing-tag"; readonly tool: string }
  | { readonly code: "not-in-tool-set"; readonly tool: string; readonly role: string }
  | { readonly code: "hidden"; readonly tool: string }
  | { readonly code: "permission-missing"; readonly tool: string; readonly missing: readonly Permission[] }
  | {
      readonly code: "flow-blocked";
      readonly tool: string;
      /** The session's label; of more than eight categories, the blocking ones, at most eight. */
      readonly label: Label;
      /** The number of further blocking categories. */
      readonly moreCategories?: number;
      /** What the tool may receive; any one would have been enough. */
      readonly clearances: readonly Label[];
      /** The first eight at most. */
      readonly causes: readonly Cause[];
      /** How many more there are. */
      readonly moreCauses?: number;
      /** The policy lets a person release such a call of this tool. */
      readonly releasable?: true;
      /** The call's arguments decide what may be sent, so a call with others may be allowed. */
      readonly byArguments?: true;
    }
  | RuleApplies
  | NotEndorsed
  | { readonly code: "protected-path"; readonly tool: string }
  | {
      readonly code: "unknown-argument";
      readonly tool: string;
      /**
       * The first one that the tool's schema doesn't name. The agent chose it, so a sentence shows it by `quoteName`.
       */
      readonly argument: string;
      /** The argument of the schema that was probably meant. */
      readonly near: string | null;
    }
  | {
      readonly code: "sign-in-needed";
      readonly tool: string;
      /** The id of the tool's server, to which the principal must sign in. */
      readonly server: string;
      /** Where a person signs in; null if that isn't known. */
      readonly link: string | null;
    }
  | { readonly code: "approval-required"; readonly tool: string; readonly because: AskCause }
  | { readonly code: "approval-denied"; readonly tool: string }
  | { readonly code: "approval-expired"; readonly tool: string }
  | { readonly code: "fault"; readonly tool: string };

/** The only empty list of reasons: comparing identity is faster than comparing lengths. */
export const NO_REASONS: readonly Reason[] = Object.freeze([]);

export type ReasonCode = Reason["code"];

export const FAULT_CODES = Object.freeze(["permissions", "visibility", "provider", "approvals"] as const);

/** A check that could not be made. It denies, and is distinguished from a denial by policy. */
export interface Fault {
  /** Which fact or rule failed. */
  readonly code: (typeof FAULT_CODES)[number];
  readonly message: string;
}

/** What each code does to a call. */
export const EFFECT_OF: Readonly<Record<ReasonCode, "deny" | "ask">> = Object.freeze({
  frozen: "deny",
  "session-closed": "deny",
  "unknown-tool": "deny",
  "ambiguous-tool": "deny",
  "unclassified-tool": "deny",
  "definition-changed": "deny",
  "denied-by-policy": "deny",
  "missing-tag": "deny",
  "not-in-tool-set": "deny",
  hidden: "deny",
  "permission-missing": "deny",
  "denied-by-rule": "deny",
  "rule-asks": "ask",
  "flow-blocked": "deny",
  "protected-path": "deny",
  "not-endorsed": "ask",
  "approval-required": "ask",
  "approval-denied": "deny",
  "approval-expired": "deny",
  "unknown-argument": "deny",
  "sign-in-needed": "deny",
  fault: "deny",
});

/** The effect of a reason on its call. A blocked flow is `ask` if the policy lets a person release it. */
export const effectOfReason = (reason: Reason): "deny" | "ask" =>
  reason.code === "flow-blocked" && reason.releasable ? "ask" : EFFECT_OF[reason.code];
