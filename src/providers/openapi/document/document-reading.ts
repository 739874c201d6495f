/** The cost of reading the operations of one document, and which parts are too large. */
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
