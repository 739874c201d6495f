/** What is guessed of names alone, held against what the tools do. */
import { expect, it } from "vitest";
import { EFFECTFUL, READING } from "../../../test/fixtures/tool-names.ts";
import { guessTool } from "./guess-tool.ts";

const isUnasked = (name: string): boolean => {
  const { confidence, approval } = guessTool({ name });
  return confidence !== "unknown" && approval !== "always";
};

it("asks about every tool that changes something, or withholds it (X13)", () => {
  expect(EFFECTFUL.length).toBeGreaterThan(190);
  expect(EFFECTFUL.filter(isUnasked)).toEqual([]);
});

it("leaves at least nine in ten unasked of those that only read (X13)", () => {
  const asked = READING.filter((name) => !isUnasked(name));
  expect(asked.length / READING.length).toBeLessThanOrEqual(0.1);
  expect(asked).toMatchInlineSnapshot(`
    [
      "look_up_word",
      "mail_search",
      "notion_search",
      "open_api_list",
      "resolve_get_library",
    ]
  `);
});
