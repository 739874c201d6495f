/** An API's OpenAPI document: from its text to data, its version and its operations. Knows nothing of policies. */
import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../document/json-value.ts";
import { createPositions } from "../document/positions.ts";
import { toPrintable } from "../document/quote.ts";
import type { NamedText } from "../document/read-named.ts";
import { readYaml, type YamlKind } from "../document/read-yaml.ts";
import type { Report } from "../document/report.ts";
import { toPlain } from "../document/tree.ts";
import { listOperations, type NamedOperation, UnlistableError } from "./list-operations.ts";

/** The longest document, in bytes. */
export const MAX_DOCUMENT_SIZE = 32 * 1024 * 1024;

/** A document that was read and found usable. */
export interface ApiFile {
  readonly document: JsonObject;
  readonly operations: readonly NamedOperation[];
  /** The hash of its text. */
  readonly digest: string;
}

/** What is wrong with a document as a whole: the end of a sentence that begins with its name, and what to do. */
export type DocumentFault = readonly [fault: string, fix?: string];

/**
 * The document in a text. What can't be read is reported at its place in it, and null given; what is no use as a
 * whole is told to who named the document.
 */
export function readApiDocument(named: NamedText, report: Report): ApiFile | DocumentFault | null {
  const isJson = /^\uFEFF?\s*\{/.test(named.text);
  const value = isJson ? readJson(named, report) : readYamlDocument(named, report);
  if (value === undefined) return null;
  if (!isJsonObject(value)) return ["is no OpenAPI document.", FIX];
  const fault = versionFault(value) ?? freezeDeeply(value);
  if (fault !== null) return fault;
  try {
    const operations = listOperations(value);
    const digest = `sha256:${createHash("sha256").update(named.text).digest("hex")}`;
    return Object.freeze({ document: value, operations, digest });
  } catch (error) {
    if (error instanceof UnlistableError) return [`${error.message}.`, "Write the path out in the document."];
    throw error;
  }
}

const FIX = "Name a document that begins with `openapi: 3.0.…` or `3.1.…` and has `paths`.";

function versionFault(document: JsonObject): DocumentFault | null {
  const version = ownValue(document, "openapi");
  if (typeof version !== "string" || !/^3\.[01]\.\d+(?:-.*)?$/.test(version)) {
    if (ownValue(document, "swagger") !== undefined)
      return [
        "is Swagger 2.0, and only OpenAPI 3.0 and 3.1 are read.",
        "Convert it to OpenAPI 3 once, and save that beside the policy.",
      ];
    const isOther = typeof version === "string" || typeof version === "number";
    return isOther
      ? ["is of a version of OpenAPI that isn't read.", FIX]
      : ["is no OpenAPI document: it doesn't say `openapi: 3…`.", FIX];
  }
  return isJsonObject(ownValue(document, "paths")) ? null : ["has no `paths`.", FIX];
}

function readJson({ file, text }: NamedText, report: Report): JsonValue | undefined {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  try {
    return JSON.parse(source);
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    const [, offset = "0"] = /at position (\d+)/.exec(message) ?? [];
    // THREAT: the parser's message quotes the document, which anybody may have written.
    const objection = toPrintable(message.replace(/(?: in JSON)?(?: at position .*)?[.\s]*$/s, ""));
    report.add(createPositions(source, file)(Number(offset)), `This can't be read as JSON: ${objection}.`);
    return undefined;
  }
}

const DOCUMENT_KIND: YamlKind = Object.freeze({
  largest: 8 * 1024 * 1024,
  tooLarge: ["The document is larger than 8 MiB.", "Save one of this size as JSON, which is read faster."],
  ifEmpty: ["The file is empty.", FIX],
  mostAliased: 1_000_000,
  deepest: 200,
} as const);

function readYamlDocument({ file, text }: NamedText, report: Report): unknown {
  const before = report.problems().length;
  const tree = readYaml(text, report, { ...DOCUMENT_KIND, file });
  return tree === null || report.problems().length > before ? undefined : toPlain(tree);
}

const DEEPEST = 256;

/**
 * Freezes a document with all that is in it. THREAT: the document may be anything; what follows it one day goes as deep
 * as it does, and takes its keys for names.
 */
function freezeDeeply(document: JsonObject): DocumentFault | null {
  const open: { readonly value: object; readonly depth: number }[] = [{ value: document, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (depth > DEEPEST) return ["is nested too deeply to be read."];
    if (Object.hasOwn(value, "__proto__")) return ["has a key `__proto__`, which nothing can be called."];
    Object.freeze(value);
    for (const inner of Object.values(value)) {
      if (typeof inner === "object" && inner !== null) open.push({ value: inner, depth: depth + 1 });
    }
  }
  return null;
}
