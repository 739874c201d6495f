/** Approvals for people, on the wire. */
import type { z } from "zod";
import { explainPlanWish, explainWish, type Policy, type SessionState } from "../../core/index.ts";
import type { WaitingApproval } from "../../runtime/index.ts";
import { toGauge } from "../console-data/gauge.ts";
import type { OverApproval } from "../console-data/session-record.ts";
import type * as schemas from "./approval-schemas.ts";
import { toWireApproval, toWireLabel } from "./wire.ts";
import { toWireGauge, toWireTool } from "./wire-session.ts";
import { toWireOffer } from "./wire-standing.ts";

type Waiting = z.output<typeof schemas.waitingApproval>;

/** A pending approval, with its meaning for the session's present label. */
export function toWireWaiting(policy: Policy, state: SessionState, approval: WaitingApproval): Waiting {
  const { tool: id, principal, release, label, plan } = approval;
  const tool = plan ? null : (policy.tools.get(id) ?? policy.methods.get(id) ?? null);
  return {
    ...toWireApproval(approval),
    what: plan
      ? explainPlanWish(principal, plan.steps, plan.asking)
      : explainWish(policy.lattice, { principal, id, tool, release, label }),
    facts: tool && toWireTool(policy, tool),
    folded: approval.folded.map((one) => ({ ...one })),
    proposal: approval.proposal && toWireOffer(approval.proposal),
    ...toHeld(policy, state),
    session_label: toWireLabel(state.label),
    gauge: toWireGauge(toGauge(policy, state)),
  };
}

/** THREAT: agents report data sets, and could make a list of approvals long. */
const MAX_HELD = 20;
const MAX_CATEGORIES = 8;

/** The data sets that raised the session's label, oldest first. */
function toHeld({ names }: Policy, { contributions }: SessionState): Pick<Waiting, "held" | "more_held"> {
  const raising = contributions.filter(({ raised }) => raised);
  const held = raising.slice(0, MAX_HELD).map(({ step, tool, dataset, label, at, reported = false }) => ({
    step,
    tool: tool === null ? null : names.shown(tool),
    dataset,
    reported,
    label: { ...label, categories: label.categories.slice(0, MAX_CATEGORIES) },
    more_categories: Math.max(0, label.categories.length - MAX_CATEGORIES),
    at,
  }));
  return { held, more_held: raising.length - held.length };
}

/** An ended approval, from the journal. */
export const toWireRecent = (
  { names }: Policy,
  { id, status, session, by, via, at, tool, principal, why }: OverApproval,
): z.output<typeof schemas.recentApproval> => ({
  id,
  status,
  session_id: session,
  answered_by: by,
  via,
  ended_at: at,
  tool,
  name: names.shown(tool),
  principal,
  why,
});
