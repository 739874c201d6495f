/**
 * The optional step before the first call: the model submits its intended calls, and learns whether they would be
 * blocked and which order is safe. If some need approval, a person is asked once for the whole plan.
 */
import type { JSONSchema7, Tool } from "ai";
import type { PlanCheck, PlannedCall } from "../core/index.ts";
import { isJsonObject } from "../json/json-object.ts";
import { describeRefusal, type PlanDecision, type Session } from "../runtime/index.ts";

export const CHECK_PLAN = "check_plan";

/** After these attempts a model continues without a plan: each call is decided on anyway. */
const MAX_TRIES = 3;
const MAX_CALLS = 1000;

/** How a plan's approvals are requested: once for all of its calls, or for each call when it is made. */
export type PlanQuestions = "per-plan" | "per-call";

/** The state of a run's plan step. */
export interface PlanProgress {
  /** Until then the model has no other tool. */
  isDone: boolean;
  /** Rejected plans since the last accepted one. */
  tries: number;
  /** Whether a person denied a plan since then; then the model gets other tools only with an accepted plan. */
  isDenied: boolean;
}

export const START: Readonly<PlanProgress> = { isDone: false, tries: 0, isDenied: false };

/** Whether the only outcome of the plans is a person's denial. */
export const isRefused = ({ isDenied, tries }: PlanProgress): boolean => isDenied && tries >= MAX_TRIES;

const NOTE = `First call \`${CHECK_PLAN}\` with the calls that you mean to make, in order. Your other tools are there once the plan has been checked. Where it is not valid, fix it, as \`safe_ordering\` says.`;
const ONCE =
  "A person is asked once for the calls whose exact arguments it gives (`{}` for none), and those then run without asking.";

export const PLAN_NOTE: Readonly<Record<PlanQuestions, string>> = {
  "per-plan": `${NOTE} ${ONCE}`,
  "per-call": NOTE,
};

const SCHEMA: JSONSchema7 = {
  type: "object",
  properties: {
    planned_calls: {
      type: "array",
      description:
        "The tools that you mean to call, in order: names, or objects with the arguments as far as known.",
      maxItems: MAX_CALLS,
      items: {
        anyOf: [
          { type: "string" },
          {
            type: "object",
            properties: {
              id: { type: "string" },
              tool: { type: "string" },
              arguments: { type: "object" },
              after: { type: "array", items: { type: "string" } },
            },
            required: ["tool"],
          },
        ],
      },
    },
  },
  required: ["planned_calls"],
};

const CHECKS =
  "Check the calls that you mean to make, before you make them. Says which would be blocked, a safe order if there is one, which wait for a person, and the order with the fewest such questions. Nothing is run by it.";

/** The tool that checks a plan in this view. */
export async function toPlanTool(
  view: Session,
  progress: PlanProgress,
  questions: PlanQuestions,
): Promise<Tool> {
  const { jsonSchema } = await import("ai");
  return {
    description: questions === "per-plan" ? `${CHECKS} ${ONCE}` : CHECKS,
    inputSchema: jsonSchema<{ planned_calls: unknown }>(SCHEMA),
    execute: async (input: unknown) => {
      const planned = readPlan(input);
      if (planned === null) return note(progress, { isAccepted: false }, MALFORMED);
      if (!isPutToPerson(planned, questions)) {
        const check = await view.examinePlan(planned);
        return note(progress, { isAccepted: check.valid }, toTold(check));
      }
      const decided = await view.plan(planned);
      const { valid, isDenied, effect, reasons, lease } = decided;
      const isAccepted = valid && !isDenied;
      if (lease !== null)
        return note(progress, { isAccepted }, { ...toTold(underLease(decided)), approved: true });
      const told = { ...toTold(decided), ...(valid && effect === "deny" && { approved: false, reasons }) };
      return note(progress, { isAccepted, isDenied }, told);
    },
  } as Tool;
}

/** An approved plan, with only those approvals that steps without arguments still need. */
const underLease = ({ fewestQuestions: _, ...decided }: PlanDecision): PlanCheck => ({
  ...decided,
  approvals: decided.approvals.filter(({ atStep }) => decided.asksLater.includes(atStep)),
  questions: decided.asksLater.length,
});

/** The approval that a submitted plan waits for; null if it needs none. */
export async function planQuestion(
  view: Session,
  input: unknown,
  questions: PlanQuestions,
): Promise<{ readonly approval: string; readonly reason: string } | null> {
  const planned = readPlan(input);
  if (planned === null || !isPutToPerson(planned, questions)) return null;
  const { approval } = await view.plan(planned);
  if (approval === null) return null;
  const reasons = [{ code: "approval-required", message: "A person is asked for the whole plan." }] as const;
  return { approval: approval.id, reason: describeRefusal({ reasons, approval }) };
}

/** A longer plan can't be shown to a person; its calls need their own approvals. */
const MAX_SHOWN = 100;

const isPutToPerson = (planned: readonly PlannedCall[], questions: PlanQuestions): boolean =>
  questions === "per-plan" && planned.length <= MAX_SHOWN;

/** Records the outcome of a plan. */
function note<Told>(
  progress: PlanProgress,
  { isAccepted, isDenied = false }: { readonly isAccepted: boolean; readonly isDenied?: boolean },
  told: Told,
): Told {
  progress.isDenied = !isAccepted && (isDenied || progress.isDenied);
  progress.tries = isAccepted ? 0 : progress.tries + 1;
  progress.isDone = isAccepted || (!progress.isDenied && (progress.isDone || progress.tries >= MAX_TRIES));
  return told;
}

const MALFORMED = {
  valid: false,
  error: `\`planned_calls\` is a list of at most ${MAX_CALLS} names, or objects with \`tool\`, and perhaps \`id\`, \`arguments\` and \`after\`.`,
} as const;

function readPlan(input: unknown): readonly PlannedCall[] | null {
  const given = isJsonObject(input) ? input.planned_calls : null;
  if (!Array.isArray(given) || given.length > MAX_CALLS) return null;
  const read = given.map(readCall);
  return read.includes(null) ? null : read.filter((one) => one !== null);
}

function readCall(given: unknown): PlannedCall | null {
  if (typeof given === "string") return given;
  if (!isJsonObject(given)) return null;
  const { id, tool, arguments: args, after } = given;
  const isList = Array.isArray(after) && after.every((one) => typeof one === "string");
  if (typeof tool !== "string" || (id !== undefined && typeof id !== "string")) return null;
  if (after !== undefined && !isList) return null;
  if (args !== undefined && !isJsonObject(args)) return null;
  return {
    tool,
    ...(id !== undefined && { id }),
    ...(args !== undefined && { arguments: args }),
    ...(isList && { after }),
  };
}

const toTold = ({ valid, violations, safeOrdering, ...check }: PlanCheck) => ({
  valid,
  violations: violations.map(({ atStep, ...rest }) => ({ at_step: atStep, ...rest })),
  safe_ordering: safeOrdering,
  approvals: check.approvals.map(({ atStep, ...rest }) => ({ at_step: atStep, ...rest })),
  questions: check.questions,
  ...(check.fewestQuestions && { fewest_questions: check.fewestQuestions }),
});
