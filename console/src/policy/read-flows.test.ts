import { describe, expect, it } from "vitest";
import { cellByKey, type Flows, flowAt, placesOf, sinksBy, sourcesBy, toolsIn } from "./read-flows.ts";

const label = (level: string) => ({ level, categories: [], trust: "trusted" });
const FLOWS: Flows = {
  sources: [
    { label: label("public"), tools: ["web"] },
    { label: label("internal"), tools: ["mail", "docs"] },
  ],
  sinks: [
    { clearances: [label("public")], releasable: false, tools: ["web"] },
    { clearances: [label("public")], releasable: true, tools: ["slack"] },
    { clearances: [label("internal")], releasable: false, tools: ["pr"] },
  ],
  cells: [
    ["may", "may", "may"],
    ["may-not", "release", "may"],
  ],
};

describe("the matrix of flows", () => {
  it("knows where a tool stands as a source and as a sink", () => {
    expect(placesOf(FLOWS, "web")).toEqual({ row: 0, column: 0 });
    expect(placesOf(FLOWS, "docs")).toEqual({ row: 1, column: -1 });
    expect(placesOf(FLOWS, undefined)).toEqual({ row: -1, column: -1 });
  });

  it("names each tool once", () => {
    expect(toolsIn(FLOWS)).toEqual(["web", "mail", "docs", "slack", "pr"]);
  });

  it("tells what a source shuts, and what shuts a sink", () => {
    expect(sinksBy(FLOWS, 1, "may-not").map(({ tools }) => tools)).toEqual([["web"]]);
    expect(sinksBy(FLOWS, 1, "release").map(({ tools }) => tools)).toEqual([["slack"]]);
    expect(sourcesBy(FLOWS, 0, "may").map(({ tools }) => tools)).toEqual([["web"]]);
  });

  it("takes what it doesn't know for shut", () => {
    expect(flowAt(FLOWS, { row: 9, column: 0 })).toBe("may-not");
  });

  it("is gone along by key, and not left", () => {
    expect(cellByKey({ row: 0, column: 0 }, "ArrowDown", FLOWS)).toEqual({ row: 1, column: 0 });
    expect(cellByKey({ row: 1, column: 2 }, "ArrowDown", FLOWS)).toEqual({ row: 1, column: 2 });
    expect(cellByKey({ row: 0, column: 0 }, "ArrowLeft", FLOWS)).toEqual({ row: 0, column: 0 });
    expect(cellByKey({ row: 0, column: 0 }, "End", FLOWS)).toEqual({ row: 0, column: 2 });
    expect(cellByKey({ row: 0, column: 2 }, "Home", FLOWS)).toEqual({ row: 0, column: 0 });
    expect(cellByKey({ row: 0, column: 0 }, "a", FLOWS)).toBeNull();
  });
});
