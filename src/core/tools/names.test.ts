import { describe, expect, it } from "vitest";
import { beginsLike, createToolNames, isVisibleAscii, namesOf, skeleton } from "./names.ts";

/** The names of declared tools, and of others that nobody classified. */
const toNames = (declared: readonly string[], unclassified: readonly string[] = []) =>
  createToolNames({ declared, unclassified });

const idOf = (names: ReturnType<typeof createToolNames>, name: string) => names.resolve(name).id;

describe("the names of one tool", () => {
  it.each([
    ["mcp__mail__send", ["send", "mail__send", "mcp__mail__send"]],
    ["mcp__mail__send__now", ["send__now", "mail__send__now", "mcp__mail__send__now"]],
    ["send", ["send"]],
    ["mcp____", ["mcp____"]],
  ])("%s are, shortest first, %j", (id, expected) => {
    expect(namesOf(id)).toEqual(expected);
    expect(toNames([]).of(id)).toEqual(expected);
  });
});

describe("a name", () => {
  const names = toNames(
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
    ["five thousand characters", "x".repeat(5000)],
  ])("means a tool even where it is %s", (_, odd) => {
    const id = `mcp__mail__${odd}`;
    expect(idOf(toNames([id], []), odd)).toBe(id);
  });

  it("that reads like an identity is never taken for one: a server can offer what it likes", () => {
    const names = toNames(["mcp__mail__mcp__web__send", "mcp__mail__mcp____"], []);
    expect([names.resolve("mcp__web__send").id, names.resolve("mcp____").id]).toEqual([null, null]);
    expect(idOf(names, "mail__mcp__web__send")).toBe("mcp__mail__mcp__web__send");
  });

  it("that a pattern keeps for the agent's own tools is taken by no server's tool", () => {
    const names = createToolNames({
      declared: ["mcp__mail__WebFetch"],
      isOwn: (name) => name.startsWith("Web"),
    });
    expect([names.resolve("WebFetch").id, names.shown("mcp__mail__WebFetch")]).toEqual([
      null,
      "mail__WebFetch",
    ]);
  });

  it("that could be a server's tool or another's short name means neither", () => {
    const clash = toNames(["mcp__a__b__c", "mcp__b__c", "mcp__x__b__c"], []);
    expect(clash.resolve("b__c")).toEqual({
      id: null,
      candidates: ["mcp__a__b__c", "mcp__b__c", "mcp__x__b__c"],
    });
  });
});

describe("names that look alike", () => {
  it("are kept apart by rank: the higher one keeps its short name (X12-pins)", () => {
    const names = createToolNames({
      declared: ["mcp__mail__send_it"],
      byPattern: ["mcp__crm__Send-It", "mcp__crm__get_it"],
      unclassified: ["mcp__evil__sendIt", "mcp__evil__GET_1T", "mcp__evil__look"],
    });
    expect(
      ["send_it", "Send-It", "sendIt", "get_it", "GET_1T", "look"].map((name) => idOf(names, name)),
    ).toEqual(["mcp__mail__send_it", null, null, "mcp__crm__get_it", null, "mcp__evil__look"]);
    expect(names.shown("mcp__evil__sendIt")).toBe("evil__sendIt");
  });

  it("mean neither in one rank, as if they were equal (X12-pins)", () => {
    const names = toNames(["mcp__mail__send", "mcp__web__5end", "mcp__crm__SEND"]);
    const both = { id: null, candidates: ["mcp__mail__send", "mcp__crm__SEND"] };
    expect([names.resolve("send"), names.resolve("SEND")]).toEqual([both, both]);
    expect(names.shown("mcp__crm__SEND")).toBe("crm__SEND");
  });

  it("mean what they say within one server", () => {
    const names = toNames(["mcp__mail__send", "mcp__mail__Send"], ["mcp__mail__SEND"]);
    expect(["send", "Send", "SEND"].map((name) => idOf(names, name))).toEqual([
      "mcp__mail__send",
      "mcp__mail__Send",
      "mcp__mail__SEND",
    ]);
  });

  it("are no server's where one of them is the agent's own (X12-pins)", () => {
    const names = toNames(["Read", "mcp__fs__read"], ["mcp__evil__rEAD"]);
    expect(["Read", "read", "rEAD"].map((name) => idOf(names, name))).toEqual(["Read", null, null]);
    expect(names.shown("mcp__fs__read")).toBe("fs__read");
  });

  it("of two servers' tools with the servers' ids before them don't pass for one another (X12-pins)", () => {
    const names = toNames(["mcp__a_b__send"], ["mcp__a__b__send", "mcp__evil__A-B.send"]);
    expect([idOf(names, "a_b__send"), idOf(names, "a__b__send"), idOf(names, "A-B.send")]).toEqual([
      "mcp__a_b__send",
      null,
      null,
    ]);
    expect(names.shown("mcp__a__b__send")).toBe("b__send");
  });
});

describe("a server's tool has no short name", () => {
  it.each([
    "mail__send",
    "mail__",
    "Mail__send",
    "ma1l__send",
  ])("that begins with another server's id, such as %s (X12-pins)", (name) => {
    const names = createToolNames({
      declared: [],
      unclassified: [`mcp__evil__${name}`],
      servers: ["mail", "evil"],
    });
    expect(idOf(names, name)).toBeNull();
    expect(names.shown(`mcp__evil__${name}`)).toBe(`evil__${name}`);
  });

  it.each([
    "sluicegate_manifest",
    "Sluicegate-check_plan",
    "mcp__web__send",
    "mcp_web__send",
  ])("that reads like an identity or a tool of the gateway's own, such as %s (X12-pins)", (name) => {
    const names = toNames([`mcp__mail__${name}`]);
    expect(idOf(names, name)).toBeNull();
    expect(idOf(names, `mail__${name}`)).toBe(`mcp__mail__${name}`);
  });

  it.each([
    "s\u0435nd",
    "\uff53end",
    "se\u200bnd",
    "s\u202edne",
    "send ",
    "caf\u00e9",
  ])("nor any but its identity with a character that can't be seen for what it is: %j (X12-pins)", (name) => {
    const id = `mcp__mail__${name}`;
    const names = toNames([id]);
    expect([name, `mail__${name}`, id].map((one) => idOf(names, one))).toEqual([null, null, id]);
    expect(names.shown(id)).toBe(id);
  });

  it("but does with its own server's id before it", () => {
    const names = createToolNames({ declared: ["mcp__mail__mail__send"], servers: ["mail"] });
    expect(idOf(names, "mail__send")).toBe("mcp__mail__mail__send");
  });
});

describe("a declared tool that isn't available", () => {
  const names = createToolNames({
    declared: ["mcp__mail__send", "mcp__mail__get", "mcp__web__get"],
    missing: new Set(["mcp__mail__send", "mcp__mail__get"]),
    byPattern: ["mcp__evil__send"],
    unclassified: ["mcp__odd__Send"],
  });

  it("keeps its names for itself, so that they mean nothing meanwhile (X12-pins)", () => {
    expect(["send", "mail__send", "mcp__mail__send", "Send"].map((name) => idOf(names, name))).toEqual(
      Array(4).fill(null),
    );
    expect(names.shown("mcp__mail__send")).toBe("send");
    expect(names.shown("mcp__evil__send")).toBe("evil__send");
  });

  it("keeps a name ambiguous that it shares with another (X12-pins)", () => {
    expect([idOf(names, "get"), idOf(names, "web__get")]).toEqual([null, "mcp__web__get"]);
  });
});

describe("a tool that nobody classified", () => {
  it("doesn't take a name over by offering it, nor makes it ambiguous", () => {
    const names = toNames(["mcp__mail__send"], ["mcp__evil__send"]);
    expect(idOf(names, "send")).toBe("mcp__mail__send");
    expect(idOf(names, "evil__send")).toBe("mcp__evil__send");
  });

  it("doesn't take away the short name of a tool with ambiguous ones", () => {
    const names = toNames(["mcp__mail__get", "mcp__web__get"], ["mcp__evil__get"]);
    expect(names.resolve("get").candidates).toEqual(["mcp__mail__get", "mcp__web__get"]);
  });

  it("doesn't change the name of one that a pattern classifies (X12-pins)", () => {
    const names = createToolNames({
      declared: [],
      byPattern: ["mcp__mail__send"],
      unclassified: ["mcp__evil__send"],
    });
    expect([names.shown("mcp__mail__send"), names.shown("mcp__evil__send")]).toEqual(["send", "evil__send"]);
  });

  it("has its short name where no classified tool has it", () => {
    expect(idOf(toNames(["mcp__mail__send"], ["mcp__odd__dance"]), "dance")).toBe("mcp__odd__dance");
  });

  it("shares a short name with another of its kind, so that it means neither", () => {
    const names = toNames([], ["mcp__a__dance", "mcp__b__dance"]);
    expect(names.resolve("dance")).toEqual({ id: null, candidates: ["mcp__a__dance", "mcp__b__dance"] });
  });

  it("is always meant by its own identity, whatever classified tool has a name like it", () => {
    const names = toNames(["mcp__mail__mcp__odd__dance"], ["mcp__odd__dance"]);
    expect(idOf(names, "mcp__odd__dance")).toBe("mcp__odd__dance");
  });
});

describe("the name that an agent sees", () => {
  const names = toNames(
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
    const taken = toNames(["mcp__a__b", "b", "a__b"], []);
    expect(taken.shown("mcp__a__b")).toBe("mcp__a__b");
  });
});

it("lists every name that means something, once", () => {
  const names = toNames(["mcp__mail__send", "own"], ["mcp__web__send"]);
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
  const names: any = toNames(["mcp__mail__send"], []);
  expect(() => {
    names.resolve = () => ({ id: "mcp__evil__send", candidates: [] });
  }).toThrow(TypeError);
  expect(() => names.resolve("send").candidates.push("x")).toThrow(TypeError);
});

it("names ten thousand tools, alike or not, in a moment", () => {
  const spelled = (index: number): string =>
    [..."forwardmessages"].map((letter, at) => ((index >> at) & 1 ? letter.toUpperCase() : letter)).join("");
  const ids = Array.from({ length: 10_000 }, (_, index) =>
    index % 2 === 0 ? `mcp__s${index % 50}__${spelled(index)}` : `mcp__s${index % 50}__do_thing_${index}`,
  );
  // Time of this program alone: a busy machine changes nothing.
  const before = process.cpuUsage();
  const names = createToolNames({ declared: ids.slice(0, 5000), unclassified: ids.slice(5000) });
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
  expect([names.shown(ids[2] ?? ""), names.shown(ids[3] ?? "")]).toEqual([`s2__${spelled(2)}`, "do_thing_3"]);
});

const alike = (left: string, right: string): boolean => skeleton(left) === skeleton(right);

describe("two names look alike", () => {
  it.each([
    ["in case", "send_email", "Send_Email"],
    ["in how their words are joined", "send_email", "send-email"],
    ["in how often", "send_email", "send__email"],
    ["in whether they are joined by a sign or by case", "send_email", "sendEmail"],
    ["in a sign at the end", "send_email", "send_email."],
    ["in l and 1", "list_all", "1ist_a11"],
    ["in l and a capital i", "list_all", "Iist_aII"],
    ["in i and l", "write_file", "wrlte_flle"],
    ["in o and 0", "move_to", "m0ve_t0"],
    ["in m and rn", "rename", "renarne"],
    ["in m and rn with a sign between", "rename", "renar_ne"],
    ["in w and vv", "write", "vvrite"],
    ["in all of it at once", "send__all_mail", "5end-A11_rnail".replace("5", "s")],
  ])("if they differ %s only: %s and %s (X12-pins)", (_, left, right) => {
    expect(alike(left, right)).toBe(true);
  });

  it.each([
    ["search", "research"],
    ["send", "sends"],
    ["read_file", "read_files"],
    ["list", "lists"],
    ["a", "b"],
    ["_", "-"],
    ["*", "**"],
    ["query2", "query3"],
    ["", "_"],
  ])("only then: %j and %j don't", (left, right) => {
    expect(alike(left, right)).toBe(false);
  });

  it.each([
    ["another script's letter", "s\u0435nd"],
    ["a full-width letter", "\uff53end"],
    ["an accent", "s\u00e9nd"],
    ["a mark of direction", "send\u202e"],
    ["a character without width", "se\u200bnd"],
    ["a space", "send "],
    ["a lone half of a character", "send\ud800"],
  ])("to the table in visible ASCII alone, and %s is none", (_, odd) => {
    expect([isVisibleAscii(odd), skeleton(odd)]).toEqual([false, odd]);
  });
});

it.each([
  ["sluicegate_manifest", true],
  ["Sluicegate-manifest", true],
  ["s1uicegate__x", true],
  ["sluicegate.", true],
  ["sluicegates_x", false],
  ["sluicegate", false],
  ["my_sluicegate_x", false],
  ["sluicegate_\u0435", false],
])("tells that %s begins like `sluicegate_`: %s", (name, expected) => {
  expect(beginsLike(name, "sluicegate_")).toBe(expected);
});

it("takes no longer for a name than the name is long", () => {
  expect(skeleton("rn".repeat(100_000))).toHaveLength(100_000);
});
