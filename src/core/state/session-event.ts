/** What can happen in a session: the data of its journal's entries. */

import type { LeasedStep, LeaseUse } from "../decision/lease.ts";
import type { Reason } from "../decision/reason.ts";
import type { Appearance, Endorsed, Evidence, Utterance } from "../endorsement/user-word.ts";
import type { Label } from "../label/label.ts";
import type { Permission } from "../tools/tool.ts";
import type { ToolPolicy } from "../tools/tool-policy.ts";

/** What happened in a session, without when and under which policy: the journal's entry adds that. */
export type SessionEvent =
  | {
      readonly kind: "session-opened";
      readonly principal: string;
      readonly role: string | null;
      readonly tools: readonly string[] | null;
      /** Whether the user's own words were given; they are kept beside the journal. */
      readonly task: boolean;
      /** The session that it was forked from. */
      readonly parent?: string;
      /** The tool policies that it was forked with. */
      readonly limits?: readonly ToolPolicy[];
      /** All that it may ever be granted; left out, what its role is. */
      readonly permissions?: readonly Permission[];
      /** The session whose label it shares. */
      readonly shares?: string;
    }
  | {
      readonly kind: "call-admitted";
      readonly call: string;
      readonly tool: string;
      /** A keyed digest of the arguments. */
      readonly arguments: string;
      /** The source label that came with the admission; null if the tool brings nothing in. */
      readonly source: Label | null;
      readonly dataset: string;
      /** The session's label after it. */
      readonly label: Label;
      /** The approval that it consumed. */
      readonly approval?: string;
      /** The standing approval that it is a use of. */
      readonly standing?: string;
      /** Whether a person released what may not go to the tool. */
      readonly release?: true;
      /** The process that runs it; left out if its host does. */
      readonly runner?: string;
      /** What endorsed its critical arguments, if endorsement was needed. */
      readonly endorsed?: readonly Endorsed[];
      /** The step of an approved plan that it consumed. */
      readonly lease?: LeaseUse;
    }
  | {
      readonly kind: "call-refused";
      readonly call: string;
      readonly tool: string;
      readonly arguments: string;
      readonly reasons: readonly Reason[];
      readonly label: Label;
    }
  | {
      readonly kind: "approval-requested";
      readonly call: string;
      readonly tool: string;
      readonly arguments: string;
      readonly reasons: readonly Reason[];
      readonly label: Label;
      readonly approval: string;
      readonly binding: string;
      readonly expires: string;
      /** Whether it would release what may not go to the tool. */
      readonly release?: true;
      /** How many different people must say yes; left out where one is enough. */
      readonly approvers?: number;
    }
  | {
      /** A person is asked for a whole plan; the answer to it is that of an approval, and so is its end. */
      readonly kind: "plan-requested";
      /** Names the plan in the entries that answer it or end it. */
      readonly call: string;
      readonly label: Label;
      readonly approval: string;
      readonly binding: string;
      readonly expires: string;
      readonly steps: readonly LeasedStep[];
      /** Whether one of its steps would release what may not go to its tool. */
      readonly release?: true;
      readonly approvers?: number;
    }
  | { readonly kind: "approval-shown"; readonly approval: string; readonly via: string }
  | {
      /** One of several people who must say yes has; the answer follows with the last one's. */
      readonly kind: "approval-signed";
      readonly approval: string;
      readonly call: string;
      readonly tool: string;
      readonly by: string;
      readonly via?: string;
      readonly why?: string;
    }
  | {
      readonly kind: "approval-answered";
      readonly approval: string;
      /** The call that was asked about, and its tool. */
      readonly call: string;
      readonly tool: string;
      readonly answer: "approved" | "denied";
      readonly by: string;
      /** By which way: `console`, `terminal`, `client`, or whatever used the API. */
      readonly via?: string;
      /** The person's own words. */
      readonly why?: string;
      /** The person changed the call: what runs in place of the one that was asked about. */
      readonly edited?: EditedArguments;
      /** The standing approval that was given with it. */
      readonly standing?: string;
    }
  | {
      readonly kind: "approval-ended";
      readonly approval: string;
      readonly call: string;
      readonly tool: string;
      readonly outcome: "expired" | "cancelled";
    }
  | {
      readonly kind: "call-finished";
      readonly call: string;
      readonly outcome: "ok" | "error" | "unknown";
      /** What its result gives that counts as the user's word, as keyed digests. */
      readonly evidence?: readonly Evidence[];
      /** Values that its result holds, as keyed digests: where an argument came from. */
      readonly seen?: Appearance;
    }
  /** The user's own words as keyed digests; said by the host or an operator, never by an agent. */
  | { readonly kind: "words-said"; readonly utterances: readonly Utterance[] }
  | {
      readonly kind: "label-raised";
      /** The call that it came with, its step and its tool; null if the host raised it. */
      readonly call: string | null;
      readonly step: number | null;
      readonly tool: string | null;
      readonly source: Label;
      readonly dataset: string;
      readonly label: Label;
      /** Whether the label and the data set are the words of a report on a call that the agent ran by itself. */
      readonly reported?: true;
      /** What was found in the call's result, for readers of the journal; the label alone counts. */
      readonly findings?: readonly Finding[];
    }
  | { readonly kind: "session-forked"; readonly fork: string }
  | { readonly kind: "impossible-reported" }
  /** The agent says a sentence on a refused call; the words are kept beside the journal. */
  | { readonly kind: "refusal-appealed"; readonly call: string; readonly tool: string; readonly label: Label }
  | ({ readonly kind: "run-paused" } & PausedRun)
  | { readonly kind: "run-ended"; readonly run: string; readonly outcome: "resumed" | "expired" }
  | { readonly kind: "session-closed"; readonly reason: "reset"; readonly successor: string }
  | SessionEnded;

/**
 * A session is over without another one: it was archived, or its store was restored from a backup. Of an archived one
 * this is the first entry that is left, so it says whose it was and what label it had.
 */
interface SessionEnded {
  readonly kind: "session-closed";
  readonly reason: "archived" | "restored";
  readonly principal: string;
  readonly label: Label;
}

/** A finding in a result: its kind and position, never its value. */
export interface Finding {
  /** Such as `secret/aws`, `personal-data/email`, or `unexamined` for what could not be examined. */
  readonly kind: string;
  /** A path into the result, such as `content[0].text`. */
  readonly place: string;
}

/** A call as its approver changed it. The arguments themselves are kept beside the journal until it runs. */
export interface EditedArguments {
  /** A keyed digest of the arguments that run. */
  readonly arguments: string;
  /** What tells the changed call from others. */
  readonly binding: string;
  /** Paths of the arguments that differ. */
  readonly changed: readonly string[];
}

/** A run of an agent that was paused and can be resumed once. */
export interface PausedRun {
  /** The hash of the token that resumes it. */
  readonly run: string;
  /** RFC 3339. */
  readonly expires: string;
}
