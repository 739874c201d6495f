/** A JSON object, as opposed to a list or a scalar. */
import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../session/index.ts";

export type { JsonObject } from "../../session/index.ts";

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Takes any object as it came: the SDK's own schemas drop the fields that they don't know. */
export const ANY_OBJECT: StandardSchemaV1<unknown, JsonObject> = {
  "~standard": {
    version: 1,
    vendor: "sluicegate",
    validate: (value) => (isJsonObject(value) ? { value } : { issues: [{ message: "not an object" }] }),
  },
};
