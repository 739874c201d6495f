import { describe, expect, it } from "vitest";
import { toVisibleLine } from "./visible-line.ts";

describe("a line of a stranger's text", () => {
  it("has what can't be seen by its code, and no line feed", () => {
    expect(toVisibleLine("invoice\u202Efdp\n.exe")).toBe("invoice\\u202efdp\\n.exe");
  });

  it("ends where nobody would listen any longer", () => {
    expect(toVisibleLine("x".repeat(200))).toBe(`${"x".repeat(80)}…`);
  });
});
