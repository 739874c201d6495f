/** What a tool gave back, taken from an answer as it came: nothing is checked against the tool's own output schema. */

import { isJsonObject, type JsonObject } from "../../../json/json-object.ts";
import type { ToolResult } from "../../../runtime/index.ts";

/** What an answer to a call is: a result, or a question to the client, or neither. */
export type Answer =
  | { readonly kind: "result"; readonly result: ToolResult }
  | { readonly kind: "question" | "malformed" };

const MALFORMED: Answer = Object.freeze({ kind: "malformed" });
const QUESTION: Answer = Object.freeze({ kind: "question" });

/** Blocks that one result may have; each costs the SDK a look on its way out. */
const MAX_BLOCKS = 2000;

/** Blocks of a type that nobody knows are kept; what isn't a block at all isn't. */
const isBlock = (block: unknown): block is JsonObject =>
  isJsonObject(block) && typeof block.type === "string";

/** Whether an answer to a request is a question, or asks for another round. */
export const asksQuestion = (raw: JsonObject): boolean =>
  raw.resultType === "input_required" || "inputRequests" in raw;

/** Content blocks are kept with every field that they have; of the result itself only what MCP names, and its label. */
export function toAnswer(raw: JsonObject): Answer {
  if (asksQuestion(raw)) return QUESTION;
  const { content = [], structuredContent, isError, _meta: meta } = raw;
  if (!Array.isArray(content) || content.length > MAX_BLOCKS || !content.every(isBlock) || "task" in raw)
    return MALFORMED;
  const isStructured = isJsonObject(structuredContent);
  const result: ToolResult = {
    content: isStructured ? content : withText(content, structuredContent),
    ...(isStructured && { structuredContent }),
    ...(typeof isError === "boolean" && { isError }),
    ...(isJsonObject(meta) && Object.hasOwn(meta, "ifc") && { _meta: { ifc: meta.ifc } }),
  };
  return { kind: "result", result };
}

/** Structured content that isn't an object has no place in a result; its text stands for it where no text does. */
function withText(content: readonly JsonObject[], structured: unknown): readonly JsonObject[] {
  if (structured === undefined || content.some(({ type }) => type === "text")) return content;
  return [...content, { type: "text", text: JSON.stringify(structured) }];
}
