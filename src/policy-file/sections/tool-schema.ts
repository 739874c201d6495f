/** The shape of a tool in a policy file, and of what it is made of, with what each key does. */
import { z } from "zod";
import { PERMISSIONS } from "../../core/index.ts";

export const described = <T extends z.ZodType>(schema: T, description: string) =>
  schema.optional().meta({ description });

export const text = z.string({ error: "text" });
export const name = text.min(1);
export const names = z.array(name, { error: "a list of names" });
const flag = z.boolean({ error: "true or false" });

const level = name.meta({ description: "The name of a level, one of `levels`." });

const labelParts = {
  categories: described(names, "Categories, each declared under `categories`."),
  trust: described(name, "One of `trust`."),
};

export const sourceSchema = z.strictObject(
  {
    level: described(name, "How sensitive the data is: one of `levels`; the lowest where it is left out."),
    ...labelParts,
  },
  { error: "a map" },
);

export const sinkSchema = z.strictObject(
  {
    level: name.meta({ description: "The highest level that may be sent: one of `levels`." }),
    ...labelParts,
  },
  { error: "a map" },
);

const LABEL = "a level's name or a map of `level`, `categories` and `trust`";

export const source = z.union([level, sourceSchema], { error: LABEL }).meta({
  id: "source",
  description: "The label of the data that comes in. `source: internal` is short for `{ level: internal }`.",
});

const clearance = z.union([level, sinkSchema], { error: LABEL });

export const sink = z
  .union([level, sinkSchema, z.array(clearance).min(1)], { error: `${LABEL}, or a list of them` })
  .meta({
    id: "sink",
    description: "What may be sent out: a clearance, or a list of clearances of which any one is enough.",
  });

export const permissions = z.array(z.enum(PERMISSIONS), { error: "a list of `read`, `write` and `connect`" });

const says = z.enum(["always", "never"]);

export const approval = z.union([says, name], { error: "`always`, `never` or a condition" });
export const onViolation = z.enum(["deny", "ask"]);

/** What a role says of a tool's approvals. */
export const roleApproval = z.record(z.string(), says, { error: "a map of tools to `always` or `never`" });

export const toolSchema = z
  .strictObject(
    {
      permissions: described(
        permissions,
        "What a call does: `read`, `write`, and `connect` for reaching outside.",
      ),
      source: described(
        source,
        "The label of what the tool brings into the session. Left out: it brings nothing in.",
      ),
      sink: described(
        sink,
        "What the tool may send out. Left out: a tool with `connect` may send the lowest level only, any other sends nothing out.",
      ),
      tags: described(names, "Words that `require_tags` can ask for."),
      approval: described(
        approval,
        "Whether a person must say yes before a call: `always`, `never`, or a condition in CEL over `args`, `tool` and `session`, such as `args.amount > 10000`. Where it can't be told, a person is asked. Left out: `never`.",
      ),
      on_violation: described(
        onViolation,
        "What happens to a call that the session's label may not go to: `deny`, or `ask`, so that a person may release that one call. Left out: `deny`.",
      ),
      is_internal_source: described(
        flag,
        "Short for `permissions: [read]` and, without a `source`, one at the second-lowest level.",
      ),
      is_external: described(
        flag,
        "Short for `permissions: [connect]` and, without a `sink`, one at the lowest level.",
      ),
    },
    { error: "a map that says what the tool does" },
  )
  .meta({
    id: "tool",
    description: "What a tool does and which data it touches.",
    anyOf: [
      { required: ["permissions"] },
      { required: ["is_internal_source"], properties: { is_internal_source: { const: true } } },
      { required: ["is_external"], properties: { is_external: { const: true } } },
    ],
  });

export type ToolDocument = z.infer<typeof toolSchema>;
export type SourceDocument = z.infer<typeof source>;
export type SinkDocument = z.infer<typeof sink>;
