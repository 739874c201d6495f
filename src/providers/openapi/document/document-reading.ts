/** Reading a document: what its references point to, what its operations cost, and which parts are too large. */

import type { JsonObject } from "../../../runtime/index.ts";
import { fieldOf, isJsonObject } from "../json-value.ts";
import type { Detail } from "./to-json-schema.ts";

/** Why one operation can't be a tool; the others can. */
export class UnusableOperation extends Error {}

/** Steps for all operations of a document: schemas, groups of names, and groups of characters. */
const MAX_STEPS = 2_000_000;
const IN_ONE_STEP = { names: 10, characters: 1_000 };

/** A schema is too large: in one detail, or in all. */
export class TooLarge extends UnusableOperation {
  readonly when: "in-this-detail" | "always";

  constructor(message: string, when: "in-this-detail" | "always") {
    super(message);
    this.when = when;
  }
}

export interface DocumentReading {
  /** @throws UnusableOperation once the document's operations have taken too many steps. */
  spend(on: { readonly schemas?: number; readonly names?: number; readonly characters?: number }): void;
  /** Results of references and schemas in one detail: why each is too large, or null. */
  foundOf(detail: Detail): Map<unknown, TooLarge | null>;
}

/**
 * THREAT: thousands of operations may share schemas that are expensive to read. Nothing else runs meanwhile, so the
 * total is limited.
 */
export function createDocumentReading(): DocumentReading {
  const found = new Map<Detail, Map<unknown, TooLarge | null>>();
  let left = MAX_STEPS;
  return {
    spend: ({ schemas = 0, names = 0, characters = 0 }) => {
      left -= schemas + names / IN_ONE_STEP.names + characters / IN_ONE_STEP.characters;
      if (left < 0)
        throw new UnusableOperation("Reading its document took too many steps before it was read.");
    },
    foundOf: (detail) => {
      const known = found.get(detail) ?? new Map<unknown, TooLarge | null>();
      found.set(detail, known);
      return known;
    },
  };
}

/** How many references to references are followed. */
const MAX_CHAIN_LENGTH = 16;

/**
 * The value at a JSON pointer (RFC 6901) in a URL's fragment. THREAT: the document chooses it, so only own fields of
 * the document are looked up, never files or addresses.
 */
function resolveRef(document: JsonObject, ref: string): unknown {
  if (!ref.startsWith("#/")) {
    throw new UnusableOperation("It refers to something outside of its document, which is never fetched.");
  }
  let value: unknown = document;
  for (const part of ref.slice(2).split("/")) {
    const name = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(value)) value = /^\d+$/.test(name) ? value[Number(name)] : undefined;
    else value = isJsonObject(value) ? fieldOf(value, name) : undefined;
  }
  if (value === undefined)
    throw new UnusableOperation("It refers to a place that its document doesn't have.");
  return value;
}

/** An object, after following references. */
export function followRefs(document: JsonObject, value: unknown): JsonObject {
  let found = value;
  for (let steps = 0; steps <= MAX_CHAIN_LENGTH; steps += 1) {
    if (!isJsonObject(found)) throw new UnusableOperation("A part of it isn't an object.");
    const ref = fieldOf(found, "$ref");
    if (typeof ref !== "string") return found;
    found = resolveRef(document, ref);
  }
  throw new UnusableOperation("It refers to itself.");
}

/** The text without percent escapes; as it is if one is invalid. */
export function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
