import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { acceptCommand, toShellWord } from "./shell-word.ts";

describe("a tool's name on a command line", () => {
  it.each([
    ["mcp__mail__send", "mcp__mail__send"],
    ["two words", "'two words'"],
    ["it's $(reboot) `id` !x", "'it'\\''s $(reboot) `id` !x'"],
    ["", "''"],
    ["-rf", "'-rf'"],
    ["a\nb", "$'a\\012b'"],
    ["\u001b[201~x", "$'\\033\\133201\\176x'"],
  ])("is one word: %j", (name, word) => {
    expect(toShellWord(name)).toBe(word);
  });

  it("is what a shell reads, and holds nothing that a terminal obeys", () => {
    const hostile = fc.string({
      minLength: 1,
      unit: fc.constantFrom(..."a-'\"\\$`!;&|<>(){}*?~#%1 \n\t\u001b\u202Eé😀"),
    });
    const names = fc.sample(fc.oneof(hostile, fc.string({ minLength: 1, unit: "grapheme" })), 300);
    const safe = names.filter((name) => !name.includes("\0"));
    const words = safe.map(toShellWord);
    for (const word of words) expect(word).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    // Restricted and without programs: were a word not quoted, nothing could come of it.
    const read = execFileSync("/bin/bash", ["-r", "-c", `printf '%s\\0' ${words.join(" ")}`], {
      encoding: "utf8",
      env: { PATH: "" },
    });
    expect(read.split("\0").slice(0, -1)).toEqual(safe);
  });

  it("stands in a command that accepts what was looked at, and nothing else", () => {
    expect(acceptCommand("mcp__mail__send", "c50e")).toBe(
      "sluicegate tools accept mcp__mail__send --hash c50e",
    );
    expect(acceptCommand("a b", null)).toBe("sluicegate tools accept 'a b'");
    expect(acceptCommand("--yes", "c50e")).toBe("sluicegate tools accept --hash c50e -- '--yes'");
  });
});
