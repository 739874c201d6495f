/**
 * What one call may send out: its tool's clearances, or those of its recipients; more if the user named the
 * recipients.
 */

import type { DecisionContext } from "../decision/decision-context.ts";
import { ANY, type Label, type Lattice, lowestClearance } from "../label/label.ts";
import { meet } from "../label/meet-clearances.ts";
import type { Tool } from "../tools/tool.ts";
import { userWordFor } from "./endorse.ts";
import { clearanceFor, isAmong } from "./endorsement-rules.ts";
import type { GivenValue } from "./user-word.ts";

/** Clearances, any one of which is enough; null: it sends nothing out. */
export interface CallSink {
  readonly unasked: readonly Label[] | null;
  /** What a person may release; beyond it the call is denied, unless the tool allows more. */
  readonly releasable: readonly Label[] | null;
}

/** What a call may send without approval, and what a person may release because the user named the recipients. */
export function sinkOfCall(context: DecisionContext, tool: Tool): CallSink {
  if (tool.to !== null) return toRecipients(context, tool, tool.to);
  const { clearances } = tool;
  const { named } = context.policy.endorsement;
  if (clearances === null || named === null || !isNamed(context, tool, tool.critical))
    return { unasked: clearances, releasable: clearances };
  const raised = (level: string): readonly Label[] =>
    clearances.map((clearance) => raise(context.policy.lattice, clearance, level));
  return { unasked: raised(named), releasable: raised(ANY) };
}

function toRecipients(context: DecisionContext, tool: Tool, paths: readonly string[]): CallSink {
  const { policy, facts } = context;
  const { lattice, endorsement } = policy;
  const recipients = facts.values?.filter(({ path }) => isAmong(paths, path)) ?? [];
  if (recipients.length === 0) {
    // No recipient is known: a tool that reaches outside may have one of its own, and a plan may not name it yet.
    const isOpen = tool.permissions.includes("connect") || facts.values === undefined;
    const sink = isOpen ? [lowestClearance(lattice)] : null;
    return { unasked: sink, releasable: sink };
  }
  const { named } = endorsement;
  const each = recipients.map((recipient) => {
    const clearance = clearanceFor(lattice, endorsement, context.state.words, recipient);
    const isUserWord = named !== null && userWordFor(context, tool, recipient) !== null;
    return {
      unasked: isUserWord ? raise(lattice, clearance, named) : clearance,
      releasable: isUserWord ? raise(lattice, clearance, ANY) : clearance,
    };
  });
  return {
    unasked: [each.map(({ unasked }) => unasked).reduce((left, right) => meet(lattice, left, right))],
    releasable: [
      each.map(({ releasable }) => releasable).reduce((left, right) => meet(lattice, left, right)),
    ],
  };
}

/** Whether each critical argument of a call is the user's word, and there is at least one. */
function isNamed(context: DecisionContext, tool: Tool, critical: readonly string[]): boolean {
  const given: readonly GivenValue[] =
    context.facts.values?.filter(({ path }) => isAmong(critical, path)) ?? [];
  return given.length > 0 && given.every((value) => userWordFor(context, tool, value) !== null);
}

/** A clearance with a higher level; its categories and required trust stay. */
function raise(lattice: Lattice, clearance: Label, level: string): Label {
  const rank = (name: string): number =>
    name === ANY ? lattice.levels.length : lattice.levels.indexOf(name);
  return rank(level) > rank(clearance.level) ? { ...clearance, level } : clearance;
}
