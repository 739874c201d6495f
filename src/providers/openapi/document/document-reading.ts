/** What reading the operations of one document has cost so far, and what was found too large for any of them. */
import type { Detail } from "./to-json-schema.ts";

/** Why one operation can't be a tool, in a sentence of ours; the others stay. */
export class UnusableOperation extends Error {}

/** Steps for all operations of a document. A step is a schema, so many names, or so many characters to be written. */
const MAX_STEPS = 2_000_000;
const IN_ONE_STEP = { names: 10, characters: 1_000 };

/** Why a schema is too large: in the detail that it was read in, or always. */
export class TooLarge extends UnusableOperation {
  readonly when: "in-this-detail" | "always";

  constructor(message: string, when: "in-this-detail" | "always") {
    super(message);
    this.when = when;
  }
}

export interface DocumentReading {
  /** @throws UnusableOperation once the operations of the document have taken too many steps. */
  spend(on: { readonly schemas?: number; readonly names?: number; readonly characters?: number }): void;
  /** What became of a reference or a schema that was read by itself, in one detail: why it is too large, or null. */
  foundOf(detail: Detail): Map<unknown, TooLarge | null>;
}

/**
 * THREAT: thousands of operations may share what is expensive to read and is no use to any. Nothing else runs
 * meanwhile, so the whole is bounded.
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
