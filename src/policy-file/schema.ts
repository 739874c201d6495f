/**
 * The shape of a policy file, with what each key does. Two things are made from it: the check of a file's shape
 * and the JSON Schema for editors. An `error` here is the phrase that says what a value must be.
 * What a shape can't say (names that must be declared, keys that exclude each other) is checked elsewhere.
 */

import { z } from "zod";
import { APPROVAL_CHANNELS } from "../core/index.ts";
import { apiSchema } from "./sections/api-schema.ts";
import { databaseSchema } from "./sections/database-schema.ts";
import { detectorsSchema } from "./sections/detector-schema.ts";
import {
  approval,
  described,
  name,
  names,
  onViolation,
  permissions,
  roleApproval,
  sink,
  source,
  text,
  toolSchema,
} from "./sections/tool-schema.ts";

const texts = z.record(z.string(), text, { error: "a map of names to text" });

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
      approval: described(
        roleApproval,
        "What the role says of tools' approvals in place of the tools themselves: `always` or `never`, by name or by pattern.",
      ),
      ...toolPolicy,
    },
    { error: "a map" },
  )
  .meta({ id: "role", description: "The tools of one kind of agent, and what it may do with them." });

export const toolPolicySchema = z.strictObject(toolPolicy, { error: "a map" });
export const categorySchema = z.strictObject({}, { error: "empty or `{}`" });

const duration = z.union([z.number(), name], {
  error: "a number of seconds, or one with a unit, such as `30m`",
});

export const approvalsSchema = z.strictObject(
  {
    via: described(
      z.array(z.enum(APPROVAL_CHANNELS), { error: "a list of `console`, `terminal` and `client`" }).min(1),
      "The ways to answer: the console, a terminal, the agent's own client. That one may answer without its person. Left out: console, terminal.",
    ),
    expires: described(
      duration,
      "How long an approval waits for a person, and a yes for its call: in seconds, or with a unit (`90s`, `30m`, `2h`, `1d`); a week at most. Left out: an hour.",
    ),
    wait: described(
      duration,
      "How long a call is held until it is answered, in seconds or with a unit; an hour at most. Left out: 50 seconds.",
    ),
  },
  { error: "a map" },
);

export const workspaceToolSchema = z.strictObject(
  {
    source: described(source, "The label of what the tool brings in. Left out: the workspace's."),
    sink: described(
      sink,
      "What the tool may take. Left out: what changes files takes data as high as the workspace's `source`, and a program only the lowest level.",
    ),
    tags: described(names, "Words that `require_tags` can ask for."),
    approval: described(
      approval,
      "Whether a person must say yes before a call, as on any tool. Left out: `never` for what reads, `always` for the rest.",
    ),
    on_violation: described(
      onViolation,
      "What happens to a call that the session's label may not go to. Left out: `ask` for what changes files or runs a program.",
    ),
  },
  { error: "a map" },
);

export const workspaceSchema = z.strictObject(
  {
    root: name.meta({
      description: "The folder, relative to the policy file. Outside of it a person is asked.",
    }),
    source: described(source, "The label of the files. Left out: the least."),
    tools: described(
      z.record(z.string(), workspaceToolSchema, { error: "a map of the workspace's tools by name" }),
      "What is to hold for its tools in place of the defaults, by their own names.",
    ),
  },
  { error: "a map with `root`" },
);

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
    workspace: described(
      workspaceSchema,
      "A folder whose files the agent works in: the tools of the server `workspace`. What git tracks or doesn't ignore is read freely; all else asks.",
    ),
    databases: described(
      z.record(z.string(), databaseSchema, { error: "a map of databases by name" }),
      "Databases that agents may read, by name: each the server of its own tools.",
    ),
    apis: described(
      z.record(z.string(), apiSchema, { error: "a map of APIs by name" }),
      "HTTP APIs with an OpenAPI document, by name: each the server of its operations.",
    ),
    include: described(
      names,
      "Files that hold `databases` and `apis` alone, relative to the policy file; paths in them are relative to themselves.",
    ),
    detectors: described(
      detectorsSchema,
      "What is looked for in results before they are handed out. Left out: nothing is.",
    ),
    roles: described(z.record(z.string(), roleSchema, { error: "a map of roles by name" }), "Roles by name."),
    policy: described(toolPolicySchema, "Limits on tools that hold for everybody."),
    approvals: described(approvalsSchema, "How a person answers, and how long is waited for one."),
    unclassified: described(
      z.enum(["withhold", "ask"]),
      "What happens to a server's tools that nothing here declares: kept from agents, or asked about at each call. Left out: `withhold`.",
    ),
  },
  { error: "a map of keys such as `version` and `tools`" },
);

/** A policy file whose shape is right. */
export type PolicyDocument = z.infer<typeof policySchema>;
export type ServerDocument = z.infer<typeof serverSchema>;
export type RoleDocument = z.infer<typeof roleSchema>;
export type ToolPolicyDocument = z.infer<typeof toolPolicySchema>;
export type ApprovalsDocument = z.infer<typeof approvalsSchema>;
export type WorkspaceDocument = z.infer<typeof workspaceSchema>;
export type WorkspaceToolDocument = z.infer<typeof workspaceToolSchema>;
