/** Converts between the library's camelCase and the wire's snake_case. Only this file and `wire-*.ts` do that. */

import type { z } from "zod";
import type {
  AnswerDecision,
  Held,
  Label,
  PlanCheck,
  PlannedCall,
  Policy,
  Tool,
  ToolPolicy,
} from "../../core/index.ts";
import type { SluicegateError } from "../../errors/index.ts";
import type {
  AnsweredApproval,
  Appeal,
  CallDecision,
  EndedApproval,
  JournalEntry,
  PlanDecision,
  Report,
  Session,
  WaitingApproval,
  WordedReason,
} from "../../runtime/index.ts";
import type { Execution } from "../../runtime/internal.ts";
import type { ToolReview } from "../tools/tool-review.ts";
import type * as approvals from "./approval-schemas.ts";
import { NewlyBlocked } from "./newly-blocked.ts";
import type * as others from "./schemas.ts";
import type { answer } from "./session-schemas.ts";

type Schemas = typeof others & typeof approvals;
type Wire<Name extends keyof Schemas> = Schemas[Name] extends z.ZodType ? z.output<Schemas[Name]> : never;

export const toWireReasons = (reasons: readonly WordedReason[]): Wire<"reason">[] =>
  reasons.map(({ code, message, causedBy = [], rule, argument, firstSeen }) => ({
    code,
    message,
    caused_by: causedBy.map((cause) => ({ ...cause })),
    ...(rule !== undefined && { rule }),
    ...(argument !== undefined && { argument }),
    ...(firstSeen !== undefined && { first_seen: firstSeen && { ...firstSeen } }),
  }));

export const toWireLabel = (label: CallDecision["label"]): Wire<"label"> => ({
  ...label,
  categories: [...label.categories],
});

export const toWireAnswerDecision = (
  { effect, reasons }: AnswerDecision,
  held: Label,
): z.output<typeof answer> => ({
  effect,
  reasons: reasons.map(({ code, message, causes }) => ({
    code,
    message,
    caused_by: causes.map(({ step, tool, dataset }) => ({ step, tool, dataset })),
  })),
  label: toWireLabel(held),
});

export function toWireDecision(decision: CallDecision): Wire<"decision"> {
  const {
    callId,
    effect,
    class: refusal,
    tool,
    reasons,
    repeated,
    faults,
    raises,
    label,
    approval,
  } = decision;
  return {
    call_id: callId,
    effect,
    ...(refusal && { class: refusal }),
    tool,
    reasons: toWireReasons(reasons),
    ...(repeated !== undefined && { repeated }),
    faults: faults.map((fault) => ({ ...fault })),
    raises: raises && toWireLabel(raises),
    label: toWireLabel(label),
    approval: toWireRequested(approval),
  };
}

const toWireRequested = (approval: CallDecision["approval"]): Wire<"decision">["approval"] =>
  approval && { id: approval.id, status: approval.status, expires_at: approval.expiresAt };

export const toWireError = ({ code, message, why, fix }: SluicegateError): Wire<"errorBody"> => ({
  error: { code, message, why, fix },
});

/** What a person changed in the call before it ran; nothing if it is unchanged. */
export const toWireEdit = ({ edited }: CallDecision): Pick<Wire<"callAnswer">, "edited"> =>
  edited ? { edited: { by: edited.by, changed: edited.changed.map((one) => ({ ...one })) } } : {};

export function toWireCall({ decision, result, error }: Execution): Wire<"callAnswer"> {
  return {
    ...toWireDecision(decision),
    ...toWireEdit(decision),
    ...(result && { result: { ...result } }),
    ...(error && { error: toWireError(error).error }),
  };
}

export function toWireManifest(session: Session): Wire<"manifest"> {
  const { tools, orderingHint } = session.manifest();
  return {
    session_id: session.id,
    tools: tools.map((tool) => ({ ...tool })),
    ordering_hint: orderingHint,
    prompt: session.planningPrompt(),
    label: toWireLabel(session.label),
  };
}

/** The session before the plan, and the tools that it sees. */
interface PlanningSession {
  readonly state: Held;
  readonly tools: readonly Tool[];
}

export function toWirePlan(check: PlanCheck, { state: held, tools }: PlanningSession): Wire<"planAnswer"> {
  const shutTools = new NewlyBlocked(held.lattice, tools);
  return {
    valid: check.valid,
    violations: check.violations.map(({ atStep, ...rest }) => ({ at_step: atStep, ...rest })),
    safe_ordering:
      typeof check.safeOrdering === "object"
        ? check.safeOrdering && [...check.safeOrdering]
        : check.safeOrdering,
    approvals: check.approvals.map(({ atStep, ...rest }) => ({ at_step: atStep, ...rest })),
    ...toWireQuestions(check),
    in_the_way: [...check.inTheWay],
    ways_out: [...check.waysOut],
    steps: check.steps.map(({ atStep, tool, effect, raises, label, dependsOnArguments = false }, at) => ({
      at_step: atStep,
      tool,
      effect,
      raises: raises && toWireLabel(raises),
      label: toWireLabel(label),
      shut: raises === null ? [] : shutTools.between(check.steps[at - 1]?.label ?? held.label, label),
      depends_on_arguments: dependsOnArguments,
    })),
  };
}

/** The same for a plan that needs approval. */
export const toWirePlanDecision = (
  decision: PlanDecision,
  session: PlanningSession,
): Wire<"planDecision"> => ({
  ...toWirePlan(decision, session),
  effect: decision.effect,
  reasons: [...decision.reasons],
  approval: toWireRequested(decision.approval),
  lease: decision.lease && {
    approval_id: decision.lease.approval,
    expires_at: decision.lease.expiresAt,
    steps_left: [...decision.lease.left],
  },
  asks_later: [...decision.asksLater],
});

/** How often a person is asked, and the order in which that happens less often, if one was found. */
const toWireQuestions = ({ questions, fewestQuestions, questionsSaved }: PlanCheck) => ({
  questions,
  ...(fewestQuestions && { fewest_questions: [...fewestQuestions], questions_saved: questionsSaved }),
});

export async function toWireState(session: Session, now: string): Promise<Wire<"sessionState">> {
  const { state } = session;
  const reason = await session.impossible();
  const pending = state.pending.find(({ expires }) => expires > now);
  return {
    session_id: session.id,
    principal: state.principal,
    role: state.role,
    private: session.private,
    label: toWireLabel(state.label),
    datasets: session.datasets.map((dataset) => ({ ...dataset })),
    effects: [],
    calls: state.calls,
    pending: pending ? { id: pending.id, tool: pending.tool, expires_at: pending.expires } : null,
    impossible: state.impossible === null ? null : { at: state.impossible, reason: reason ?? "" },
    closed: state.closed,
  };
}

export function toWireJournal(entries: readonly JournalEntry[], after: number): Wire<"journal"> {
  return { events: entries.map((entry) => ({ ...entry })), next: entries.at(-1)?.seq ?? after };
}

/** An approval without its position in the queue and its session. */
export function toWireApproval(
  details: WaitingApproval,
): Omit<
  Wire<"waitingApproval">,
  "what" | "facts" | "folded" | "proposal" | "held" | "more_held" | "session_label" | "gauge"
> {
  return {
    id: details.id,
    status: details.before === 0 ? "pending" : "queued",
    session_id: details.session,
    principal: details.principal,
    approvers: details.approvers ?? 1,
    approved_by: [...(details.signers ?? [])],
    call_id: details.call,
    tool: details.tool,
    arguments: details.arguments,
    reasons: toWireReasons(details.reasons),
    why: [...details.why],
    editable: details.editable === true,
    release: details.release,
    targets: details.targets.map((path) => ({ path })),
    diff: details.preview,
    label: toWireLabel(details.label),
    requested_at: details.at,
    expires_at: details.expiresAt,
    waiting_behind: details.behind,
    caller_waits: details.callerWaits,
    caller_gone: details.callerGone,
    alike: details.alike,
  };
}

export const toWireEnded = ({
  id,
  outcome,
  session,
  by,
  via = null,
  at,
}: EndedApproval): Wire<"endedApproval"> => ({
  id,
  status: outcome === "closed" ? "cancelled" : outcome,
  session_id: session,
  answered_by: by,
  via,
  ended_at: at,
});

export const toWireAnswer = (answered: AnsweredApproval): Wire<"answeredApproval"> => ({
  id: answered.id,
  status: answered.outcome,
  session_id: answered.session,
  answered_by: answered.by,
  via: answered.via,
  answered_at: answered.at,
  ...(answered.changed && { changed: [...answered.changed] }),
  ...(answered.standing !== undefined && { standing: answered.standing }),
  ...(answered.approvers !== undefined && { approvers: answered.approvers }),
  ...(answered.signers && { approved_by: [...answered.signers] }),
});

export const toWireAppeal = (
  { names }: Policy,
  { session, principal, call, tool, text, label, at }: Appeal,
): Wire<"appeals">["appeals"][number] => ({
  session_id: session,
  principal,
  call_id: call,
  tool,
  name: names.shown(tool),
  text,
  label: toWireLabel(label),
  at,
});

export const toWireReview = (review: ToolReview): Wire<"toolReview"> => ({
  tool: review.tool,
  server: review.server,
  name: review.name,
  status: review.status,
  hash: review.hash,
  offered_hash: review.offeredHash,
  difference: review.difference.map((one) => ({ ...one })),
  more_differences: review.more,
  problem: review.problem,
  doubt: review.doubt,
});

/** Characters of arguments with which a plan is checked. */
const MAX_PLANNED = 64 * 1024;

/**
 * THREAT: a plan is checked in one turn of the event loop, and each step may have a condition over long arguments.
 */
export function fromWirePlan(planned: Wire<"planBody">["planned_calls"]): PlannedCall[] {
  let left = MAX_PLANNED;
  return planned.map((step) => {
    if (typeof step === "string") return step;
    const { id, tool, arguments: args, after } = step;
    left -= args ? JSON.stringify(args).length : 0;
    return {
      tool,
      ...(id !== undefined && { id }),
      // For a step without arguments the worst case is assumed.
      ...(args && left >= 0 && { arguments: args }),
      ...(after && { after }),
    };
  });
}

export function fromWireReport({ call_id, label, dataset, error }: Wire<"reportBody">): Report {
  const declared = label && {
    ...(label.level !== undefined && { level: label.level }),
    ...(label.categories && { categories: label.categories }),
    ...(label.trust !== undefined && { trust: label.trust }),
  };
  return {
    callId: call_id,
    error: error !== undefined && error !== null && error !== false,
    ...(declared && { label: declared }),
    ...(dataset !== undefined && { dataset }),
  };
}

export function fromWireToolPolicy(given: NonNullable<Wire<"forkBody">["tool_policy"]>): ToolPolicy {
  const { allowed_tools: allowedTools, denied_tools: deniedTools, require_tags: requireTags } = given;
  return {
    ...(allowedTools && { allowedTools }),
    ...(deniedTools && { deniedTools }),
    ...(requireTags && { requireTags }),
  };
}
