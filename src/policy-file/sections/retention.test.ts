import { expect, it } from "vitest";
import { parseNow } from "../testing/parse-now.ts";
import { problemsOf } from "../testing/problems-of.ts";

const parse = (text: string) => parseNow(`version: 1\n${text}\n`, { file: "p.yaml", environment: {} });

it("says how long ended sessions are kept, and what happens then (X27)", () => {
  expect(parse("").retention).toBeNull();
  expect(parse("retention: { ended: 90d }").retention).toEqual({
    endedMs: 90 * 86_400_000,
    action: "archive",
  });
  expect(parse("retention: { ended: 48h, action: delete }").retention).toEqual({
    endedMs: 2 * 86_400_000,
    action: "delete",
  });
});

it.each([
  ["a number without its unit", "{ ended: 90 }", "is no day or longer: `90`"],
  ["hours in place of days", "{ ended: 12h }", "is no day or longer"],
  ["no time", "{ ended: soon }", "is no day or longer"],
  ["another end", "{ ended: 90d, action: shred }", "`archive` or `delete`"],
  ["nothing", "{}", "`ended`"],
])("refuses %s (X27)", (_, retention, problem) => {
  expect(problemsOf(`version: 1\nretention: ${retention}\n`).join("\n")).toContain(problem);
});
