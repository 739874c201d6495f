import { describe, expect, it } from "vitest";
import { DEFAULT_LATTICE, isKnownLabel } from "../label/label.ts";
import { definePolicy } from "../policy/policy.ts";
import {
  dataSetOf,
  defineTool,
  isServerId,
  PERMISSIONS,
  parseToolId,
  type ToolDeclaration,
  toClearance,
  toSource,
  toToolId,
  unclassifiedTool,
} from "./tool.ts";

const tool = (declared: Partial<ToolDeclaration>, id = "mcp__mail__send") =>
  defineTool(DEFAULT_LATTICE, id, "send", { permissions: [], ...declared });

describe("a server's id", () => {
  it.each([
    "mail",
    "a",
    "0",
    "my_mail",
    "my-mail.2",
    "a_b_c",
    "constructor",
    "x".repeat(64),
  ])("may be %j", (id) => {
    expect(isServerId(id)).toBe(true);
  });

  it.each([
    "",
    "a__b",
    "_a",
    "a_",
    "__proto__",
    "a b",
    "a*",
    "mail/x",
    "ä",
    "a\n",
    "x".repeat(65),
  ])("may not be %j (E2)", (id) => {
    expect(isServerId(id)).toBe(false);
  });
});

describe("a tool's identity", () => {
  it.each([
    ["mcp__mail__send", "mail", "send"],
    ["mcp__mail__send__now", "mail", "send__now"],
    ["mcp__my_mail__send", "my_mail", "send"],
    ["mcp__mail___send", "mail", "_send"],
    ["mcp__mail__mcp__web__get", "mail", "mcp__web__get"],
    ["mcp__constructor____proto__", "constructor", "__proto__"],
    ["mcp__mail__a\u202eb", "mail", "a\u202eb"],
  ])("%s is the server %s and the tool %s (E2)", (id, server, name) => {
    expect(parseToolId(id)).toEqual({ server, tool: name });
  });

  it.each([
    "send",
    "mail__send",
    "mcp__",
    "mcp__mail",
    "mcp__mail__",
    "mcp____send",
    "mcp____",
    "MCP__a__b",
    "",
  ])("%j names no server", (id) => {
    expect(parseToolId(id)).toEqual({ server: null, tool: id });
  });

  it("is read back as it was written", () => {
    expect(parseToolId(toToolId("my_mail", "send__now"))).toEqual({ server: "my_mail", tool: "send__now" });
  });
});

describe("a source", () => {
  it("is the least where it leaves everything out", () => {
    expect(toSource(DEFAULT_LATTICE, {})).toEqual({ level: "public", categories: [], trust: "trusted" });
  });

  it("has what it declares", () => {
    expect(toSource(DEFAULT_LATTICE, { level: "internal", categories: ["hr"], trust: "untrusted" })).toEqual({
      level: "internal",
      categories: ["hr"],
      trust: "untrusted",
    });
  });

  it("is unknown, and so the worst, in a lattice without names", () => {
    const empty = { levels: [], trust: [] };
    expect(isKnownLabel(empty, toSource(empty, {}))).toBe(false);
    expect(isKnownLabel(empty, toClearance(empty, { level: "public" }))).toBe(false);
  });
});

describe("a sink", () => {
  it("demands no trust and clears no category where it leaves them out (X2-lattice)", () => {
    expect(toClearance(DEFAULT_LATTICE, { level: "internal" })).toEqual({
      level: "internal",
      categories: [],
      trust: "untrusted",
    });
  });

  it("has what it declares", () => {
    expect(toClearance(DEFAULT_LATTICE, { level: "secret", categories: ["hr"], trust: "trusted" })).toEqual({
      level: "secret",
      categories: ["hr"],
      trust: "trusted",
    });
  });

  it("must name its level", () => {
    expect(() => tool({ sink: [{ level: "public" }, { trust: "trusted" }] })).toThrow(
      expect.objectContaining({
        code: "policy-invalid",
        message: "A sink names no level.",
        fix: "Write the level, such as `sink: public`.",
      }),
    );
  });

  it("must name its level in a pattern too, before a call comes", () => {
    const tools = { "get_*": { permissions: ["connect" as const], sink: [{}] } };
    expect(() => definePolicy({ tools })).toThrow("A sink names no level.");
  });
});

describe("a classified tool", () => {
  it.each([
    ["connect without a sink has the lowest clearance (A1)", { permissions: ["connect"] }, ["public"]],
    ["connect with a sink has that", { permissions: ["connect"], sink: [{ level: "secret" }] }, ["secret"]],
    [
      "several sinks has them all (X2-lattice)",
      { sink: [{ level: "public" }, { level: "internal" }] },
      ["public", "internal"],
    ],
    [
      "a sink without connect has it too",
      { permissions: ["write"], sink: [{ level: "internal" }] },
      ["internal"],
    ],
    ["an empty list of sinks may receive nothing", { permissions: ["connect"], sink: [] }, []],
  ] as const)("that has %s", (_, declared, levels) => {
    expect(tool(declared).clearances?.map(({ level }) => level)).toEqual(levels);
  });

  it("without sink and connect sends nothing out", () => {
    expect(tool({ permissions: ["read", "write"] }).clearances).toBeNull();
  });

  it("without source brings nothing in", () => {
    expect(tool({}).source).toBeNull();
  });

  it("keeps source and clearance apart (A7)", () => {
    const { source, clearances } = tool({ source: { level: "secret" }, sink: [{ level: "internal" }] });
    expect([source?.level, clearances?.[0]?.level]).toEqual(["secret", "internal"]);
  });

  it("has its permissions once each, in one order (A1)", () => {
    expect(tool({ permissions: ["connect", "read", "connect"] }).permissions).toEqual(["read", "connect"]);
  });

  it("is known by its identity's server, needs no approval and has no tags unless that is said", () => {
    expect(tool({})).toMatchObject({
      id: "mcp__mail__send",
      name: "send",
      server: "mail",
      approval: "never",
      tags: [],
      classified: true,
    });
  });

  it("asks where its declaration says so", () => {
    expect(tool({ approval: "always", tags: ["pay"] })).toMatchObject({ approval: "always", tags: ["pay"] });
  });

  it("can't be changed at run time, nor through its declaration", () => {
    const tags = ["a"];
    const made: any = tool({ tags, source: { level: "internal" }, sink: [{ level: "public" }] });
    tags.push("b");
    expect(made.tags).toEqual(["a"]);
    for (const part of [
      made,
      made.permissions,
      made.tags,
      made.clearances,
      made.clearances[0],
      made.source,
    ]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it.each([
    ["mcp__mail__send", "mail"],
    ["send", "send"],
    ["mcp____send", "send"],
  ])("%s brings its results into the data set %s", (id, dataset) => {
    expect(dataSetOf(tool({}, id))).toBe(dataset);
  });
});

describe("an unclassified tool", () => {
  const made = unclassifiedTool(DEFAULT_LATTICE, "mcp__mail__odd", "odd");

  it("is the worst of a source and of a sink, and always asks (law-2)", () => {
    expect(made).toEqual({
      id: "mcp__mail__odd",
      name: "odd",
      server: "mail",
      permissions: PERMISSIONS,
      source: { level: "*", categories: ["*"], trust: "untrusted" },
      sourceBound: "least",
      clearances: [{ level: "public", categories: [], trust: "untrusted" }],
      tags: [],
      approval: "always",
      onViolation: "deny",
      approvers: 1,
      to: null,
      critical: [],
      payload: [],
      isDestructive: true,
      classified: false,
    });
  });

  it("can't be changed at run time", () => {
    for (const part of [made, made.permissions, made.tags, made.clearances, made.source]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });
});
