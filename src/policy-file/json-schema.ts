/** The policy file's JSON Schema, for completion and checks while somebody types. */
import { z } from "zod";
import { policySchema } from "./schema.ts";

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
