import { describe, expect, it } from "vitest";
import { groupTools } from "./group-tools.ts";

const LABEL = { level: "public", categories: [], trust: "trusted" };
const tool = (name: string, brings: boolean, sends: boolean) => ({
  tool: name,
  name,
  source: brings ? LABEL : null,
  clearances: sends ? [LABEL] : null,
  blocked: false,
  releasable: false,
});
const TOOLS = [
  tool("search_email", true, false),
  tool("render", false, false),
  tool("web_search", true, true),
  tool("post", false, true),
];
const told = (find = "") =>
  groupTools(TOOLS, find).map(({ title, tools }) => [title, tools.map(({ name }) => name)]);

describe("a session's tools on the bench", () => {
  it("stand by what they do to an order, those that send first", () => {
    expect(told()).toEqual([
      ["Send data out", ["post"]],
      ["Bring data in, and send out", ["web_search"]],
      ["Bring data in", ["search_email"]],
      ["Neither", ["render"]],
    ]);
  });

  it("are found by words of their names, in any case, without empty groups", () => {
    expect(told(" SEARCH web ")).toEqual([["Bring data in, and send out", ["web_search"]]]);
    expect(told("nothing")).toEqual([]);
  });
});
