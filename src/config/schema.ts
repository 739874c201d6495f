/**
 * The shape of a policy file, with what each key does. Two things are made from it: the check of a file's shape
 * and the JSON Schema for editors. An `error` here is the phrase that says what a value must be.
 * What a shape can't say (names that must be declared, keys that exclude each other) is checked elsewhere.
 */

import { z } from "zod";
import { PERMISSIONS } from "../core/index.ts";

const described = <T extends z.ZodType>(schema: T, description: string) =>
  schema.optional().meta({ description });

const text = z.string({ error: "text" });
const name = text.min(1);
const names = z.array(name, { error: "a list of names" });
const texts = z.record(z.string(), text, { error: "a map of names to text" });
const flag = z.boolean({ error: "true or false" });

const level = name.meta({ description: "The name of a level, one of `levels`." });

const labelParts = {
  categories: described(names, "Categories, each declared under `categories`."),
  trust: described(name, "One of `trust`."),
};

const sourceMap = z.strictObject(
  {
    level: described(name, "How sensitive the data is: one of `levels`; the lowest where it is left out."),
    ...labelParts,
  },
  { error: "a map" },
);

const sinkMap = z.strictObject(
  {
    level: name.meta({ description: "The highest level that may be sent: one of `levels`." }),
    ...labelParts,
  },
  { error: "a map" },
);

const LABEL = "a level's name or a map of `level`, `categories` and `trust`";

const source = z.union([level, sourceMap], { error: LABEL }).meta({
  id: "source",
  description: "The label of the data that comes in. `source: internal` is short for `{ level: internal }`.",
});

const clearance = z.union([level, sinkMap], { error: LABEL });

const sink = z
  .union([level, sinkMap, z.array(clearance).min(1)], { error: `${LABEL}, or a list of them` })
  .meta({
    id: "sink",
    description: "What may be sent out: a clearance, or a list of clearances of which any one is enough.",
  });

const permissions = z.array(z.enum(PERMISSIONS), { error: "a list of `read`, `write` and `connect`" });

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
        z.enum(["always", "never"]),
        "Whether a person must say yes before each call. Left out: `never`.",
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

const tools = z.record(z.string(), toolSchema, { error: "a map of tools by name" });

export const serverSchema = z
  .strictObject(
    {
      command: described(
        name,
        "The program that is the server, spoken to over its input and output. Instead of `url`.",
      ),
      args: described(z.array(text, { error: "a list of texts" }), "The program's arguments."),
      env: described(texts, "Variables of the program's environment."),
      cwd: described(
        name,
        "The program's working directory, relative to the policy file; by default where that lies.",
      ),
      url: described(name, "Where the server answers MCP over HTTP. Instead of `command`."),
      headers: described(texts, "Headers sent with each request to `url`, such as `authorization`."),
      source: described(
        source,
        "The label of what comes without a call: resources, prompts, notices. By default that of its tools together.",
      ),
      sink: described(sink, "What may be sent to the server without a call."),
      tools: described(
        tools,
        "The server's tools by their own names; `*` in a name stands for any characters.",
      ),
    },
    { error: "a map with `command` or `url`" },
  )
  .meta({
    id: "server",
    description: "An MCP server that offers tools.",
    oneOf: [{ required: ["command"] }, { required: ["url"] }],
  });

const toolPolicy = {
  allowed_tools: described(names, "Only these tools, by name or by pattern. An empty list allows none."),
  denied_tools: described(names, "Not these tools, by name or by pattern, whatever else allows them."),
  require_tags: described(names, "Only tools that have all of these tags."),
};

export const roleSchema = z
  .strictObject(
    {
      tools: described(names, "The role's tools, by name or by pattern. Left out: all."),
      permissions: described(permissions, "What the role is granted. Left out: what its tools declare."),
      ...toolPolicy,
    },
    { error: "a map" },
  )
  .meta({ id: "role", description: "The tools of one kind of agent, and what it may do with them." });

export const toolPolicySchema = z.strictObject(toolPolicy, { error: "a map" });
export const categorySchema = z.strictObject({}, { error: "empty or `{}`" });
export const sourceSchema = sourceMap;
export const sinkSchema = sinkMap;

/** The whole file. */
export const policySchema = z.strictObject(
  {
    version: z.literal(1, { error: "1" }).meta({ description: "The version of this format: 1." }),
    levels: described(
      names,
      "How sensitive data can be, lowest first. By default public, internal, confidential, secret.",
    ),
    trust: described(names, "How far data can be trusted, lowest first. By default untrusted, trusted."),
    categories: described(
      z.record(z.string(), categorySchema.nullable(), { error: "a map of categories" }),
      "Kinds of data that a level doesn't tell apart, such as `hr:`.",
    ),
    servers: described(
      z.record(z.string(), serverSchema, { error: "a map of servers by name" }),
      "The MCP servers behind the gateway, by name. A name holds no `__`.",
    ),
    tools: described(
      tools,
      "Tools that the agent runs itself, by name; a server's as `mcp__server__tool`; patterns with `*`, of which the most specific counts.",
    ),
    roles: described(z.record(z.string(), roleSchema, { error: "a map of roles by name" }), "Roles by name."),
    policy: described(toolPolicySchema, "Limits on tools that hold for everybody."),
    unclassified: described(
      z.enum(["withhold", "ask"]),
      "What happens to a server's tools that nothing here declares: kept from agents, or asked about at each call. Left out: `withhold`.",
    ),
  },
  { error: "a map of keys such as `version` and `tools`" },
);

/** A policy file whose shape is right. */
export type PolicyDocument = z.infer<typeof policySchema>;
export type ToolDocument = z.infer<typeof toolSchema>;
export type ServerDocument = z.infer<typeof serverSchema>;
export type RoleDocument = z.infer<typeof roleSchema>;
export type ToolPolicyDocument = z.infer<typeof toolPolicySchema>;
export type SourceDocument = z.infer<typeof source>;
export type SinkDocument = z.infer<typeof sink>;
