/** Words for the plan check: what is wrong with a step, and what to do instead. Steps count from 0 here. */
import {
  describeClearances,
  describeOffence,
  explain,
  type FlowBlocked,
  listNames,
  quoteName,
} from "./explain.ts";
import type { Lattice } from "./label.ts";
import type { Reason } from "./reason.ts";

/** The two sentences of a violation, as fragments in the manner of the wire format. */
export interface PlanExplanation {
  readonly reason: string;
  readonly suggestion: string;
}

/** Why a step would be refused. `orderExists` tells whether moving steps can help. */
export function explainStep(lattice: Lattice, reason: Reason, orderExists: boolean): PlanExplanation {
  if (reason.code !== "flow-blocked")
    return { reason: explain(lattice, reason), suggestion: suggestFor(reason) };
  const earlier = reason.causes.filter(({ call, step }) => call === null && step !== null);
  const tool = quoteName(reason.tool);
  const movable = orderExists && earlier.length > 0;
  const before = listNames([...new Set(earlier.map(({ tool: by, dataset }) => by ?? dataset))]);
  return {
    reason: `${tool} is blocked ${whyBlocked(lattice, reason)}`,
    suggestion: movable
      ? `move ${tool} before ${before}`
      : `drop ${tool}, or give it to a session of its own`,
  };
}

function whyBlocked(lattice: Lattice, reason: FlowBlocked): string {
  const planned = reason.causes.filter(({ call, step }) => call === null && step !== null);
  if (planned.length === 0) {
    const held = describeOffence(lattice, reason.label, reason.clearances);
    return `already: this session holds ${held}, and it may receive ${describeClearances(lattice, reason.clearances)}`;
  }
  const causes = planned.map(({ tool, dataset, step, label }) => {
    const what = describeOffence(lattice, label, reason.clearances);
    return `${quoteName(tool ?? dataset)} (step ${step}) loads ${what}`;
  });
  return `after ${causes.join(" and ")}`;
}

function suggestFor(reason: Reason): string {
  switch (reason.code) {
    case "unknown-tool":
    case "hidden":
      return "use a tool of the session's manifest";
    case "ambiguous-tool":
      return `use ${listNames(reason.candidates, "or")}`;
    case "session-closed":
      return "plan in the new session";
    default:
      return "drop it, or ask the operator";
  }
}

export const explainDuplicateId = (id: string): PlanExplanation => ({
  reason: `the id ${quoteName(id)} stands at an earlier step already`,
  suggestion: "give each step an id of its own",
});

export const explainUnknownId = (id: string): PlanExplanation => ({
  reason: `it must come after ${quoteName(id)}, and no step has that id`,
  suggestion: "name the id of a step of this plan, or leave it out",
});

export const explainCircle = (members: readonly string[]): PlanExplanation => ({
  reason: `${listNames(members)} must each come after the other`,
  suggestion: "take one of the `after` entries out",
});

export const explainLateStep = (label: string, before: string, step: number): PlanExplanation => ({
  reason: `${quoteName(label)} must come after ${quoteName(before)}, which stands later (step ${step})`,
  suggestion: `move ${quoteName(label)} after ${quoteName(before)}`,
});

/** What can be done where no order is safe. */
export function explainWaysOut(
  inTheWay: readonly { readonly step: number; readonly tool: string }[],
): readonly string[] {
  if (inTheWay.length === 0) return ["Mend the ids of the plan, then check it again."];
  const names = listNames(inTheWay.map(({ tool }) => tool));
  return [
    `Drop ${names}.`,
    `Ask a person to do the part of ${names}.`,
    `Give ${names} to a session of its own, opened by the host from the user's own words.`,
  ];
}
