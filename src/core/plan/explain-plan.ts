/** Words for the plan check: what is wrong with a step, and what to do instead. Steps count from 0 here. */
import { describeClearances, describeOffence, explain, type FlowBlocked } from "../decision/explain.ts";
import { listNames, quoteName } from "../decision/quote-name.ts";
import type { Cause, Reason } from "../decision/reason.ts";
import type { Lattice } from "../label/label.ts";

/** The two sentences of a violation, as fragments as in the wire format. */
export interface PlanExplanation {
  readonly reason: string;
  readonly suggestion: string;
}

/** Why a step would be refused. `orderExists` tells whether moving steps can help. */
export function explainStep(lattice: Lattice, reason: Reason, orderExists: boolean): PlanExplanation {
  if (reason.code !== "flow-blocked")
    return { reason: explain(lattice, reason), suggestion: suggestFor(reason) };
  const { past, planned } = sortCauses(reason);
  const tool = quoteName(reason.tool);
  const earlier = [...new Set(planned.map(({ tool: by, dataset }) => by ?? dataset))].filter(
    (name) => name !== reason.tool,
  );
  const movable = orderExists && past.length === 0 && earlier.length > 0;
  const before = listNames(earlier, "and", earlier.length + (reason.moreCauses ?? 0));
  return {
    reason: `${tool} is blocked ${whyBlocked(lattice, reason)}`,
    suggestion: movable
      ? `move ${tool} before ${before}`
      : `drop ${tool}, or give it to a session of its own`,
  };
}

function whyBlocked(lattice: Lattice, reason: FlowBlocked): string {
  const { past, planned } = sortCauses(reason);
  if (past.length > 0 || planned.length === 0) {
    const held = describeOffence(lattice, reason, reason.clearances);
    return `already: this session holds ${held}, and it may receive ${describeClearances(lattice, reason.clearances)}`;
  }
  const causes = planned.map((cause) => {
    const what = describeOffence(lattice, cause, reason.clearances);
    return `${quoteName(cause.tool ?? cause.dataset)} (step ${cause.step}) loads ${what}`;
  });
  if (reason.moreCauses !== undefined) causes.push(`${reason.moreCauses} more steps`);
  return `after ${causes.join(" and ")}`;
}

/** Causes that are already in the session, and causes from the plan's own steps. */
function sortCauses({ causes }: FlowBlocked): {
  readonly past: readonly Cause[];
  readonly planned: readonly Cause[];
} {
  const isPlanned = ({ call, step }: Cause): boolean => call === null && step !== null;
  return { past: causes.filter((cause) => !isPlanned(cause)), planned: causes.filter(isPlanned) };
}

function suggestFor(reason: Reason): string {
  switch (reason.code) {
    case "unknown-tool":
    case "hidden":
      return "use a tool of the session's manifest";
    case "ambiguous-tool":
      return `use ${listNames(reason.candidates, "or")}`;
    case "session-closed":
      return "plan in a new session";
    case "denied-by-rule":
      return reason.result === "unknown" ? "plan it with its arguments" : "change it, or ask the operator";
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
  reason:
    members.length === 1
      ? `${listNames(members)} must come after itself`
      : `${listNames(members)} wait for each other in a circle`,
  suggestion: "take one of the `after` entries out",
});

export const explainLateStep = (label: string, before: string, step: number): PlanExplanation => ({
  reason: `${quoteName(label)} must come after ${quoteName(before)}, which stands later (step ${step})`,
  suggestion: `move ${quoteName(label)} after ${quoteName(before)}`,
});

/** What to do if the search for an order took too long. */
export const SEARCH_STOPPED =
  "The search for a safe order was given up, since it would take too long for so many calls and clearances. Check fewer calls at once.";

/** What to do if a rule denies a call in every order that was tried. */
export const RULES_BLOCK =
  "No safe order was found, since a rule of the operator's policy looks at what the session holds. Leave out the calls that it denies, or give them to a session of their own.";

/** What to do if no order is safe. */
export function explainWaysOut(inTheWay: readonly string[]): readonly string[] {
  if (inTheWay.length === 0) return ["Fix the ids of the plan, then check it again."];
  const names = listNames([...new Set(inTheWay)]);
  return [
    `Drop ${names}.`,
    `Have a person do ${names}.`,
    `Give ${names} to a session of its own, opened by the host from the user's own words.`,
  ];
}
