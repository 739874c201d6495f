/** Resolves a `$ref`, which must point to a place in the document itself. */
import type { JsonObject } from "../../../runtime/index.ts";
import { fieldOf, isJsonObject } from "../json-value.ts";
import { UnusableOperation } from "./document-reading.ts";

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

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
