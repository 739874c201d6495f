/** A tool's definition as one text and its hash: every field as received, including unknown ones. */
import { SluicegateError } from "../../errors/index.ts";
import { canonicalJson } from "../../json/canonical-json.ts";
import { sealHash } from "../journal/journal.ts";
import type { OfferedTool } from "../ports/provider.ts";

export interface Definition {
  /** SHA-256, in lower-case hex, over `text`. */
  readonly hash: string;
  /** The canonical JSON (RFC 8785) of the definition. */
  readonly text: string;
}

/** The definition of an offered tool; null if it has no canonical form, and so no hash. */
export function toDefinition(offered: OfferedTool): Definition | null {
  const known = definitions.get(offered);
  if (known !== undefined) return known;
  const definition = write(offered);
  definitions.set(offered, definition);
  return definition;
}

/** Offered tools are frozen objects, so their definitions can be cached. */
const definitions = new WeakMap<OfferedTool, Definition | null>();

function write(offered: OfferedTool): Definition | null {
  try {
    const text = canonicalJson(offered.raw ?? offered);
    return Object.freeze({ hash: sealHash(text), text });
  } catch (cause) {
    if (SluicegateError.isInstance(cause)) return null;
    throw cause;
  }
}
