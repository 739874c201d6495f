import { applyPatch } from "diff";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { seededRandom } from "../../../../test/fixtures/seeded-random.ts";
import { MAX_PREVIEW_BYTES } from "../limits.ts";
import { previewOf } from "./diff.ts";

const bytes = (text: string): Buffer => Buffer.from(text);

describe("a preview", () => {
  // A comparison has little time, which a busy machine may take from it.
  beforeEach(() => vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => vi.useRealTimers());

  it("says where nothing changes, and where a last line has no end", () => {
    expect(previewOf("a", bytes("x"), bytes("x"))).toBe("a: nothing changes.\n");
    expect(previewOf("a", bytes("x\n"), bytes("x"))).toContain("\\ No newline at end of file");
  });

  it.each([
    ["what is no text", Buffer.from([0, 1]), bytes("new\n"), "a: 2 bytes → 4 bytes.", "new\n"],
    ["what isn't UTF-8", Buffer.from([0xe9]), bytes("new\n"), "a: 1 bytes → 4 bytes.", "new\n"],
    ["a long text", bytes("x\n".repeat(400_000)), bytes("new\n"), "a: 800000 bytes → 4 bytes.", "new\n"],
  ])("of replacing %s shows the new text whole", (_, before, after, first, last) => {
    const preview = previewOf("a", before, after);
    expect([preview.startsWith(first), preview.endsWith(last)]).toEqual([true, true]);
  });

  it("that isn't a diff doesn't begin as one, whatever the file is called", () => {
    const preview = previewOf("--- x", Buffer.from([0xe9]), bytes("+++ notes.txt\n@@ -1 +1 @@\n-a\n"));
    expect(preview).toMatch(/^"--- x": 1 bytes/);
  });

  it("describes what is no text, and what is deleted of it", () => {
    expect(previewOf("a", null, Buffer.from([0]))).toBe("a: new → 1 bytes. What is written isn't text.\n");
    expect(previewOf("a", Buffer.from([0]), null)).toContain("a: 1 bytes → deleted.");
  });

  it("is never longer than its limit, and says that it was cut", () => {
    const preview = previewOf("a", null, bytes("äöü line\n".repeat(100_000)));
    expect(Buffer.byteLength(preview)).toBeLessThanOrEqual(MAX_PREVIEW_BYTES);
    expect(preview).toMatch(/\nä?.*\n\[The rest is left out: it is too long to show\.\]\n$/);
  });

  it("is given up where the comparison takes too long", () => {
    const lines = (seed: number): Buffer =>
      bytes(Array.from({ length: 30_000 }, (_, index) => `${(index * seed) % 99_991}\n`).join(""));
    vi.useRealTimers();
    const start = performance.now();
    const preview = previewOf("a", lines(7919), lines(104_729));
    expect(performance.now() - start).toBeLessThan(5000);
    expect(preview).toContain("It is too much to compare; the new text follows.");
  });

  it("shows a small change of a long text at its place, and nothing else", () => {
    const line = (index: number): string => `line ${index} of a text that is long\n`;
    const lines = Array.from({ length: 100_000 }, (_, index) => line(index + 1));
    const after = lines.with(98_000, "changed\n").join("");
    expect(previewOf("a", bytes(lines.join("")), bytes(after))).toBe(
      [
        "--- a\n+++ a\n@@ -97998,7 +97998,7 @@\n",
        ...[97_998, 97_999, 98_000].map((index) => ` ${line(index)}`),
        `-${line(98_001)}+changed\n`,
        ...[98_002, 98_003, 98_004].map((index) => ` ${line(index)}`),
      ].join(""),
    );
  });

  it("is a patch that makes the new text of the old one", () => {
    const below = seededRandom(7);
    const text = (): string =>
      Array.from({ length: below(24) }, () => ["a\n", "b\n", "\n", "c"][below(4)]).join("");
    for (let round = 0; round < 3000; round += 1) {
      const [old, next] = [text(), text()];
      if (old === next) continue;
      const preview = previewOf("a", bytes(old), bytes(next));
      expect([old, preview, applyPatch(old, preview)]).toEqual([old, preview, next]);
    }
  });

  it("quotes a name that would break its line", () => {
    expect(previewOf("a\n+++ b", null, bytes("x\n"))).toContain('+++ "a\\n+++ b"');
  });
});
