/** The wire's shapes of approvals. */
import { z } from "zod";
import { STANDING_SCOPES } from "../../core/index.ts";
import { label, reason } from "./schemas.ts";
import { gauge, toolFacts } from "./session-schemas.ts";

const argumentRule = z.union([
  z.strictObject({ equals: z.unknown() }),
  z.strictObject({ one_of: z.array(z.unknown()) }),
  z.strictObject({ prefix: z.string() }),
  z.strictObject({ at_most: z.number() }),
  z.strictObject({ any: z.literal(true) }),
]);

const argumentRules = z.record(z.string(), argumentRule).meta({
  description:
    "By top-level argument. `prefix` is a folder or an address: itself and what lies in it. An argument that isn't named has the value of the call that is approved, or is left out.",
});

const scope = z.enum(STANDING_SCOPES).meta({ description: "Whose calls." });

export const standingOffer = z
  .strictObject({
    words: z.string().meta({ description: "What it would cover, in one sentence." }),
    standing: z
      .strictObject({
        arguments: argumentRules,
        for: scope,
        ceiling: label,
        expires: z.string(),
        count: z.int(),
      })
      .meta({ description: "Sent as `standing` with a yes, it gives exactly that." }),
  })
  .meta({ id: "StandingOffer" });

const approvers = z.int().meta({ description: "How many different people must say yes; one no ends it." });
const approvedBy = z.array(z.string()).meta({ description: "Those who have said yes." });

export const waitingApproval = z
  .strictObject({
    id: z.string(),
    status: z.enum(["pending", "queued"]).meta({
      description:
        "Of each session one is `pending`, the oldest whose call is held, or else the oldest; the others queue behind it.",
    }),
    session_id: z.string(),
    principal: z.string(),
    approvers,
    approved_by: approvedBy,
    call_id: z.string(),
    tool: z.string().meta({ description: "Its identity." }),
    what: z.string().meta({ description: "What an approval permits, as a sentence for a person." }),
    facts: toolFacts
      .nullable()
      .meta({ description: "What the policy says of the tool; null where it doesn't have it any more." }),
    arguments: z.record(z.string(), z.unknown()),
    folded: z
      .array(
        z.strictObject({
          part: z.enum(["arguments", "diff"]),
          pointer: z.string().meta({ description: "A JSON Pointer into the arguments; empty for the diff." }),
          characters: z.int().meta({ description: "How long the whole is." }),
        }),
      )
      .meta({
        description: "What was cut to the length that `fold` names. The approval by itself has all of it.",
      }),
    held: z
      .array(
        z.strictObject({
          step: z.int().nullable(),
          tool: z.string().nullable().meta({ description: "Its name." }),
          dataset: z.string(),
          reported: z.boolean().meta({
            description: "Whether the label and the data set are the agent's own words, from a report.",
          }),
          label,
          more_categories: z.int().meta({ description: "How many more categories its label has." }),
          at: z.string(),
        }),
      )
      .meta({
        description: "Where what the session holds came from: the first twenty that raised it, oldest first.",
      }),
    session_label: label.meta({ description: "What the session holds now." }),
    more_held: z.int().meta({ description: "How many more raised it." }),
    gauge,
    proposal: standingOffer.nullable().meta({
      description:
        "Calls like it that may be approved with it, what the last three had in common that a person approved; null unless it is shown and there were three.",
    }),
    reasons: z.array(reason),
    why: z.array(z.string()).meta({ description: "Why a person is asked, in sentences for that person." }),
    editable: z.boolean().meta({
      description:
        "Whether its arguments may be changed with the yes: not where the agent runs the call itself.",
    }),
    release: z
      .boolean()
      .meta({ description: "Whether a yes releases what this session's label may not send to the tool." }),
    targets: z.array(z.strictObject({ path: z.string().meta({ description: "Canonical and absolute." }) })),
    diff: z.string().nullable().meta({ description: "What the call would change, as a unified diff." }),
    label,
    requested_at: z.string(),
    expires_at: z.string(),
    waiting_behind: z.int(),
    caller_waits: z.boolean().meta({
      description:
        "Whether this gateway holds a call for it at this moment. A caller that isn't held may come back.",
    }),
    caller_gone: z.boolean().meta({
      description:
        "Whether its caller was at this gateway, and has been gone for a minute. Shown last, and denied together by `deny-departed`.",
    }),
    alike: z.int().meta({
      description:
        "How many others wait of the same principal, for the same tool and the same reasons: `like` lists them.",
    }),
  })
  .meta({ id: "Approval" });

export const endedApproval = z
  .strictObject({
    id: z.string(),
    status: z.enum(["approved", "denied", "expired", "cancelled"]),
    session_id: z.string(),
    answered_by: z.string().nullable(),
    via: z.string().nullable(),
    ended_at: z.string(),
  })
  .meta({ id: "EndedApproval" });

/** An ended approval in a list. Its arguments are deleted. */
export const recentApproval = endedApproval
  .extend({
    tool: z.string(),
    name: z.string(),
    principal: z.string(),
    why: z.string().nullable().meta({ description: "The person's own words." }),
  })
  .meta({ id: "RecentApproval" });

export const approvals = z
  .strictObject({ approvals: z.array(z.union([waitingApproval, recentApproval])) })
  .meta({ id: "Approvals" });

/** The approver's channel, in requests that name it. */
export const way = z.enum(["console", "terminal"]);

export const answerBody = z.strictObject({
  via: way.optional().meta({ description: "Left out: another program's, over the API." }),
  why: z.string().max(1000).optional().meta({ description: "For the journal, in the person's own words." }),
});

export const standingApproval = z
  .strictObject({
    id: z.string(),
    words: z.string().meta({ description: "What it covers, in one sentence." }),
    tool: z.string(),
    arguments: argumentRules,
    given: z
      .record(z.string(), z.unknown())
      .meta({ description: "The arguments of the call that was approved." }),
    for: scope,
    session_id: z.string(),
    principal: z.string(),
    role: z.string().nullable(),
    causes: z.array(z.string()).meta({ description: "What it waives." }),
    ceiling: label.meta({ description: "It holds while the session's label flows to this." }),
    given_by: z.string(),
    given_at: z.string(),
    expires_at: z.string(),
    count: z.int(),
    used: z.int(),
    uses: z
      .array(z.strictObject({ session_id: z.string(), call_id: z.string(), at: z.string() }))
      .meta({ description: "The newest, at most 20." }),
  })
  .meta({ id: "StandingApproval" });

export const standingApprovals = z
  .strictObject({ standing_approvals: z.array(standingApproval) })
  .meta({ id: "StandingApprovals" });

/** What calls a standing approval is asked for. */
export const standingRequest = z.strictObject({
  arguments: argumentRules.optional(),
  for: scope.optional(),
  ceiling: z
    .strictObject({
      level: z.string().optional(),
      categories: z.array(z.string()).optional(),
      trust: z.string().optional(),
    })
    .optional()
    .meta({ description: "By default what the session held when it asked." }),
  expires: z.string().max(40).optional().meta({
    description: "Such as `8h` (the default), or a time in RFC 3339; 30 days at most.",
  }),
  count: z.int().optional().meta({ description: "Calls that it admits; 20 by default, 1,000 at most." }),
});

export const approveBody = answerBody.extend({
  standing: standingRequest
    .optional()
    .meta({ description: "Yes, and calls like this: they run without another question." }),
  arguments: z.record(z.string(), z.unknown()).optional().meta({
    description:
      "All arguments as the call is to run. It is decided again with every check; where it would be denied, or asked about for another reason, the answer is 409 `edit-refused` and the approval still waits.",
  }),
});

export const deniedApprovals = z
  .strictObject({ denied: z.array(z.string()).meta({ description: "Their ids." }) })
  .meta({ id: "DeniedApprovals" });

export const answeredApproval = z
  .strictObject({
    id: z.string(),
    status: z.enum(["approved", "denied", "pending"]).meta({
      description: "`pending`: this was one of the yeses that it takes.",
    }),
    session_id: z.string(),
    answered_by: z.string(),
    via: z.string().nullable(),
    answered_at: z.string(),
    changed: z
      .array(z.string())
      .optional()
      .meta({ description: "Paths of the arguments that were changed with the yes." }),
    standing: z.string().optional().meta({ description: "The standing approval that was given with it." }),
    approvers: approvers.optional(),
    approved_by: approvedBy.optional(),
  })
  .meta({ id: "AnsweredApproval" });

export const appeals = z
  .strictObject({
    appeals: z.array(
      z.strictObject({
        session_id: z.string(),
        principal: z.string(),
        call_id: z.string().meta({ description: "The refused call." }),
        tool: z.string().meta({ description: "Its identity." }),
        name: z.string(),
        text: z.string().meta({ description: "The agent's own words. They grant nothing." }),
        label: label.meta({ description: "The session's when they were said; the words carry it." }),
        at: z.string(),
      }),
    ),
  })
  .meta({ id: "Appeals" });
