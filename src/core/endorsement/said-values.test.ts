import fc from "fast-check";
import { expect, it } from "vitest";
import { isSaid, saidAmong } from "./said-values.ts";
import type { Utterance } from "./user-word.ts";

/** Word by word at each place: the reference. */
const standsIn = (utterances: readonly Utterance[], words: readonly string[]): boolean =>
  words.length > 0 &&
  utterances.some((utterance) =>
    utterance.some((_, start) => words.every((word, at) => utterance[start + at]?.includes(word))),
  );

const word = fc.constantFrom("a", "b", "c", "__proto__");
const anyUtterances = fc.array(fc.array(fc.uniqueArray(word, { minLength: 1 }), { maxLength: 12 }), {
  maxLength: 4,
});
const anyValues = fc.array(
  fc.array(word, { maxLength: 5 }).map((words) => ({ words })),
  { maxLength: 12 },
);

it("finds the values that stand in the user's words, and no others (X4)", () => {
  fc.assert(
    fc.property(anyUtterances, anyValues, (utterances, values) => {
      const said = saidAmong({ utterances }, values);
      for (const value of values) {
        expect(said.has(value)).toBe(standsIn(utterances, value.words));
        expect(isSaid({ utterances }, value.words)).toBe(said.has(value));
      }
    }),
    { numRuns: 2000 },
  );
});

it("costs no more for many values than for one, where a long text repeats how they begin (X4)", () => {
  const utterances = [Array.from({ length: 25_000 }, () => ["a"])];
  const values = Array.from({ length: 512 }, (_, at) => ({
    words: [...Array.from({ length: 63 }, () => "a"), `b${at}`],
  }));
  const start = performance.now();
  expect(saidAmong({ utterances }, values).size).toBe(0);
  // Looking for each by itself takes twenty times as long.
  expect(performance.now() - start).toBeLessThan(3000);
});
