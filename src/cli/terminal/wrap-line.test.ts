import { expect, it } from "vitest";
import { type Part, styled } from "./terminal.ts";
import { type Line, wrapLine } from "./wrap-line.ts";

const textOf = (line: Line): string =>
  line.map((part: Part) => (typeof part === "string" ? part : part.text)).join("");

it("leaves nothing out, makes no line too wide, and marks what goes on", () => {
  const text = `${"tool      harmless".padEnd(95, " ")}release   no`;
  const lines = wrapLine([styled("dim", text.slice(0, 40)), text.slice(40)], 30).map(textOf);
  expect(lines.every((line) => line.length <= 30)).toBe(true);
  expect(lines.slice(1).every((line) => line.startsWith("  ↪ "))).toBe(true);
  expect(lines.map((line, index) => (index === 0 ? line : line.slice(4))).join("")).toBe(text);
});

it("counts what is made visible, and what may be wide as wide", () => {
  expect(wrapLine(["\u202e".repeat(8)], 20).map(textOf)).toHaveLength(4);
  const wide = wrapLine(["世".repeat(30)], 20).map(textOf);
  expect(wide[0]).toBe("世".repeat(10));
  expect(wide[1]).toBe(`  ↪ ${"世".repeat(8)}`);
  expect(wrapLine([""], 20)).toEqual([[]]);
});

it("cuts no word that is short", () => {
  const text = "It waits for a person, who must say yes to it before anything of it happens.";
  const lines = wrapLine([text], 24).map(textOf);
  expect(lines.map((line, index) => (index === 0 ? line : line.slice(4))).join("")).toBe(text);
  expect(lines.slice(0, -1).every((line) => line.endsWith(" "))).toBe(true);
  expect(lines.every((line) => line.length <= 24)).toBe(true);
});
