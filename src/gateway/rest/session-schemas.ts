/** The wire schemas for viewing sessions: the list, a session's tools, its timeline. */
import { z } from "zod";
import { CHECKS } from "../../core/index.ts";
import { RIGHTS } from "../../policy-file/internal.ts";
import { MAX_LISTED } from "./newly-blocked.ts";
import { label, reason } from "./schemas.ts";

export const gauge = z
  .strictObject({
    level: z.int().meta({
      description:
        "The place of the session's level among the policy's, 0 the lowest; their number: above all.",
    }),
    gates: z.array(
      z.strictObject({
        height: z.int().meta({ description: "The place of the highest level that may pass." }),
        shut: z.boolean(),
        releasable: z.boolean().meta({ description: "Where it is shut, a person may let one call pass." }),
        tools: z.int().meta({ description: "How many tools stand behind it." }),
        names: z.array(z.string()).meta({ description: "The first of them." }),
      }),
    ),
  })
  .meta({
    id: "Gauge",
    description:
      "A session as a channel: how high its label stands, and the gates to the outside at their heights.",
  });

export const sessionSummary = z
  .strictObject({
    session_id: z.string(),
    principal: z.string(),
    role: z.string().nullable(),
    label,
    private: z.boolean(),
    calls: z.int(),
    refused: z.int().meta({ description: "Calls that were denied." }),
    waiting: z.int().meta({ description: "Calls that wait for a person." }),
    opened_at: z.string(),
    last_at: z.string().meta({ description: "When something last happened in it." }),
    impossible: z.boolean(),
    closed: z.boolean(),
    gauge,
  })
  .meta({ id: "SessionSummary" });

export const sessions = z
  .strictObject({
    sessions: z.array(sessionSummary),
    total: z.int().meta({ description: "How many there are that fit the filters." }),
    next: z
      .string()
      .nullable()
      .meta({ description: "What to pass as `after` for those that come next; null at the end." }),
  })
  .meta({ id: "Sessions" });

const toolShape = {
  tool: z.string().meta({ description: "Its identity." }),
  name: z.string().meta({ description: "The name that agents see." }),
  server: z.string().nullable().meta({ description: "Null: the agent runs it itself." }),
  permissions: z.array(z.enum(["read", "write", "connect"])),
  source: label.nullable().meta({ description: "What calling it brings into a session; null: nothing." }),
  clearances: z
    .array(label)
    .nullable()
    .meta({ description: "What may be sent to it, each by itself enough; null: it sends nothing out." }),
  height: z
    .int()
    .nullable()
    .meta({ description: "The place of the highest level that it may receive; null: it sends nothing out." }),
  releasable: z
    .boolean()
    .meta({ description: "A person may release a call that the label doesn't let pass." }),
  approval: z.enum(["always", "never", "condition"]),
  when: z.string().nullable().meta({ description: "The condition under which a person is asked." }),
  tags: z.array(z.string()),
  classified: z.boolean(),
  sensitivity: z.enum(["internal_source", "external", "both", "neutral"]),
};

export const toolFacts = z.strictObject(toolShape).meta({ id: "ToolFacts" });

export const sessionTools = z
  .strictObject({
    session_id: z.string(),
    label,
    gauge,
    tools: z.array(
      z.strictObject({
        ...toolShape,
        blocked: z.boolean().meta({ description: "What the session holds may not go to it." }),
        shuts: z
          .array(z.string())
          .meta({ description: `The names of the first ${MAX_LISTED} tools that calling it would shut.` }),
        consequence: z.string(),
      }),
    ),
  })
  .meta({ id: "SessionTools" });

export const answer = z
  .strictObject({
    effect: z.enum(["allow", "deny"]),
    reasons: z.array(reason),
    label: label.meta({ description: "The session's, which the answer has." }),
  })
  .meta({ id: "AnswerDecision" });

const trailEntry = z
  .strictObject({
    check: z.enum(CHECKS),
    result: z.enum(["pass", "ask", "deny", "skipped"]),
    reasons: z.array(reason),
  })
  .meta({ id: "TrailEntry" });

const timelineApproval = z.strictObject({
  id: z.string(),
  status: z.enum(["pending", "approved", "denied", "expired", "cancelled"]),
  answered_by: z.string().nullable(),
  via: z.string().nullable(),
  why: z.string().nullable().meta({ description: "The person's own words." }),
  ended_at: z.string().nullable(),
});

export const timelineCall = z
  .strictObject({
    kind: z.literal("call"),
    seq: z.int().meta({ description: "The journal's entry that decided it." }),
    at: z.string(),
    step: z.int().meta({ description: "Counted from 0 over all calls of the session." }),
    call_id: z.string(),
    tool: z.string().meta({ description: "Its identity, or the name that was given where it means none." }),
    name: z.string(),
    effect: z.enum(["allow", "ask", "deny"]),
    outcome: z
      .enum(["running", "ok", "error", "unknown", "refused", "waiting", "answered"])
      .meta({ description: "`answered`: it asked, and that was answered or ended; see `approval`." }),
    finished_at: z.string().nullable(),
    milliseconds: z.int().nullable(),
    reasons: z.array(reason),
    trail: z.array(trailEntry),
    raises: label.nullable().meta({ description: "What it added to the session's label." }),
    dataset: z.string().nullable(),
    label: label.meta({ description: "The session's, after it." }),
    shut: z.array(z.string()).meta({ description: "The names of the tools that it shut." }),
    release: z.boolean(),
    approval: timelineApproval.nullable(),
  })
  .meta({ id: "TimelineCall" });

export const timelineNote = z
  .strictObject({
    kind: z.enum(["opened", "said", "raised", "impossible", "appealed", "closed", "unreadable"]),
    seq: z.int(),
    at: z.string(),
    text: z.string().meta({ description: "What happened, as a sentence." }),
    appeal: z.strictObject({ call_id: z.string(), text: z.string().nullable() }).optional().meta({
      description:
        "The refused call that the agent appealed, and its own words; null once the session is reset.",
    }),
    label: label.meta({ description: "The session's, after it." }),
    shut: z.array(z.string()),
  })
  .meta({ id: "TimelineNote" });

export const timeline = z
  .strictObject({
    session_id: z.string(),
    policy: z
      .string()
      .meta({ description: "The version of the policy by which `shut` and sentences are told." }),
    events: z.array(z.union([timelineCall, timelineNote])),
    total: z.int().meta({ description: "How many there are in all." }),
    earlier: z
      .int()
      .nullable()
      .meta({ description: "What to pass as `before` for those before these; null where there are none." }),
  })
  .meta({ id: "Timeline" });

export const identity = z
  .strictObject({
    principal: z.string().meta({ description: "`operator` for the operator's token." }),
    rights: z.array(z.enum(RIGHTS)),
  })
  .meta({ id: "Identity" });
