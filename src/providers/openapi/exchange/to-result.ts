/**
 * Turns an API's answer into a tool's result. An operation with `fields` returns nothing else: of an error, or of a
 * body that isn't JSON, only the status. So its label is right for every result.
 */
import { STATUS_CODES } from "node:http";
import { hasLongName } from "../../../json/json-scanner.ts";
import type { JsonObject, ToolResult } from "../../../runtime/index.ts";
import { isJsonType } from "../document/read-parameters.ts";
import { createStrikeOut, type StrikeOut } from "../document/strike-out.ts";
import { isBounded, isJsonObject, isShallow, toShownText } from "../json-value.ts";
import { createFieldFilter, type FieldFilter } from "./field-filter.ts";
import { parseKeepingDigits } from "./parse-keeping-digits.ts";
import type { ApiResponse } from "./send-request.ts";

/** Longer texts are truncated. */
const MAX_LENGTHS = { answer: 100_000, error: 4_000 };
const ANSWER_BOUNDS = { depth: 100, parts: 500_000 };

/** What is removed from an operation's answers. */
export interface AnswerRules {
  /** Names and values sent with the request: the operator's credentials. */
  readonly sent: readonly Readonly<Record<string, string>>[];
  /** Paths of the fields that are kept; null for all. */
  readonly fields: readonly string[] | null;
}

interface ResultOptions {
  readonly strikeOut: StrikeOut;
  /** Null if the whole answer is kept. */
  readonly filter: FieldFilter | null;
}

/** A parsed body. */
type Content =
  | { readonly kind: "none" }
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "binary" };

export function toResult(response: ApiResponse, { sent, fields }: AnswerRules): ToolResult {
  const options: ResultOptions = {
    strikeOut: createStrikeOut(...sent),
    filter: fields === null ? null : createFieldFilter(fields),
  };
  const { status } = response;
  if (status < 200 || status >= 300) return toError(response, options);
  const content = readContent(response);
  if (content.kind === "none") return textResult(`The API answered ${statusOf(status)}, without a body.`);
  if (options.filter !== null) return toFiltered(content, options.filter, options.strikeOut, status);
  if (content.kind === "json") return jsonResult(options.strikeOut.value(content.value));
  if (content.kind === "text")
    return textResult(preview(options.strikeOut.text(content.text), MAX_LENGTHS.answer));
  return textResult(describeBinary(response, options.strikeOut));
}

/** The status; also the body, if the operation keeps whole answers. */
function toError(response: ApiResponse, { filter, strikeOut }: ResultOptions): ToolResult {
  const { status } = response;
  const sentence = `The API answered ${statusOf(status)}.`;
  const told = {
    ...textResult(filter === null ? sentence : `${sentence} ${WITHHELD}`),
    structuredContent: { status },
    isError: true,
  };
  if (filter !== null) return told;
  const content = readContent(response);
  if (content.kind === "none" || content.kind === "binary") return told;
  const text =
    content.kind === "json" ? JSON.stringify(strikeOut.value(content.value)) : strikeOut.text(content.text);
  return { ...told, content: [...told.content, { type: "text", text: preview(text, MAX_LENGTHS.error) }] };
}

const WITHHELD = "Its body is withheld, since only some fields of this operation's answers are let through.";

function toFiltered(content: Content, filter: FieldFilter, strikeOut: StrikeOut, status: number): ToolResult {
  const found = content.kind === "json" ? filter(content.value) : null;
  if (found !== null) return jsonResult(strikeOut.value(found.value));
  return textResult(`The API answered ${statusOf(status)}. ${WITHHELD}`);
}

/** Node's name of a status, never the server's. */
const statusOf = (status: number): string => {
  const words = STATUS_CODES[status];
  return words === undefined ? String(status) : `${status} (${words})`;
};

const textResult = (text: string): ToolResult => ({ content: [{ type: "text", text }] });

/**
 * As structured content and as text. A value that isn't an object is under `body`; a long one is truncated as text.
 */
function jsonResult(value: unknown): ToolResult {
  const text = JSON.stringify(value);
  if (text.length > MAX_LENGTHS.answer) return textResult(preview(text, MAX_LENGTHS.answer));
  const structuredContent: JsonObject = isJsonObject(value) ? value : { body: value };
  return { content: [{ type: "text", text }], structuredContent };
}

function preview(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest).toWellFormed()}\n\n[Cut here: these are the first ${longest} of ${text.length} characters.]`;
}

function describeBinary({ contentType, body }: ApiResponse, strikeOut: StrikeOut): string {
  const type = /^[\w.+-]+\/[\w.+-]+/.exec(strikeOut.text(contentType))?.[0] ?? "no known type";
  return `The API answered with ${body.length} bytes of ${toShownText(type, 100)}, which are not shown.`;
}

function readContent({ contentType, body }: ApiResponse): Content {
  if (body.length === 0) return { kind: "none" };
  if (isJsonType(contentType) || contentType === "") {
    const json = parseJson(body);
    if (json !== null) return { kind: "json", value: json.value };
  }
  if (!isTextType(contentType)) return { kind: "binary" };
  return { kind: "text", text: decode(body, contentType) };
}

const isTextType = (type: string): boolean =>
  /^text\//.test(type) ||
  /^application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|x-ndjson|jsonl|javascript|x-www-form-urlencoded)\b/.test(
    type,
  );

function decode(body: Buffer, contentType: string): string {
  const charset = /charset\s*=\s*"?([\w-]+)/.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

/** Null for invalid JSON, if it is nested too deep, or if it has too many values or too long a name. */
function parseJson(body: Buffer): { readonly value: unknown } | null {
  const text = new TextDecoder().decode(body);
  if (!isShallow(text, ANSWER_BOUNDS.depth) || hasLongName(body)) return null;
  try {
    const value = parseKeepingDigits(text);
    return isBounded(value, ANSWER_BOUNDS) ? { value } : null;
  } catch {
    return null;
  }
}
