/**
 * Approval of a whole plan: its check, one approval for all steps that need one, and the lease that results. The
 * person approves exactly the calls that were examined.
 */
import {
  approversOf,
  checkPlan,
  describeLabel,
  type Effect,
  type Facts,
  type Label,
  type LeasedStep,
  PLAN,
  type PlanCheck,
  type PlannedCall,
  type PlayedStep,
  playPlan,
  type SessionEvent,
  type SessionState,
  toPlanned,
} from "../../core/index.ts";
import { canonicalJson } from "../../json/canonical-json.ts";
import type { AdmissionContext, RequestedApproval } from "../calls/admission.ts";
import { digestOf, leaseKeyOf } from "../calls/decide-asked.ts";
import {
  assertPlanSize,
  type ExaminedCall,
  examinePlan,
  type MadeCall,
  nextPlanTurn,
} from "../calls/examine-plan.ts";
import type { GateContext } from "../gate-context.ts";
import type { Ledger, Proposal } from "../journal/ledger.ts";
import { toTimestamp } from "../ports/clock.ts";
import { createId } from "../ports/random.ts";
import type { Session } from "../session.ts";
import { type ApprovalDetails, keepDetails } from "./kept-approvals.ts";
import { explainAsk, openApproval, several } from "./request-approval.ts";
import { causesAsked } from "./worded-reasons.ts";

/** The lease of an approved plan: each of its calls may run once, as it was shown. */
export interface GrantedLease {
  /** The approval that granted it. */
  readonly approval: string;
  readonly expiresAt: string;
  /** The steps that haven't run, counted from 0. */
  readonly left: readonly number[];
}

/** The check of a plan, and whether a person must approve it. */
export interface PlanDecision extends PlanCheck {
  /** `allow`: no step needs approval, or the plan was approved; `deny`: see `reasons`. */
  readonly effect: Effect;
  /** Why it is denied. */
  readonly reasons: readonly string[];
  /** Whether a person denied exactly this plan. */
  readonly isDenied: boolean;
  readonly approval: RequestedApproval | null;
  readonly lease: GrantedLease | null;
  /** Steps that need their own approval later, because the plan lacks their arguments. */
  readonly asksLater: readonly number[];
}

type Context = Omit<AdmissionContext, "facts">;

/** Examines a plan, and requests approval if it needs one. Durable when it resolves. */
export async function requestPlan(
  gate: GateContext,
  ledger: Ledger,
  session: Session,
  calls: readonly PlannedCall[],
  facts: () => Facts,
): Promise<PlanDecision> {
  assertPlanSize(calls);
  const examined = await examinePlan(gate, session, calls);
  await nextPlanTurn(session);
  return ledger.commit((state, now) => {
    const context = { ...gate.admission, session: ledger.session, policy: gate.policy() };
    return proposePlan(context, state, examined, { facts: facts(), now });
  });
}

/** Checks a plan on the present state, and requests one approval for all of it if needed. */
function proposePlan(
  given: Context,
  state: SessionState,
  examined: readonly ExaminedCall[],
  { facts, now }: { readonly facts: Facts; readonly now: Date },
): Proposal<PlanDecision> {
  const context = { ...given, facts };
  const { policy } = context;
  const check = checkPlan(
    policy,
    state,
    examined.map(({ planned }) => planned),
    facts,
  );
  const none = { reasons: [], isDenied: false, approval: null, lease: null, asksLater: [] };
  const told = { ...check, effect: "deny" as const, ...none };
  if (!check.valid) {
    const reasons = check.violations.map(({ atStep, reason }) => `Step ${atStep}: ${reason}.`);
    return { events: [], value: { ...told, reasons } };
  }
  const steps = toSteps(context, state, examined, facts);
  const asksLater = [...steps.keys()].filter((at) => steps[at]?.asks === "once it is made");
  const asking = steps.filter(({ asks }) => asks === "now");
  if (asking.length === 0) return { events: [], value: { ...told, effect: "allow", asksLater } };
  const leased = steps.map((step) => step.leased);
  const bound = [PLAN, context.session, state.principal, policy.version, leased];
  const binding = digestOf(context.digestKey, canonicalJson(bound));
  const at = toTimestamp(now);
  const known = findAnswer(state, binding, at);
  if (known !== null) return { events: [], value: { ...told, ...known, asksLater } };
  const release = asking.some((step) => step.release);
  const args = { steps: steps.map(({ shown }) => shown) };
  const approvers = several(Math.max(...asking.map((step) => step.approvers)));
  const request = { call: createId("call", context.random), tool: PLAN, binding, release, ...approvers };
  const opened = openApproval(context, state, request, { length: canonicalJson(args).length, now });
  if ("fault" in opened)
    return { events: [], value: { ...told, reasons: [opened.fault.message], asksLater } };
  const { approval } = opened;
  const event: SessionEvent = {
    kind: "plan-requested",
    call: approval.call,
    label: state.label,
    approval: approval.id,
    binding,
    expires: approval.expires,
    steps: leased,
    ...(release && { release }),
    ...approvers,
  };
  const examinations = steps.flatMap(({ made }) => made?.facts.examined ?? []);
  const details: ApprovalDetails = {
    id: approval.id,
    session: context.session,
    ...(state.shares !== null && { labelHolder: state.shares }),
    principal: state.principal,
    call: approval.call,
    tool: PLAN,
    arguments: args,
    reasons: [],
    why: steps.flatMap(({ why }) => why),
    release,
    targets: [...new Set(examinations.flatMap(({ targets }) => targets.map(({ path }) => path)))],
    preview: examinations.flatMap(({ preview }) => preview ?? []).join("\n") || null,
    label: state.label,
    at: approval.at,
    expiresAt: approval.expires,
    plan: { steps: steps.length, asking: asking.length },
    policy: policy.version,
    ...approvers,
  };
  const waiting = { id: approval.id, status: "pending", expiresAt: approval.expires } as const;
  return {
    events: [...opened.events, event],
    keep: [...opened.keep, ...keepDetails(details)],
    value: { ...told, effect: "ask", approval: waiting, asksLater },
  };
}

const DENIED = "A person denied this plan. Until that expires, the same plan is denied without asking again.";

/** An earlier answer or request for the same plan. */
function findAnswer(
  { leases, answers, pending }: SessionState,
  binding: string,
  at: string,
): Partial<PlanDecision> | null {
  const isThis = (one: { readonly binding: string; readonly expires: string }): boolean =>
    one.binding === binding && one.expires > at;
  const lease = leases.find(isThis);
  if (lease !== undefined) {
    const left = [...lease.steps.keys()].filter((step) => !lease.used.includes(step));
    return { effect: "allow", lease: { approval: lease.id, expiresAt: lease.expires, left } };
  }
  if (answers.some((one) => isThis(one) && one.answer === "denied"))
    return { effect: "deny", reasons: [DENIED], isDenied: true };
  const waiting = pending.find(isThis);
  if (waiting === undefined) return null;
  return { effect: "ask", approval: { id: waiting.id, status: "pending", expiresAt: waiting.expires } };
}

interface PlanStep {
  readonly leased: LeasedStep;
  /** The step as it is shown: its call, the session's label before and after it, the approvers. */
  readonly shown: Readonly<Record<string, unknown>>;
  /** Why approval is needed now, in sentences for a person. */
  readonly why: readonly string[];
  readonly asks: "now" | "once it is made" | "nobody";
  readonly release: boolean;
  /** How many people must approve it. */
  readonly approvers: number;
  readonly made: MadeCall | undefined;
}

function toSteps(
  context: AdmissionContext,
  state: SessionState,
  examined: readonly ExaminedCall[],
  standing: Facts,
): readonly PlanStep[] {
  const planned = examined.map((one) => toPlanned(one.planned));
  const numberOf = new Map(planned.map(({ id }, at) => [id, at]));
  const played = playPlan(context.policy, state, planned, standing);
  return played.map((one, step) => {
    const after = one.step.after.flatMap((id) => numberOf.get(id) ?? []);
    const before = played[step - 1]?.state.label ?? state.label;
    return toStep(context, state, one, { step, after, before, made: examined[step]?.made });
  });
}

interface StepPlace {
  readonly step: number;
  readonly after: readonly number[];
  readonly before: Label;
  readonly made: MadeCall | undefined;
}

function toStep(
  context: AdmissionContext,
  state: SessionState,
  { step: planned, decision, state: left }: PlayedStep,
  { step, after, before, made }: StepPlace,
): PlanStep {
  const tool = decision.tool?.id ?? planned.tool;
  const key = made ? leaseKeyOf({ ...context, facts: made.facts }, state, made.prepared, made.tool) : null;
  const asks = decision.effect !== "ask" ? "nobody" : key === null ? "once it is made" : "now";
  const facts = { ...context.facts, ...planned.known };
  return {
    leased: { tool, key, label: before, why: asks === "now" ? causesAsked(decision.reasons) : [], after },
    shown: {
      step,
      tool,
      ...(made && { arguments: made.prepared.arguments }),
      asks,
      before: describeLabel(before),
      after: describeLabel(left.label),
      ...(after.length > 0 && { waits_for: after }),
    },
    why:
      asks === "now"
        ? decision.reasons.map(
            (one) => `Step ${step}: ${explainAsk({ ...context, facts }, state, decision, one)}`,
          )
        : [],
    asks,
    release: asks === "now" && decision.release === true,
    approvers: approversOf(context.policy, decision.tool, decision.reasons),
    made,
  };
}
