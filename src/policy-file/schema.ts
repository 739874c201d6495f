/**
 * The shape of a policy file, made of its sections' keys. Two things are made from it: the check of a file's shape and
 * the JSON Schema for editors. What a shape can't say (names that must be declared, keys that exclude each other) is
 * checked by the sections.
 */
import { z } from "zod";
import { apiKeys } from "./sections/apis.ts";
import { approvalKeys } from "./sections/approvals.ts";
import { databaseKeys } from "./sections/databases.ts";
import { detectorKeys } from "./sections/detectors.ts";
import { endorsementKeys } from "./sections/endorsement.ts";
import { identityKeys } from "./sections/identities.ts";
import { labelKeys } from "./sections/labels.ts";
import { notifyKeys } from "./sections/notify.ts";
import { retentionKeys } from "./sections/retention.ts";
import { roleKeys } from "./sections/roles.ts";
import { ruleKeys } from "./sections/rules.ts";
import { serverKeys } from "./sections/servers.ts";
import { described, type MapKind, map, mapKinds, names } from "./sections/shape.ts";
import { toolKeys } from "./sections/tools.ts";
import { workspaceKeys } from "./sections/workspace.ts";

/** The whole file. */
export const policySchema = map(
  "A policy file",
  {
    version: z.literal(1, { error: "1" }).meta({ description: "The version of this format: 1." }),
    ...labelKeys,
    ...serverKeys,
    ...toolKeys,
    ...workspaceKeys,
    ...databaseKeys,
    ...apiKeys,
    include: described(
      names,
      "Files that hold `databases` and `apis` alone, relative to the policy file; paths in them are relative to themselves.",
    ),
    ...detectorKeys,
    ...roleKeys,
    ...approvalKeys,
    ...ruleKeys,
    ...endorsementKeys,
    ...identityKeys,
    ...notifyKeys,
    ...retentionKeys,
    unclassified: described(
      z.enum(["withhold", "ask"]),
      "What happens to a server's tools that nothing here declares: kept from agents, or asked about at each call. Left out: `withhold`.",
    ),
  },
  {
    error: "a map of keys such as `version` and `tools`",
    later: ["limits"],
  },
);

/** A policy file whose shape is right. */
export type PolicyDocument = z.infer<typeof policySchema>;

/** The kind of map that lies at a path, with its keys; undefined if any name may be a key. */
export function mapAt(
  path: readonly PropertyKey[],
): (MapKind & { readonly keys: readonly string[] }) | undefined {
  let found: readonly z.core.$ZodType[] = [policySchema];
  for (const step of path) found = found.flatMap(optionsOf).flatMap((schema) => inside(schema, step));
  const schema = found.flatMap(optionsOf).find((option) => option instanceof z.ZodObject);
  const kind = schema && mapKinds.get(schema);
  return schema && kind && { ...kind, keys: Object.keys(schema.shape) };
}

/** The shapes that a value may have. */
function optionsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return optionsOf(schema.def.innerType);
  return schema instanceof z.ZodUnion ? schema.def.options.flatMap(optionsOf) : [schema];
}

/** What a value of a shape may have under a key or at an index. */
function inside(schema: z.core.$ZodType, step: PropertyKey): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodRecord) return [schema.def.valueType];
  if (schema instanceof z.ZodArray) return [schema.def.element];
  const key = String(step);
  const value =
    schema instanceof z.ZodObject && Object.hasOwn(schema.shape, key) ? schema.shape[key] : undefined;
  return value ? [value] : [];
}

/**
 * The JSON Schema (2020-12) of `sluicegate.yaml`, from the schema that checks it. It knows shapes, not names:
 * a level that nobody declared passes it.
 */
export function policyJsonSchema(): object {
  const schema = z.toJSONSchema(policySchema, { target: "draft-2020-12", io: "input" });
  return {
    ...schema,
    title: "Sluicegate policy",
    description: "What an agent's tools may do: `sluicegate.yaml`.",
  };
}
