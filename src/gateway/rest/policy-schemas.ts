/** The wire's shapes of the policy in force, for people who look at it. */
import { z } from "zod";
import { label } from "./schemas.ts";
import { toolFacts } from "./session-schemas.ts";

export const policy = z
  .strictObject({
    version: z.string(),
    levels: z.array(z.string()).meta({ description: "Lowest first." }),
    trust: z.array(z.string()).meta({ description: "Lowest first." }),
    unclassified: z.enum(["withhold", "ask"]),
    approvals: z.strictObject({
      via: z.array(z.string()),
      expires_seconds: z.number(),
      wait_seconds: z.number(),
    }),
    rules: z.strictObject({
      allowed_tools: z.array(z.string()).nullable().meta({ description: "Null: every tool." }),
      denied_tools: z.array(z.string()),
      require_tags: z.array(z.string()),
    }),
    servers: z.array(
      z.strictObject({
        id: z.string(),
        status: z.string(),
        problem: z.string().nullable(),
        tools: z.int().meta({ description: "How many it offers." }),
        source: label
          .nullable()
          .meta({ description: "Of what comes outside a tool: resources, prompts, notices." }),
        clearances: z.array(label).nullable(),
      }),
    ),
    tools: z.array(
      toolFacts.extend({
        removed: z.array(z.string()).meta({ description: "Codes of the rules that take it from everybody." }),
        changed: z.boolean().meta({ description: "Withheld, since its definition isn't the accepted one." }),
      }),
    ),
    roles: z.array(
      z.strictObject({
        name: z.string(),
        permissions: z.array(z.string()).nullable().meta({ description: "Null: what its tools declare." }),
        tools: z.array(z.string()).meta({ description: "The identities of the tools that it ends up with." }),
      }),
    ),
  })
  .meta({ id: "Policy" });

export const flows = z
  .strictObject({
    sources: z.array(
      z.strictObject({ label, tools: z.array(z.string()).meta({ description: "Their identities." }) }),
    ),
    sinks: z.array(
      z.strictObject({
        clearances: z.array(label),
        releasable: z.boolean(),
        tools: z.array(z.string()).meta({ description: "Their identities." }),
      }),
    ),
    cells: z
      .array(z.array(z.enum(["may", "release", "may-not"])))
      .meta({ description: "By source, then by sink: may data of this source's label go there?" }),
  })
  .meta({ id: "Flows", description: "Tools with the same label or the same clearances stand together." });

export const reloadBody = z
  .strictObject({ allow_widening: z.boolean().exactOptional() })
  .meta({ id: "ReloadRequest" });

export const reloaded = z
  .strictObject({ version: z.string(), changed: z.boolean(), widens: z.array(z.string()) })
  .meta({ id: "Reloaded", description: "`widens`: what it may allow beyond the one before." });
