/**
 * The optional step before the first call: the model says which calls it means to make, and is told whether they
 * would be blocked and which order is safe. Nothing is authorised by it.
 */
import type { JSONSchema7, Tool } from "ai";
import type { PlanCheck, PlannedCall } from "../core/index.ts";
import { isJsonObject } from "../json/json-object.ts";
import type { Session } from "../runtime/index.ts";

export const CHECK_PLAN = "check_plan";

/** A model that can't find a plan goes on without: each call is decided on anyway. */
const MAX_TRIES = 3;
const MAX_CALLS = 1000;

/** How far the plan step of a run has come. */
export interface PlanProgress {
  /** Until then the model has no other tool. */
  isDone: boolean;
  tries: number;
}

export const PLAN_NOTE = `First call \`${CHECK_PLAN}\` with the calls that you mean to make, in order. Your other tools are there once the plan has been checked. Where it is not valid, fix it, as \`safe_ordering\` says.`;

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

/** The tool that checks a plan in this view. */
export async function toPlanTool(view: Session, progress: PlanProgress): Promise<Tool> {
  const { jsonSchema } = await import("ai");
  return {
    description:
      "Check the calls that you mean to make, before you make them. Says which would be blocked, a safe order if there is one, which wait for a person, and the order with the fewest such questions. Nothing is run or allowed by it.",
    inputSchema: jsonSchema<{ planned_calls: unknown }>(SCHEMA),
    execute: async ({ planned_calls: given }: { planned_calls: unknown }) => {
      progress.tries += 1;
      const planned = readPlan(given);
      const told = planned === null ? MALFORMED : toTold(await view.examinePlan(planned));
      if (told.valid || progress.tries >= MAX_TRIES) progress.isDone = true;
      return told;
    },
  } as Tool;
}

const MALFORMED = {
  valid: false,
  error: `\`planned_calls\` is a list of at most ${MAX_CALLS} names, or objects with \`tool\`, and perhaps \`id\`, \`arguments\` and \`after\`.`,
} as const;

function readPlan(given: unknown): readonly PlannedCall[] | null {
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
