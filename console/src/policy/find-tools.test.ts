import { describe, expect, it } from "vitest";
import { asksOf, classOf, findTools, marksOf, type PolicyTool } from "./find-tools.ts";

const tool = (name: string, parts: Partial<PolicyTool> = {}): PolicyTool => ({
  tool: `mcp__office__${name}`,
  name,
  server: "office",
  permissions: ["read"],
  source: null,
  clearances: null,
  height: null,
  releasable: false,
  approval: "never",
  when: null,
  tags: [],
  classified: true,
  sensitivity: "neutral",
  removed: [],
  changed: false,
  ...parts,
});
const TOOLS = [
  tool("search_email", {
    source: { level: "internal", categories: ["hr"], trust: "untrusted" },
    tags: ["mail"],
    sensitivity: "internal_source",
  }),
  tool("wire_transfer", { server: null, approval: "condition", when: "args.amount > 1000" }),
  tool("delete_all", { classified: false, changed: true, removed: ["denied-by-policy", "new-code"] }),
];
const found = (find: string) => findTools(TOOLS, find).map(({ name }) => name);

describe("tools of a policy", () => {
  it.each([
    ["part of a name", "EMAIL", ["search_email"]],
    ["a tag", "mail", ["search_email"]],
    ["a level and a category", "internal hr", ["search_email"]],
    ["a condition", "amount", ["wire_transfer"]],
    ["what stands out", "unclassified", ["delete_all"]],
    ["what is asked", "asks", ["wire_transfer"]],
    ["a server", "office", ["search_email", "wire_transfer", "delete_all"]],
    ["nothing", "  ", ["search_email", "wire_transfer", "delete_all"]],
    ["words of which one fits nowhere", "mail nowhere", []],
  ])("are found by %s", (_, find, names) => {
    expect(found(find)).toEqual(names);
  });

  it("are marked where they are withheld or taken away, also for a code that is new", () => {
    expect(marksOf(TOOLS[2] as PolicyTool).map(({ text }) => text)).toEqual([
      "changed, withheld",
      "unclassified",
      "denied by the rules",
      "new-code",
    ]);
    expect(marksOf(TOOLS[0] as PolicyTool)).toEqual([]);
  });

  it("are told in words", () => {
    expect(classOf(TOOLS[0] as PolicyTool)).toBe("brings internal data in");
    expect(asksOf(TOOLS[1] as PolicyTool)).toBe("where");
    expect(asksOf(TOOLS[0] as PolicyTool)).toBe("never");
  });
});
