/** Reads reasons from a journal. Data of another shape are refused. */
import { z } from "zod";
import { ASK_CAUSES, FREEZE_SCOPES, PERMISSIONS, type Reason } from "../../core/index.ts";

const tool = z.string();
const label = z.object({ level: z.string(), categories: z.array(z.string()), trust: z.string() });

const cause = z.object({
  call: z.string().nullable(),
  step: z.int().nullable(),
  tool: z.string().nullable(),
  dataset: z.string(),
  label,
  moreCategories: z.exactOptional(z.int()),
  reported: z.exactOptional(z.literal(true)),
});

const reason = z.discriminatedUnion("code", [
  z.object({ code: z.literal("frozen"), tool, scope: z.enum(FREEZE_SCOPES) }),
  z.object({ code: z.literal("session-closed") }),
  z.object({
    code: z.enum([
      "unknown-tool",
      "unclassified-tool",
      "definition-changed",
      "denied-by-policy",
      "missing-tag",
      "hidden",
      "protected-path",
      "approval-denied",
      "approval-expired",
      "fault",
    ]),
    tool,
  }),
  z.object({ code: z.literal("ambiguous-tool"), tool, candidates: z.array(z.string()) }),
  z.object({ code: z.literal("not-in-tool-set"), tool, role: z.string() }),
  z.object({ code: z.literal("permission-missing"), tool, missing: z.array(z.enum(PERMISSIONS)) }),
  z.object({
    code: z.literal("flow-blocked"),
    tool,
    label,
    moreCategories: z.exactOptional(z.int()),
    clearances: z.array(label),
    causes: z.array(cause),
    moreCauses: z.exactOptional(z.int()),
    releasable: z.exactOptional(z.literal(true)),
    byArguments: z.exactOptional(z.literal(true)),
  }),
  z.object({
    code: z.literal("unknown-argument"),
    tool,
    argument: z.string(),
    near: z.string().nullable(),
  }),
  z.object({
    code: z.literal("sign-in-needed"),
    tool,
    server: z.string(),
    link: z.string().nullable(),
  }),
  z.object({
    code: z.literal("not-endorsed"),
    tool,
    problem: z.enum(["not-said", "none-given", "link", "credential", "unknown"]),
    argument: z.string().nullable(),
    firstSeen: z.object({ step: z.int(), tool: z.string(), trust: z.string() }).nullable(),
  }),
  z.object({
    code: z.enum(["denied-by-rule", "rule-asks"]),
    tool,
    rule: z.string(),
    result: z.enum(["holds", "unclear", "unknown"]),
  }),
  z.object({ code: z.literal("approval-required"), tool, because: z.enum(ASK_CAUSES) }),
]);

const reasons: z.ZodType<readonly Reason[]> = z.array(reason);

/** The reasons of an entry; null if they can't be read. */
export const readReasons = (kept: unknown): readonly Reason[] | null => {
  const read = reasons.safeParse(kept);
  return read.success ? read.data : null;
};
