/** Conditions on calls, as functions: whoever writes them as text compiles them before a policy is made. */
import type { Meter } from "../plan/meter.ts";
import { callable, record, type Shape, text } from "../policy/shape.ts";
import type { Permission } from "./tool.ts";

/** What a condition is asked about. */
export interface ConditionFacts {
  readonly args: Readonly<Record<string, unknown>>;
  readonly tool: {
    /** Its own name, without its server. */
    readonly name: string;
    /** Null for a tool that the agent runs itself. */
    readonly server: string | null;
    readonly tags: readonly string[];
    readonly permissions: readonly Permission[];
  };
  readonly session: {
    readonly level: string;
    readonly categories: readonly string[];
    readonly trust: string;
    readonly principal: string;
    readonly role: string | null;
  };
}

/** A condition on a call: of an approval, which is needed where it holds or can't be determined, or of a rule. */
export interface ApprovalCondition {
  /** As the operator wrote it. */
  readonly when: string;
  /** Pure. Throws if it can't be determined; `meter` counts what it costs, where several share a bound. */
  readonly holds: (facts: ConditionFacts, meter?: Meter) => boolean;
}

export const CONDITION_SHAPE: Shape = record<ApprovalCondition>({ when: text, holds: callable }, [
  "when",
  "holds",
]);
