/** The wire's shapes: what validates requests, and what the OpenAPI document is made from. */
import { z } from "zod";
import { REFUSAL_CLASSES } from "../../core/index.ts";
import { MAX_APPEAL_LENGTH, MAX_REASON_LENGTH } from "../../runtime/index.ts";

const name = (what: string) => z.string().min(1).max(256).meta({ description: what });

export const label = z
  .strictObject({
    level: z.string().meta({ description: "A level of the policy; `*` is above them all." }),
    categories: z.array(z.string()),
    trust: z.string(),
  })
  .meta({ id: "Label", description: "What data carries. Always all three parts." });

const argumentsObject = z
  .record(z.string(), z.unknown())
  .meta({ description: "The tool's arguments, as a JSON object." });

const call = z
  .strictObject({ tool: name("Any name that means the tool."), arguments: argumentsObject.default({}) })
  .meta({ id: "Call" });

/** More than a person needs; limits the time of forgotten connections. */
const MAX_WAIT_SECONDS = 3600;

/** Characters of one text by the user. */
export const MAX_TEXT_SAID = 100_000;

export const heldCall = call.extend({
  wait: z
    .number()
    .min(0)
    .max(MAX_WAIT_SECONDS)
    .default(0)
    .meta({ description: "Seconds to be held for a person's answer, where the call asks for one." }),
});

const plannedCall = z
  .union([
    name("A tool."),
    z.strictObject({
      id: name("A name for this step, for `after`.").optional(),
      tool: name("Any name that means the tool."),
      arguments: argumentsObject.optional(),
      after: z
        .array(z.string().max(256))
        .max(1000)
        .optional()
        .meta({ description: "Ids of steps that must come before." }),
    }),
  ])
  .meta({ id: "PlannedCall" });

export const openBody = z.strictObject({
  principal: name("Who the session works for; `operator` by default.").optional(),
  role: name("A role of the policy.").optional(),
  task: z
    .string()
    .max(MAX_TEXT_SAID)
    .optional()
    .meta({ description: "The user's own request. Kept out of the journal." }),
  tools: z
    .array(z.string().max(256))
    .max(10_000)
    .optional()
    .meta({ description: "Names of tools; they only narrow." }),
});

export const wordsBody = z.strictObject({
  text: z
    .string()
    .min(1)
    .max(MAX_TEXT_SAID)
    .meta({ description: "What the user said. Kept as keyed digests." }),
});

export const planBody = z.strictObject({ planned_calls: z.array(plannedCall) });

export const decideBody = z.union([
  heldCall,
  z.strictObject({
    calls: z.array(call).min(1).meta({ description: "Decided and admitted in this order." }),
  }),
]);

export const reportBody = z.strictObject({
  call_id: name("The `call_id` of a decision that allowed the call."),
  label: z
    .strictObject({
      level: z.string().optional(),
      categories: z.array(z.string().max(64)).max(256).optional(),
      trust: z.string().optional(),
    })
    .optional()
    .meta({ description: "What the result turned out to carry; it only raises." }),
  dataset: name("The data set that it came from.").optional(),
  error: z
    .union([z.null(), z.boolean(), z.string()])
    .optional()
    .meta({ description: "Anything but null or false: the tool failed. A text is not kept." }),
});

export const reason = z
  .strictObject({
    code: z.string(),
    message: z.string(),
    caused_by: z.array(
      z.strictObject({ step: z.int().nullable(), tool: z.string().nullable(), dataset: z.string() }),
    ),
    rule: z.string().optional().meta({ description: "The rule of the policy that denies the call or asks." }),
    argument: z
      .string()
      .nullable()
      .optional()
      .meta({ description: "The argument that isn't the user's word, by its path; never its value." }),
    first_seen: z
      .strictObject({ call: z.int(), tool: z.string(), trust: z.string() })
      .nullable()
      .optional()
      .meta({ description: "The call, counted from 1, whose result held that value first." }),
  })
  .meta({ id: "Reason" });

const approval = z.strictObject({
  id: z.string(),
  status: z.literal("pending"),
  expires_at: z.string(),
});

const decisionShape = {
  call_id: z.string(),
  effect: z.enum(["allow", "ask", "deny"]),
  class: z.enum(REFUSAL_CLASSES).optional().meta({
    description:
      "What a refusal leaves the agent to do. `retry`: the call may run after a change, or later; `person`: a person has to say yes; `never`: it doesn't run in this session.",
  }),
  tool: z.string(),
  reasons: z.array(reason),
  repeated: z.string().optional().meta({
    description:
      "Where the session was refused this tool for these reasons before: one short sentence for the model, in place of theirs.",
  }),
  faults: z.array(z.strictObject({ code: z.string(), message: z.string() })),
  raises: label.nullable(),
  label,
  approval: approval.nullable(),
};

export const decision = z.strictObject(decisionShape).meta({ id: "Decision" });

export const errorBody = z
  .strictObject({
    error: z.strictObject({ code: z.string(), message: z.string(), why: z.string(), fix: z.string() }),
  })
  .meta({ id: "Error" });

export const problemBody = z
  .strictObject({
    type: z.string().meta({ description: "`urn:sluicegate:error:` and the code." }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    why: z.string(),
    fix: z.string(),
  })
  .meta({ id: "Problem", description: "The same as RFC 9457 has it, where `Accept` asks for that." });

export const callAnswer = z
  .strictObject({
    ...decisionShape,
    edited: z
      .strictObject({
        by: z.string(),
        changed: z.array(z.strictObject({ argument: z.string(), value: z.unknown().optional() })),
      })
      .optional()
      .meta({ description: "What a person changed of it, with values where the session may hold them." }),
    result: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: "The tool's result, in MCP's shape, where it ran." }),
    error: errorBody.shape.error
      .optional()
      .meta({ description: "Why nothing came back, where it was admitted and failed." }),
  })
  .meta({ id: "CallAnswer" });

export const manifest = z
  .strictObject({
    session_id: z.string(),
    tools: z.array(
      z.strictObject({
        name: z.string(),
        sensitivity: z.enum(["internal_source", "external", "both", "neutral"]),
        consequence: z.string().meta({ description: 'Begins with "none" where calling it blocks nothing.' }),
      }),
    ),
    ordering_hint: z.string(),
    prompt: z.string().meta({ description: "The planning constraint for the agent's system prompt." }),
    label,
  })
  .meta({ id: "Manifest" });

export const opened = manifest.extend({ session_token: z.string() }).meta({ id: "OpenedSession" });

export const planAnswer = z
  .strictObject({
    valid: z.boolean(),
    violations: z.array(
      z.strictObject({
        at_step: z.int().meta({ description: "Counted from 0." }),
        tool: z.string(),
        code: z.string(),
        reason: z.string(),
        suggestion: z.string(),
      }),
    ),
    safe_ordering: z
      .union([z.array(z.string()), z.literal("undetermined")])
      .nullable()
      .meta({
        description:
          "Null where no order is safe; `undetermined` where the search for one would take longer than it may.",
      }),
    approvals: z.array(z.strictObject({ at_step: z.int(), tool: z.string(), reason: z.string() })),
    questions: z.int().meta({ description: "How often a person is asked in the order given." }),
    fewest_questions: z
      .array(z.string())
      .optional()
      .meta({ description: "An order with fewer questions, the fewest that was found, where there is one." }),
    questions_saved: z.int().optional().meta({ description: "How many questions that order saves." }),
    in_the_way: z.array(z.string()),
    ways_out: z.array(z.string()),
    steps: z
      .array(
        z.strictObject({
          at_step: z.int(),
          tool: z.string(),
          effect: z.enum(["allow", "ask", "deny"]),
          raises: label.nullable().meta({ description: "What it would add to the session's label." }),
          label: label.meta({ description: "The session's after it; a step that is refused adds nothing." }),
          shut: z.array(z.string()).meta({ description: "The names of the tools that it would shut." }),
          depends_on_arguments: z.boolean().meta({
            description: "Whether arguments that aren't known were taken at their worst.",
          }),
        }),
      )
      .meta({ description: "The plan played in the order given; a step that would ask counts as approved." }),
  })
  .meta({ id: "PlanAnswer" });

const steps = z.array(z.int()).meta({ description: "Steps of the plan, counted from 0." });

export const planDecision = planAnswer
  .extend({
    effect: z.enum(["allow", "ask", "deny"]).meta({
      description: "`allow`: nobody has to be asked for the plan, or somebody has approved it.",
    }),
    reasons: z.array(z.string()).meta({ description: "Why it is denied." }),
    approval: approval.nullable(),
    lease: z
      .strictObject({ approval_id: z.string(), expires_at: z.string(), steps_left: steps })
      .nullable()
      .meta({ description: "The approved plan: each step that is left may run once." }),
    asks_later: steps.meta({
      description: "Steps that ask by themselves once they are made: the plan doesn't give their arguments.",
    }),
  })
  .meta({ id: "PlanDecision" });

export const sessionState = z
  .strictObject({
    session_id: z.string(),
    principal: z.string(),
    role: z.string().nullable(),
    private: z.boolean(),
    label,
    datasets: z.array(
      z.strictObject({
        id: z.string(),
        sensitivity: z.string(),
        at: z.string(),
        call: z.string().nullable(),
      }),
    ),
    effects: z.array(z.string()),
    calls: z.int(),
    pending: z.strictObject({ id: z.string(), tool: z.string(), expires_at: z.string() }).nullable(),
    impossible: z
      .strictObject({ at: z.string(), reason: z.string() })
      .nullable()
      .meta({ description: "The agent said that its task can't be done." }),
    closed: z.boolean(),
  })
  .meta({ id: "SessionState" });

const names = z.array(z.string().min(1).max(512)).max(1000);

export const forkBody = z.strictObject({
  tool_policy: z
    .strictObject({
      allowed_tools: names.optional().meta({ description: "Only these, by name or pattern." }),
      denied_tools: names.optional(),
      require_tags: names.optional().meta({ description: "Tags that a tool must all have." }),
    })
    .optional()
    .meta({ description: "Taken away from the fork, on top of what its parent lacks." }),
});

export const impossibleBody = z.strictObject({
  reason: z.string().min(1).max(MAX_REASON_LENGTH).meta({ description: "Why the task can't be done." }),
});

export const appealBody = z.strictObject({
  call_id: name("The `call_id` of a decision that refused a call of this session lately."),
  text: z
    .string()
    .min(1)
    .max(4096)
    .meta({
      description: `Why it should run: one sentence of at most ${MAX_APPEAL_LENGTH} visible characters.`,
    }),
});

export const appealAnswer = z.strictObject({ acknowledged: z.literal(true), call_id: z.string() });

export const acknowledged = z
  .strictObject({ acknowledged: z.literal(true), reason: z.string() })
  .meta({ id: "Acknowledged" });

export const journal = z
  .strictObject({
    events: z.array(
      z.strictObject({
        seq: z.int(),
        kind: z.string(),
        at: z.string(),
        policy: z.string(),
        prev: z.string(),
        hash: z.string(),
        data: z.record(z.string(), z.unknown()),
      }),
    ),
    next: z.int().meta({ description: "What to pass as `after` for what comes next." }),
  })
  .meta({ id: "Journal" });

export const toolReview = z
  .strictObject({
    tool: z.string().meta({ description: "Its identity." }),
    server: z.string(),
    name: z.string(),
    status: z.enum(["pinned", "changed", "unclassified", "missing"]),
    hash: z.string().nullable().meta({ description: "Of the accepted definition." }),
    offered_hash: z
      .string()
      .nullable()
      .meta({ description: "Of the definition that its server offers now." }),
    difference: z.array(
      z.strictObject({
        path: z.string().meta({ description: "A JSON Pointer." }),
        before: z.string().nullable().meta({ description: "JSON text, cut to a length; null: nothing." }),
        after: z.string().nullable(),
      }),
    ),
    more_differences: z.int().meta({ description: "How many more there are than are listed." }),
    problem: z.string().nullable(),
    doubt: z
      .string()
      .nullable()
      .meta({ description: "Where its server says that it does more than is declared." }),
  })
  .meta({ id: "ToolReview" });

export const toolReviews = z.strictObject({ tools: z.array(toolReview) }).meta({ id: "ToolReviews" });

export const acceptBody = z.strictObject({
  tool: name("Any name that means the tool."),
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ description: "The `offered_hash` of the definition that was looked at." }),
});
