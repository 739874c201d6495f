/**
 * Whether a document is OpenAPI 3.0 or 3.1, and which operations are invalid. The document may come from a stranger:
 * nothing in it is fetched, and its size is limited before it is read.
 */
import type { JsonObject } from "../../../runtime/index.ts";
import { fieldOf, isBounded, isJsonObject, objectAt, toShownText } from "../json-value.ts";

interface OperationPlace {
  readonly method: string;
  readonly path: string;
}

/** The outcome: a document that can't be used at all has a `problem`. */
interface CheckedDocument {
  readonly problem: string | null;
  /** Why an operation can't be used. */
  readonly unusable: ReadonlyMap<OperationPlace, string>;
}

const DOCUMENT_BOUNDS = { depth: 200, parts: 4_000_000 };
/** The search for invalid operations ends after this time, in milliseconds. */
const MAX_SEARCH_MS = 60_000;
const MAX_PROBLEM_LENGTH = 600;
/** Far longer than needed, since no references are left to follow. */
const MAX_DEREFERENCE_MS = 5_000;

/** Validates the whole document and, if that fails, its parts, until the invalid operations are known. */
export async function checkDocument(
  document: JsonObject,
  operations: readonly OperationPlace[],
): Promise<CheckedDocument> {
  const problem = problemOfShape(document) ?? (await problemOf(document, null));
  if (problem === null) return { problem: null, unusable: new Map() };
  if (!isJsonObject(fieldOf(document, "paths")) || problemOfShape(document) !== null) {
    return { problem, unusable: new Map() };
  }
  const unusable = await findUnusable(document, operations);
  return { problem: unusable.size === operations.length ? problem : null, unusable };
}

function problemOfShape(document: JsonObject): string | null {
  const version = fieldOf(document, "openapi");
  if (typeof version !== "string" || !/^3\.[01]\.\d+/.test(version)) {
    return "It isn't an OpenAPI document of version 3.0 or 3.1.";
  }
  return isBounded(document, DOCUMENT_BOUNDS) ? null : "It is nested too deep, or has too many parts.";
}

/**
 * Searches for the invalid operations by bisection: a document may have a thousand, of which one or two are invalid.
 */
async function findUnusable(
  document: JsonObject,
  operations: readonly OperationPlace[],
  until = performance.now() + MAX_SEARCH_MS,
): Promise<ReadonlyMap<OperationPlace, string>> {
  const isOver = performance.now() > until;
  const problem = isOver ? TOO_MANY_FAULTS : await problemOf(document, operations);
  if (problem === null) return new Map();
  if (isOver || operations.length <= 1) return new Map(operations.map((operation) => [operation, problem]));
  const middle = Math.ceil(operations.length / 2);
  const first = await findUnusable(document, operations.slice(0, middle), until);
  return new Map([...first, ...(await findUnusable(document, operations.slice(middle), until))]);
}

const TOO_MANY_FAULTS = "The document has so many faults that not all of them were looked for.";

/** The validator's problem with the document, or with only these operations of it. */
async function problemOf(
  document: JsonObject,
  operations: readonly OperationPlace[] | null,
): Promise<string | null> {
  const { validate } = await import("@readme/openapi-parser");
  const part = operations === null ? document : withOnly(document, operations);
  try {
    // The validator changes its input, so it gets a copy.
    const result = await validate(withoutRefs(part) as never, VALIDATOR_OPTIONS);
    if (result.valid) return null;
    return wordProblem(result.errors[0]?.message ?? "");
  } catch {
    return "The validator could not read it.";
  }
}

/** The validator's first sentence, with its path; the lines that it shows are those of a copy. */
function wordProblem(message: string): string {
  const [first = "", ...lines] = message.split("\n");
  const said = first.replace(/^[A-Z ]+ (?=must|should)/, "").replaceAll("'", "`");
  const place = lines
    .map((line) => /^\s*\|\s*\^+\s*(.+?)!?$/.exec(line)?.[1])
    .find((found) => found !== undefined);
  const shown = toShownText(`${said}${place === undefined ? "" : ` (${place})`}`, MAX_PROBLEM_LENGTH);
  return /^must|^should/.test(shown) ? `It ${shown}.` : shown || "The validator gave no reason.";
}

/** The document with only these operations and without components, which are validated where they are used. */
function withOnly(document: JsonObject, operations: readonly OperationPlace[]): JsonObject {
  const paths = objectAt(document, "paths");
  const kept = new Map<string, Map<string, unknown>>();
  for (const { path, method } of operations) {
    const item = objectAt(paths, path);
    const own = kept.get(path) ?? new Map(Object.entries(item).filter(([name]) => !METHODS.has(name)));
    kept.set(path, own.set(method, fieldOf(item, method)));
  }
  const part = [...kept].map(([path, item]) => [path, Object.fromEntries(item)]);
  return {
    openapi: fieldOf(document, "openapi"),
    info: fieldOf(document, "info"),
    paths: Object.fromEntries(part),
  };
}

const METHODS: ReadonlySet<string> = new Set([
  "get",
  "put",
  "post",
  "delete",
  "options",
  "head",
  "patch",
  "trace",
]);

/**
 * A copy in which local references look like others, which the validator ignores. THREAT: references that double at
 * each step would expand a small document to any size.
 */
function withoutRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRefs);
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).filter(([name]) => name !== "__proto__");
  return Object.fromEntries(
    fields.map(([name, child]) => [
      name,
      name === "$ref" && typeof child === "string"
        ? `document:${encodeURIComponent(child)}`
        : withoutRefs(child),
    ]),
  );
}

const VALIDATOR_OPTIONS = {
  resolve: { external: false, file: false },
  timeoutMs: MAX_DEREFERENCE_MS,
  validate: {
    rules: {
      // Checked elsewhere, or harmless.
      openapi: {
        "array-without-items": "warning",
        "duplicate-non-request-body-parameters": "warning",
        "duplicate-operation-id": "warning",
        "invalid-security-scheme-properties": "warning",
        "non-optional-path-parameters": "warning",
        "path-parameters-not-in-parameters": "warning",
        "path-parameters-not-in-path": "warning",
      },
    },
  },
} as const;
