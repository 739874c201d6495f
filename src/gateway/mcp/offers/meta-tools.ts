/**
 * Tools of the gateway itself, for agents that use only MCP: the manifest, the plan check, and the report that the
 * task can't be done. They bring no data in and send none out, so they aren't decided on; they name no tool that the
 * session doesn't see.
 */
import { z } from "zod";
import {
  REPORT_IMPOSSIBLE,
  report_impossible,
  type Session,
  type ToolResult,
} from "../../../runtime/index.ts";
import { assertPlanFits, type GatewayLimits } from "../../limits.ts";
import { assertFewItems } from "../../rest/route.ts";
import { appealBody, impossibleBody, planBody } from "../../rest/schemas.ts";
import { fromWirePlan, toWireManifest, toWirePlan, toWirePlanDecision } from "../../rest/wire.ts";

export const MANIFEST_TOOL = "sluicegate_manifest";
export const PLAN_TOOL = "sluicegate_check_plan";
export const APPEAL_TOOL = "sluicegate_appeal";

const planToolBody = planBody.extend({
  ask: z.boolean().optional().meta({ description: "Whether a person is asked once for the whole plan." }),
});

interface MetaTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
  readonly annotations: Record<string, unknown>;
  run(session: Session, args: unknown, limits: GatewayLimits): ToolResult | Promise<ToolResult>;
}

const annotations = Object.freeze({ readOnlyHint: true, openWorldHint: false, idempotentHint: true });

const toInputSchema = (schema: z.ZodType): Record<string, unknown> => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return { ...rest, type: "object" };
};

/** As text, and as structured content. */
const asResult = (value: Readonly<Record<string, unknown>>): ToolResult => ({
  content: [{ type: "text", text: JSON.stringify(value) }],
  structuredContent: value,
});

/** Models don't see ids, so they may leave them out. */
const lastAppealBody = appealBody.extend({
  call_id: appealBody.shape.call_id
    .optional()
    .meta({ description: "The refused call; left out, the last one." }),
});

export const META_TOOLS: readonly MetaTool[] = Object.freeze([
  {
    name: MANIFEST_TOOL,
    title: "What each tool costs",
    description:
      "Lists this session's tools with their class and what calling each of them will block. Look at it before you plan. Calling it blocks nothing.",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    annotations,
    run: (session) => asResult(toWireManifest(session)),
  },
  {
    name: PLAN_TOOL,
    title: "Check a plan",
    description:
      "Checks a planned sequence of tool calls before you start: which step would be blocked and why, and a safe order where there is one. With `ask`, a person is asked once for all of it; approved, each of its calls runs once without asking, with exactly the arguments that the plan gives. It runs nothing.",
    inputSchema: toInputSchema(planToolBody),
    annotations: { ...annotations, readOnlyHint: false, destructiveHint: false },
    run: async (session, args, limits) => {
      assertFewItems(args);
      const parsed = planToolBody.safeParse(args);
      if (!parsed.success)
        return usage(
          "`planned_calls` must be a list of tool names or of steps with `id`, `tool` and `after`.",
        );
      const planned = fromWirePlan(parsed.data.planned_calls);
      assertPlanFits(limits, planned);
      if (parsed.data.ask) return asResult(toWirePlanDecision(await session.plan(planned), session));
      return asResult(toWirePlan(await session.examinePlan(planned), session));
    },
  },
  {
    name: APPEAL_TOOL,
    title: "Appeal a refusal",
    description:
      "Says in one sentence why a refused call should run. A person sees it; it grants nothing by itself, so go on with what you can do.",
    inputSchema: toInputSchema(lastAppealBody),
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false, idempotentHint: false },
    run: async (session, args) => {
      const parsed = lastAppealBody.safeParse(args);
      if (!parsed.success) return usage("`text` must be one sentence that says why the call should run.");
      const { text, call_id = session.state.refusals.open.at(-1)?.call ?? "" } = parsed.data;
      await session.appeal({ callId: call_id, text });
      return asResult({ acknowledged: true, call_id });
    },
  },
  {
    ...REPORT_IMPOSSIBLE,
    title: "Give up",
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false, idempotentHint: true },
    run: async (session, args) => {
      const parsed = impossibleBody.safeParse(args);
      if (!parsed.success) return usage("`reason` must be a text that says why the task can't be done.");
      return asResult({ ...(await report_impossible(session, parsed.data)) });
    },
  },
]);

const usage = (text: string): ToolResult => ({ content: [{ type: "text", text }], isError: true });
