import { describe, expect, it } from "vitest";
import { LONGEST_PREVIEW, previewOf } from "./diff.ts";

const bytes = (text: string): Buffer => Buffer.from(text);

describe("a preview", () => {
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

  it("describes what is no text, and what is deleted of it", () => {
    expect(previewOf("a", null, Buffer.from([0]))).toBe("a: new → 1 bytes. What is written isn't text.\n");
    expect(previewOf("a", Buffer.from([0]), null)).toContain("a: 1 bytes → deleted.");
  });

  it("is never longer than its limit, and says that it was cut", () => {
    const preview = previewOf("a", null, bytes("äöü line\n".repeat(100_000)));
    expect(Buffer.byteLength(preview)).toBeLessThanOrEqual(LONGEST_PREVIEW);
    expect(preview).toMatch(/\nä?.*\n\[The rest is left out: it is too long to show\.\]\n$/);
  });

  it("is given up where the comparison takes too long", () => {
    const lines = (seed: number): Buffer =>
      bytes(Array.from({ length: 30_000 }, (_, index) => `${(index * seed) % 99_991}\n`).join(""));
    const start = performance.now();
    const preview = previewOf("a", lines(7919), lines(104_729));
    expect(performance.now() - start).toBeLessThan(5000);
    expect(preview).toContain("It is too much to compare; the new text follows.");
  });

  it("quotes a name that would break its line", () => {
    expect(previewOf("a\n+++ b", null, bytes("x\n"))).toContain('+++ "a\\n+++ b"');
  });
});
