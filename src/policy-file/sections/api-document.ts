/** The OpenAPI documents that a policy's APIs name: from their texts to data, their versions and their operations. */
import { createHash } from "node:crypto";
import { parseJson } from "../../json/parse-json.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../document/json-value.ts";
import { quote, toPrintable } from "../document/quote.ts";
import { type Files, type NamedText, nameOf, readNamed } from "../document/read-files.ts";
import { createPositions, readYaml, type YamlKind } from "../document/read-yaml.ts";
import type { Report } from "../document/report.ts";
import { child, type Entry, entriesOf, isText, type TextTree, type Tree, toPlain } from "../document/tree.ts";

/** The longest document, in bytes. */
const MAX_DOCUMENT_SIZE = 32 * 1024 * 1024;

/** A document that was read and found usable. */
export interface ApiFile {
  readonly document: JsonObject;
  readonly operations: readonly NamedOperation[];
  /** The hash of its text. */
  readonly digest: string;
}

/** What is wrong with a document as a whole: the end of a sentence that begins with its name, and what to do. */
type DocumentFault = readonly [fault: string, fix?: string];

/**
 * The document in a text. What can't be read is reported at its place in it, and null given; what is no use as a
 * whole is told to who named the document.
 */
export function readApiDocument(named: NamedText, report: Report): ApiFile | DocumentFault | null {
  const isJson = /^\uFEFF?\s*\{/.test(named.text);
  const value = isJson ? readJson(named, report) : readYamlDocument(named, report);
  if (value === undefined) return null;
  if (!isJsonObject(value)) return ["isn't an OpenAPI document.", FIX];
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
      : ["isn't an OpenAPI document: it doesn't say `openapi: 3…`.", FIX];
  }
  return isJsonObject(ownValue(document, "paths")) ? null : ["has no `paths`.", FIX];
}

function readJson({ file, text }: NamedText, report: Report): JsonValue | undefined {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  try {
    return parseJson(source);
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

const MAX_DEPTH = 256;

/**
 * Freezes a document with all that is in it. THREAT: the document may be anything; what follows it one day goes as deep
 * as it does, and takes its keys for names.
 */
function freezeDeeply(document: JsonObject): DocumentFault | null {
  const open: { readonly value: object; readonly depth: number }[] = [{ value: document, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (depth > MAX_DEPTH) return ["is nested too deeply to be read."];
    if (Object.hasOwn(value, "__proto__")) return ["has a key `__proto__`, which nothing can be called."];
    Object.freeze(value);
    for (const inner of Object.values(value)) {
      if (typeof inner === "object" && inner !== null) open.push({ value: inner, depth: depth + 1 });
    }
  }
  return null;
}

/** The documents of all APIs, by the API's id; without those that can't be used, which are reported. */
export type ApiFiles = ReadonlyMap<string, ApiFile>;

/** How long all documents may be together. */
const MAX_CHARACTERS = 2 * MAX_DOCUMENT_SIZE;

export async function readDocuments(root: Tree, files: Files, report: Report): Promise<ApiFiles> {
  const documents = new Map<string, ApiFile>();
  const readOnce = createReader(files, report);
  for (const api of entriesOf(child(root, "apis"))) {
    const spec = specOf(api);
    if (spec === undefined || isAddress(spec.value)) continue;
    const found = await readOnce(spec);
    if (found === null) continue;
    if ("document" in found) documents.set(api.key, found);
    else report.add(spec.at, `The document ${quote(spec.written)} ${found[0]}`, found[1]);
  }
  return documents;
}

/** Reads each document once, however many APIs it is of, and no more than may be. */
function createReader(files: Files, report: Report) {
  const read = new Map<string, ApiFile | DocumentFault | null>();
  let left = MAX_CHARACTERS;
  return async (spec: TextTree): Promise<ApiFile | DocumentFault | null> => {
    const file = nameOf(spec, files);
    const before = read.get(file);
    if (before !== undefined) return before;
    const named = left < 0 ? null : await readNamed(spec, MAX_DOCUMENT_SIZE, files, report);
    left -= named?.text.length ?? 0;
    if (left < 0) return ["makes the documents of all APIs larger than 64 MiB together.", "Leave some out."];
    const found = named && readApiDocument(named, report);
    read.set(file, found);
    return found;
  };
}

/** Where an API says which document is its own. */
export function specOf({ value }: Entry): TextTree | undefined {
  const spec = child(value, "spec") ?? child(value, "spec_source");
  return isText(spec) && spec.value !== "" ? spec : undefined;
}

/** Whether a document is said to lie on some server. */
export const isAddress = (spec: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(spec);

interface NamedOperation {
  readonly name: string;
  /** In lower case. */
  readonly method: string;
  readonly path: string;
}

/** Why a document's operations can't be listed, as the end of a sentence that begins with its name. */
class UnlistableError extends Error {}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;
const MAX_NAME_LENGTH = 64;

/** @throws UnlistableError for a path that can't be read. */
export function listOperations(document: JsonObject): readonly NamedOperation[] {
  const found: { base: string; method: string; path: string }[] = [];
  for (const [path, item] of pairsOf(ownValue(document, "paths"))) {
    if (path.startsWith("x-")) continue;
    if (!path.startsWith("/")) throw new UnlistableError(`has a path that doesn't begin with \`/\``);
    for (const [method, operation] of methodsOf(item, document)) {
      found.push({ base: operationName(operation, method, path), method, path });
    }
  }
  return withNames(found);
}

const pairsOf = (value: JsonValue | undefined): readonly (readonly [string, JsonValue])[] =>
  isJsonObject(value) ? Object.entries(value) : [];

/** The methods of a path, in the order in which they stand there. */
function methodsOf(item: JsonValue, document: JsonObject): readonly (readonly [string, JsonValue])[] {
  const entries = pairsOf(resolveItem(item, document));
  return entries.filter(
    ([key, operation]) => METHODS.some((method) => method === key) && isJsonObject(operation),
  );
}

/** How many references a path may lead through. */
const MAX_REFERENCES = 16;

/** A path item with its `$ref` followed inside the document; what stands beside one counts before it. */
function resolveItem(item: JsonValue, document: JsonObject): JsonObject {
  let merged: JsonObject = {};
  let next: JsonValue | undefined = item;
  for (let followed = 0; followed <= MAX_REFERENCES; followed += 1) {
    if (!isJsonObject(next)) throw new UnlistableError("has a path that isn't an object");
    merged = { ...next, ...merged };
    const reference: JsonValue | undefined = ownValue(next, "$ref");
    if (reference === undefined) return merged;
    if (typeof reference !== "string" || !reference.startsWith("#/"))
      throw new UnlistableError("has a path with a `$ref` to another document, which isn't followed");
    next = atPointer(document, reference.slice(2));
    if (next === undefined) throw new UnlistableError("has a path with a `$ref` that leads nowhere in it");
  }
  throw new UnlistableError("has a path whose `$ref` leads in a circle");
}

/** RFC 6901, in a URI fragment. */
function atPointer(document: JsonObject, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const token of pointer.split("/")) {
    if (!isJsonObject(value)) return undefined;
    value = ownValue(value, decoded(token).replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return value;
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

/** An operation's own id as a tool's name, or one from its method and path: `get_users_by_id`. */
function operationName(operation: JsonValue, method: string, path: string): string {
  const id = isJsonObject(operation) ? ownValue(operation, "operationId") : undefined;
  return cleaned(typeof id === "string" ? id : "") || cleaned(`${method}${path.replaceAll("{", "by_")}`);
}

const cleaned = (text: string): string =>
  text
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, MAX_NAME_LENGTH);

/**
 * Of several that would be called the same, the first keeps the name and the others get a number; never one that
 * another operation has by itself.
 */
function withNames(
  found: readonly { readonly base: string; readonly method: string; readonly path: string }[],
): readonly NamedOperation[] {
  const bases = new Set(found.map(({ base }) => base));
  const taken = new Set<string>();
  const last = new Map<string, number>();
  return found.map(({ base, method, path }) => {
    let name = base;
    for (
      let number = (last.get(base) ?? 1) + 1;
      taken.has(name) || (name !== base && bases.has(name));
      number += 1
    ) {
      name = `${base.slice(0, MAX_NAME_LENGTH - `_${number}`.length)}_${number}`;
      last.set(base, number);
    }
    taken.add(name);
    return Object.freeze({ name, method, path });
  });
}
