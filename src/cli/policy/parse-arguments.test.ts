import { expect, it } from "vitest";
import { parseArguments, parseSteps } from "./parse-arguments.ts";

it("reads names and steps, and keeps what each step says", () => {
  const steps = ["web_search", { id: "a", tool: "search_docs", arguments: { query: "q3" }, after: [] }];
  expect(parseSteps(JSON.stringify(steps))).toEqual(steps);
  expect(parseSteps("[]")).toEqual([]);
});

it.each([
  ["text that is no JSON", "[", "malformed-json", "The list of `--steps` can't be read as JSON."],
  ["no list", "{}", "usage", "The plan is not a JSON list."],
  ["a step that is a number", "[1]", "usage", "Step 0 is neither a tool's name nor an object."],
  ["a step without a tool", '[{"id":"a"}]', "usage", "Step 0 names no `tool`."],
  ["an unknown key", '["a",{"tool":"a","befor":[]}]', "usage", "Step 1 has the unknown key `befor`."],
  ["a wrong id", '[{"tool":"a","id":1}]', "usage", "The `id` of step 0 is no text."],
  ["wrong arguments", '[{"tool":"a","arguments":[]}]', "usage", "The `arguments` of step 0 are no object."],
  ["a wrong `after`", '[{"tool":"a","after":[1]}]', "usage", "The `after` of step 0 isn't a list of ids."],
])("refuses a plan with %s", (_, text, code, message) => {
  expect(() => parseSteps(text)).toThrow(expect.objectContaining({ code, message }));
});

it.each(["[1]", '"a"', "1", "null", "true"])("refuses %s as a call's arguments", (text) => {
  expect(() => parseArguments(text)).toThrow(expect.objectContaining({ code: "usage" }));
});
