import { describe, expect, it } from "vitest";
import { SluicegateError } from "../../errors/index.ts";
import {
  assertKnownTools,
  BUILTIN_TOOLS,
  createToolSet,
  InvalidToolError,
  REVIEWER_TOOLS,
} from "./tool-set.ts";

describe("a tool set", () => {
  it("has its names in the order given, each once", () => {
    const set = createToolSet(["Write", "Read", "Write"]);
    expect({ size: set.size, array: set.toArray(), iterated: [...set] }).toEqual({
      size: 2,
      array: ["Write", "Read"],
      iterated: ["Write", "Read"],
    });
  });

  it("has what it holds and nothing that every object has (E1)", () => {
    const set = createToolSet(["Read", "__proto__"]);
    const asked = ["Read", "__proto__", "read", "Write", "constructor", "toString", ""];
    expect(asked.filter((name) => set.has(name))).toEqual(["Read", "__proto__"]);
  });

  it("may be empty", () => {
    expect([...createToolSet([])]).toEqual([]);
  });

  it("is no `Set`, so that a set's own methods can't reach into it (E1)", () => {
    expect(() => Set.prototype.add.call(REVIEWER_TOOLS, "Bash")).toThrow(TypeError);
    expect(REVIEWER_TOOLS).not.toBeInstanceOf(Set);
  });

  it("doesn't follow the list that it was made from (E1)", () => {
    const names = ["Read"];
    const source = new Set(names);
    const sets = [createToolSet(names), createToolSet(source)];
    names.push("Bash");
    source.add("Bash");
    expect(sets.map((set) => [...set])).toEqual([["Read"], ["Read"]]);
  });

  it.each<[string, (set: any) => unknown]>([
    ["assigning its size", (set) => (set.size = 9)],
    ["assigning `has`", (set) => (set.has = () => true)],
    ["assigning `toArray`", (set) => (set.toArray = () => ["Bash"])],
    ["assigning its iterator", (set) => (set[Symbol.iterator] = () => ["Bash"].values())],
    ["giving it a method more", (set) => (set.add = () => undefined)],
    ["calling `add`", (set) => set.add("Bash")],
    ["calling `delete`", (set) => set.delete("Read")],
    ["calling `clear`", (set) => set.clear()],
    ["deleting `has`", (set) => delete set.has],
    ["redefining `has`", (set) => Object.defineProperty(set, "has", { value: () => true })],
    ["exchanging its prototype", (set) => Object.setPrototypeOf(set, { add: () => true })],
  ])("refuses to be changed by %s (E1)", (_, change) => {
    const set = createToolSet(["Read", "Glob"]);
    expect(() => change(set)).toThrow(TypeError);
    expect([set.size, set.has("Bash"), ...set, ...set.toArray()]).toEqual([
      2,
      false,
      "Read",
      "Glob",
      "Read",
      "Glob",
    ]);
  });

  it("gives copies, so that writing to them changes nothing (E1)", () => {
    const array = REVIEWER_TOOLS.toArray();
    array.push("Bash");
    array[0] = "Write";
    expect(REVIEWER_TOOLS.toArray()).toEqual(["Read", "Glob", "Grep"]);
    expect(REVIEWER_TOOLS.has("Bash")).toBe(false);
  });
});

describe("tool names are known", () => {
  const known = { servers: ["mail", "my_web"], declared: ["own_tool", "mcp__crm__query", "query"] };

  it.each([
    ["a built-in tool", "Bash"],
    ["a server's pattern", "mcp__mail__*"],
    ["any tool of a configured server", "mcp__mail__whatever"],
    ["a tool with `__` in its own name", "mcp__mail__x__send"],
    ["a pattern over a server's tools", "mcp__mail__send_*"],
    ["a pattern over servers", "mcp__m*__send"],
    ["a declared name", "own_tool"],
    ["a declared identity of a server that isn't configured", "mcp__crm__query"],
    ["a pattern over declared names", "own_*"],
    ["all tools", "*"],
  ])("where they are %s (E2)", (_, name) => {
    expect(() => assertKnownTools([name], known)).not.toThrow();
  });

  it.each([
    ["a name that nothing declares", "Own_Tool"],
    ["a built-in tool in another case", "bash"],
    ["a tool of another server", "mcp__web__search"],
    ["a server whose name begins like a configured one", "mcp__mailx__*"],
    ["a server whose name goes on with one `_`", "mcp__mail_x__*"],
    ["a server alone", "mcp__mail"],
    ["a server without a tool", "mcp__mail__"],
    ["an identity without a server", "mcp____"],
    ["a pattern over servers that matches none", "mcp__x*__send"],
    ["a pattern over names that matches none", "other_*"],
    ["a short name of a configured server's tool", "mail__send"],
    ["a property of every object", "constructor"],
    ["the prototype", "__proto__"],
    ["nothing", ""],
    ["a very long name", "x".repeat(10_000)],
  ])("but not where they are %s (E2)", (_, name) => {
    expect(() => assertKnownTools([name], known)).toThrow(InvalidToolError);
  });

  it("knows no server's tool where no server is configured (E2)", () => {
    expect(() => assertKnownTools(["mcp__*__*"], { servers: [], declared: [] })).toThrow(InvalidToolError);
  });

  it("are all meant by `*`, though there be none (E2)", () => {
    expect(() => assertKnownTools(["*"], { servers: [], declared: [] })).not.toThrow();
  });

  it("may be none", () => {
    expect(() => assertKnownTools([], { servers: [], declared: [] })).not.toThrow();
  });

  it("lists, for the first that isn't known, all that is, sorted and once each (E2)", () => {
    const check = () =>
      assertKnownTools(["Read", "Reed", "Wrote"], { servers: ["mail"], declared: ["b", "Bash"] });
    expect(check).toThrow(
      expect.objectContaining({
        name: "InvalidToolError",
        code: "invalid-tool",
        message: "There is no tool `Reed`.",
        details: { tool: "Reed", known: [...BUILTIN_TOOLS, "b", "mcp__mail__*"].sort() },
      }),
    );
  });

  it("says what is known in the error's fix", () => {
    const error = new InvalidToolError("Reed", ["Read", "Write"]);
    expect(error.fix).toBe("Declare it, or use one of `Read` or `Write`.");
    expect(error).toBeInstanceOf(SluicegateError);
  });
});
