/** Reads a tool's result from an answer. It isn't validated against the tool's output schema. */

import { isJsonObject, type JsonObject } from "../../../json/json-object.ts";
import type { ToolResult } from "../../../runtime/index.ts";

/** An answer to a call: a result, a question to the client, or neither. */
export type Answer =
  | { readonly kind: "result"; readonly result: ToolResult }
  | { readonly kind: "question" | "malformed" };

const MALFORMED: Answer = Object.freeze({ kind: "malformed" });
const QUESTION: Answer = Object.freeze({ kind: "question" });

/** Blocks of one result; the SDK validates each of them. */
const MAX_BLOCKS = 2000;

/** Blocks of unknown types are kept; anything else isn't a block. */
const isBlock = (block: unknown): block is JsonObject =>
  isJsonObject(block) && typeof block.type === "string";

/** Whether an answer contains a question, or requests another round. */
export const asksQuestion = (raw: JsonObject): boolean =>
  raw.resultType === "input_required" || "inputRequests" in raw;

/** Content blocks are kept with every field; of the result itself only MCP's fields and its label. */
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

/** Structured content that isn't an object can't be in a result; if there is no text, its JSON is added as text. */
function withText(content: readonly JsonObject[], structured: unknown): readonly JsonObject[] {
  if (structured === undefined || content.some(({ type }) => type === "text")) return content;
  return [...content, { type: "text", text: JSON.stringify(structured) }];
}
