/** The role tool sets and the built-in tools, as literals from the seed's table. */
import { describe, expect, it } from "vitest";
import {
  BUILTIN_TOOLS,
  FIXER_TOOLS,
  GENERATOR_TOOLS,
  IMPLEMENTER_TOOLS,
  ISSUE_FIXER_TOOLS,
  REVIEWER_TOOLS,
  type ToolSet,
} from "../../src/agents/index.ts";

const SETS: readonly (readonly [name: string, set: ToolSet, tools: readonly string[]])[] = [
  ["REVIEWER_TOOLS", REVIEWER_TOOLS, ["Read", "Glob", "Grep"]],
  ["IMPLEMENTER_TOOLS", IMPLEMENTER_TOOLS, ["Read", "Write", "Edit", "Glob", "Grep"]],
  ["FIXER_TOOLS", FIXER_TOOLS, ["Read", "Write", "Edit"]],
  ["ISSUE_FIXER_TOOLS", ISSUE_FIXER_TOOLS, ["Read", "Write", "Edit", "Glob", "Grep"]],
  ["GENERATOR_TOOLS", GENERATOR_TOOLS, []],
  [
    "BUILTIN_TOOLS",
    BUILTIN_TOOLS,
    [
      "Read",
      "Write",
      "Edit",
      "Bash",
      "Glob",
      "Grep",
      "NotebookEdit",
      "WebFetch",
      "WebSearch",
      "TodoWrite",
      "Task",
      "ExitPlanMode",
    ],
  ],
];

describe.each(SETS)("%s", (_name, set, tools) => {
  it("holds exactly these (E1)", () => {
    expect([...set]).toEqual(tools);
  });

  it("holds built-in tools alone (E1)", () => {
    expect(tools.filter((tool) => !BUILTIN_TOOLS.has(tool))).toEqual([]);
  });

  it.each<[string, (held: any) => unknown]>([
    ["adding to it", (held) => held.add("Bash")],
    ["a set's own `add`", (held) => Set.prototype.add.call(held, "Bash")],
    ["another `has`", (held) => (held.has = () => true)],
    ["another `toArray`", (held) => Object.defineProperty(held, "toArray", { value: () => ["Bash"] })],
    ["another iterator", (held) => (held[Symbol.iterator] = () => ["Bash"].values())],
    ["another size", (held) => (held.size = 99)],
  ])("can't be changed by %s (E1)", (_, change) => {
    expect(() => change(set)).toThrow(TypeError);
    expect([...set]).toEqual(tools);
  });

  it("gives a new array each time, so that writing to one changes nothing (E1)", () => {
    set.toArray().push("Bash");
    expect(set.toArray()).toEqual(tools);
  });
});

it("lets no role run a command (E1)", () => {
  const roles = SETS.filter(([, set]) => set !== BUILTIN_TOOLS);
  expect(roles.filter(([, set]) => set.has("Bash"))).toEqual([]);
});
