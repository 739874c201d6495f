/** A JSON object, as opposed to a list or a scalar. */
import type { JsonObject } from "../../session/index.ts";

export type { JsonObject } from "../../session/index.ts";

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
