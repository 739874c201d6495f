import { describe, expect, it } from "vitest";
import { createToolNames, namesOf } from "./names.ts";

const idOf = (names: ReturnType<typeof createToolNames>, name: string) => names.resolve(name).id;

describe("the names of one tool", () => {
  it.each([
    ["mcp__mail__send", ["send", "mail__send", "mcp__mail__send"]],
    ["mcp__mail__send__now", ["send__now", "mail__send__now", "mcp__mail__send__now"]],
    ["send", ["send"]],
    ["mcp____", ["mcp____"]],
  ])("%s are, shortest first, %j", (id, expected) => {
    expect(namesOf(id)).toEqual(expected);
    expect(createToolNames([], []).of(id)).toEqual(expected);
  });
});

describe("a name", () => {
  const names = createToolNames(
    ["mcp__mail__send", "mcp__mail__search", "mcp__web__search", "own", "mcp__web__own"],
    [],
  );

  it.each([
    ["an identity", "mcp__mail__send", "mcp__mail__send"],
    ["a server and a tool", "mail__send", "mcp__mail__send"],
    ["a short name that one tool has", "send", "mcp__mail__send"],
    ["a short name beside others of its server", "web__search", "mcp__web__search"],
  ])("means a tool as %s", (_, name, id) => {
    expect(names.resolve(name)).toEqual({ id, candidates: [] });
  });

  it("means nobody's tool where two have it, and tells both", () => {
    expect(names.resolve("search")).toEqual({
      id: null,
      candidates: ["mcp__mail__search", "mcp__web__search"],
    });
  });

  it("of the agent's own tool stays its own, though a server's tool is called so", () => {
    expect(idOf(names, "own")).toBe("own");
    expect(idOf(names, "web__own")).toBe("mcp__web__own");
  });

  it.each([
    "constructor",
    "__proto__",
    "toString",
    "hasOwnProperty",
    "mcp____",
    "",
    "mcp__mail__",
    "Send",
  ])("that nobody has, such as %j, means nothing", (name) => {
    expect(names.resolve(name)).toEqual({ id: null, candidates: [] });
  });

  it.each([
    ["a property of every object", "constructor"],
    ["the prototype", "__proto__"],
    ["text that turns around", "s\u202edne"],
    ["five thousand characters", "x".repeat(5000)],
  ])("means a tool even where it is %s", (_, odd) => {
    const id = `mcp__mail__${odd}`;
    expect(idOf(createToolNames([id], []), odd)).toBe(id);
  });

  it("that reads like an identity is never taken for one: a server can offer what it likes", () => {
    const names = createToolNames(["mcp__mail__mcp__web__send", "mcp__mail__mcp____"], []);
    expect([names.resolve("mcp__web__send").id, names.resolve("mcp____").id]).toEqual([null, null]);
    expect(idOf(names, "mail__mcp__web__send")).toBe("mcp__mail__mcp__web__send");
  });

  it("that a pattern keeps for the agent's own tools is taken by no server's tool", () => {
    const names = createToolNames(["mcp__mail__WebFetch"], [], (name) => name.startsWith("Web"));
    expect([names.resolve("WebFetch").id, names.shown("mcp__mail__WebFetch")]).toEqual([
      null,
      "mail__WebFetch",
    ]);
  });

  it("that could be a server's tool or another's short name means neither", () => {
    const clash = createToolNames(["mcp__a__b__c", "mcp__b__c", "mcp__x__b__c"], []);
    expect(clash.resolve("b__c")).toEqual({
      id: null,
      candidates: ["mcp__a__b__c", "mcp__b__c", "mcp__x__b__c"],
    });
  });
});

describe("a tool that nobody classified", () => {
  it("doesn't take a name over by offering it, nor makes it ambiguous", () => {
    const names = createToolNames(["mcp__mail__send"], ["mcp__evil__send"]);
    expect(idOf(names, "send")).toBe("mcp__mail__send");
    expect(idOf(names, "evil__send")).toBe("mcp__evil__send");
  });

  it("doesn't take away the short name of a tool with ambiguous ones", () => {
    const names = createToolNames(["mcp__mail__get", "mcp__web__get"], ["mcp__evil__get"]);
    expect(names.resolve("get").candidates).toEqual(["mcp__mail__get", "mcp__web__get"]);
  });

  it("has its short name where no classified tool has it", () => {
    expect(idOf(createToolNames(["mcp__mail__send"], ["mcp__odd__dance"]), "dance")).toBe("mcp__odd__dance");
  });

  it("shares a short name with another of its kind, so that it means neither", () => {
    const names = createToolNames([], ["mcp__a__dance", "mcp__b__dance"]);
    expect(names.resolve("dance")).toEqual({ id: null, candidates: ["mcp__a__dance", "mcp__b__dance"] });
  });

  it("is always meant by its own identity, whatever classified tool has a name like it", () => {
    const names = createToolNames(["mcp__mail__mcp__odd__dance"], ["mcp__odd__dance"]);
    expect(idOf(names, "mcp__odd__dance")).toBe("mcp__odd__dance");
  });
});

describe("the name that an agent sees", () => {
  const names = createToolNames(
    ["mcp__mail__send", "mcp__mail__search", "mcp__web__search", "send__all", "mcp__send__all"],
    ["mcp__evil__search"],
  );

  it.each([
    ["mcp__mail__send", "send"],
    ["mcp__mail__search", "mail__search"],
    ["mcp__web__search", "web__search"],
    ["mcp__evil__search", "evil__search"],
    ["send__all", "send__all"],
    ["mcp__send__all", "all"],
    ["mcp__ghost__walk", "mcp__ghost__walk"],
  ])("of %s is %s", (id, shown) => {
    expect(names.shown(id)).toBe(shown);
  });

  it("is the identity where both shorter ones mean somebody else", () => {
    const taken = createToolNames(["mcp__a__b", "b", "a__b"], []);
    expect(taken.shown("mcp__a__b")).toBe("mcp__a__b");
  });
});

it("lists every name that means something, once", () => {
  const names = createToolNames(["mcp__mail__send", "own"], ["mcp__web__send"]);
  expect([...names.all()].sort()).toEqual([
    "mail__send",
    "mcp__mail__send",
    "mcp__web__send",
    "own",
    "send",
    "web__send",
  ]);
});

it("is frozen, so that no name can be given another meaning", () => {
  const names: any = createToolNames(["mcp__mail__send"], []);
  expect(() => {
    names.resolve = () => ({ id: "mcp__evil__send", candidates: [] });
  }).toThrow(TypeError);
  expect(() => names.resolve("send").candidates.push("x")).toThrow(TypeError);
});
