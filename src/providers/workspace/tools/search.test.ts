import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { searchChecked } from "../search/search-checked.ts";
import { openTestWorkspace, type TestWorkspace } from "../workspace.test-kit.ts";

let place: TestWorkspace;
beforeEach(() => {
  place = openTestWorkspace(
    {
      "a.ts": "alpha\nNEEDLE one\nomega\n",
      "src/b.py": "needle two\r\nNEEDLE three\r\n",
      "-dash.txt": "NEEDLE dash\n",
      "my.key": "NEEDLE SECRET\n",
      "build/out.txt": "NEEDLE SECRET\n",
      "store.db": "NEEDLE SECRET\n",
      "binary.bin": Buffer.from("NEEDLE\0SECRET\n"),
    },
    ["store.db"],
  );
  symlinkSync("my.key", place.at("link"));
  place.put("twice.txt", "NEEDLE SECRET\n");
  linkSync(place.at("twice.txt"), place.at("hard.txt"));
});
afterEach(() => place.close());

const search = (args: Record<string, unknown> = {}) =>
  place.call("search_by_regex", { pattern: "NEEDLE", ...args });

describe("a search", () => {
  it("finds lines in all files that need no approval, and in no other (D3, D4)", async () => {
    expect((await search()).split("\n")).toEqual([
      "-dash.txt:1:NEEDLE dash",
      "a.ts:2:NEEDLE one",
      "src/b.py:2:NEEDLE three",
    ]);
  });

  it.each([
    [{ ignore_case: true, path: "src" }, "src/b.py:1:needle two\nsrc/b.py:2:NEEDLE three"],
    [{ glob: "*.ts" }, "a.ts:2:NEEDLE one"],
    [{ glob: "src/**" }, "src/b.py:2:NEEDLE three"],
    [{ type: "py" }, "src/b.py:2:NEEDLE three"],
    [{ path: "a.ts" }, "a.ts:2:NEEDLE one"],
    [{ path: "a.ts", before: 1, after: 1 }, "a.ts-1-alpha\na.ts:2:NEEDLE one\na.ts-3-omega"],
    [{ pattern: "three$" }, "src/b.py:2:NEEDLE three"],
    [{ pattern: "alpha.NEEDLE", multiline: true }, "a.ts:1:alpha\na.ts:2:NEEDLE one"],
    [{ pattern: "-dash|--pre" }, "No matches found"],
    [{ output: "count" }, "-dash.txt:1\na.ts:1\nsrc/b.py:1"],
    [{ limit: 1 }, "-dash.txt:1:NEEDLE dash\n[There is more: narrow the search.]"],
    [{ pattern: "SECRET" }, "No matches found"],
  ])("with %j gives what it says (D3)", async (args, found) => {
    expect(await search(args)).toBe(found);
  });

  it.each([
    "--pre=sh",
    "-f/etc/passwd",
    "--",
  ])("takes %j as a pattern, never as an option (D3)", async (pattern) => {
    expect(await search({ pattern })).toBe("No matches found");
  });

  it.each([
    { pattern: "(" },
    { type: "nonesuch" },
    { glob: "{a,b}".repeat(20) },
  ])("says what is wrong with %j (D3)", async (args) => {
    await expect(search(args)).rejects.toMatchObject({ code: "invalid-request" });
  });

  it("isn't changed by ignore files or settings of ripgrep's own (D4)", async () => {
    place.put(".ignore", "!my.key\na.ts\n");
    place.put(".rgignore", "!build/\n");
    place.put("rgrc", "--no-ignore\n--follow\n");
    process.env.RIPGREP_CONFIG_PATH = place.at("rgrc");
    try {
      const found = await search();
      expect(found).toContain("a.ts:2:NEEDLE one");
      expect(found).not.toContain("SECRET");
    } finally {
      delete process.env.RIPGREP_CONFIG_PATH;
    }
  });

  it("asks for an ignored folder, and searches it once that is approved, following no link out of it (D3)", async () => {
    symlinkSync("../my.key", place.at("build/link"));
    mkdirSync(place.at("build/deep/.git"), { recursive: true });
    writeFileSync(place.at("build/deep/.git/config"), "NEEDLE token");
    expect((await place.examine("search_by_regex", { pattern: "NEEDLE", path: "build" })).asks).toEqual([
      "ignored-path",
    ]);
    expect(await place.granted("search_by_regex", { pattern: "NEEDLE", path: "build" })).toBe(
      "build/out.txt:1:NEEDLE SECRET",
    );
  });

  it("of one ignored file asks, and finds what stands in it once approved (D3)", async () => {
    const args = { pattern: "NEEDLE", path: "my.key" };
    await expect(place.call("search_by_regex", args)).rejects.toMatchObject({ code: "approval-needed" });
    expect(await place.granted("search_by_regex", args)).toBe("my.key:1:NEEDLE SECRET");
  });

  it("leaves out a file that is too long to be checked (D3)", async () => {
    place.put("long.txt", `NEEDLE first\n${"x".repeat(17 * 1024 * 1024)}`);
    expect(await search()).not.toContain("NEEDLE first");
    expect(await search({ path: "long.txt" })).toBe("No matches found");
  });

  it("goes through many files, more than one program start can take (D3)", async () => {
    const long = "x".repeat(200);
    for (let index = 0; index < 2500; index += 1) place.put(`many/${long}${index}.txt`, "NEEDLE many\n");
    const found = await searchChecked({ root: place.root, path: "many", pattern: "NEEDLE", limit: 10_000 });
    expect(found.effect === "allow" && found.matches.length).toBe(2500);
  });
});

describe("Grep", () => {
  it.each([
    [{}, "-dash.txt\na.ts\nsrc/b.py"],
    [{ head_limit: 1 }, "-dash.txt\n[There is more: narrow the search.]"],
    [{ output_mode: "content", "-n": false, path: "a.ts" }, "a.ts:NEEDLE one"],
    [{ output_mode: "content", "-C": 1, path: "a.ts" }, "a.ts-1-alpha\na.ts:2:NEEDLE one\na.ts-3-omega"],
    [
      { output_mode: "content", "-B": 1, "-i": true, type: "py" },
      "src/b.py:1:needle two\nsrc/b.py:2:NEEDLE three",
    ],
    [{ output_mode: "count", glob: "*.py" }, "src/b.py:1"],
  ])("takes the arguments that coding agents use: %j (E6)", async (args, found) => {
    expect(await place.call("Grep", { pattern: "NEEDLE", ...args })).toBe(found);
  });
});

describe("searchChecked", () => {
  it("gives the lines that need no approval (D3)", async () => {
    const { root } = place;
    const all = await searchChecked({ root, pattern: "NEEDLE", protect: [place.at("store.db")] });
    expect(all).toMatchObject({ effect: "allow", reason: "root", resolved: root, truncated: false });
    expect(all.effect === "allow" && all.matches.map(({ path, line }) => `${path}:${line}`)).toEqual([
      `${join(root, "-dash.txt")}:1`,
      `${join(root, "a.ts")}:2`,
      `${join(root, "src/b.py")}:2`,
    ]);
    expect(await searchChecked({ root, path: "a.ts", pattern: "NEEDLE" })).toMatchObject({
      reason: "not-ignored",
      matches: [{ path: join(root, "a.ts"), line: 2, text: "NEEDLE one" }],
    });
    expect(await searchChecked({ root, pattern: "NEEDLE", glob: "*.py", limit: 1 })).toMatchObject({
      matches: [{ line: 2 }],
    });
  });

  it.each([
    ["my.key", "ignored"],
    ["build", "ignored"],
    ["link", "ignored"],
    ["hard.txt", "several-links"],
    ["..", "outside"],
    [".git", "git-folder"],
    ["none", "missing"],
  ])("asks for %s (D3)", async (path, reason) => {
    expect(await searchChecked({ root: place.root, path, pattern: "NEEDLE" })).toMatchObject({
      effect: "ask",
      reason,
    });
  });

  it("doesn't go through a file that is too large, even where it is named (E6)", async () => {
    place.put("large.txt", "NEEDLE");
    truncateSync(place.at("large.txt"), 2 ** 40);
    const question = { root: place.root, path: "large.txt", pattern: "NEEDLE" };
    expect(await searchChecked(question)).toMatchObject({ effect: "allow", matches: [] });
    expect(await place.call("Grep", { path: "large.txt", pattern: "NEEDLE" })).toBe("No matches found");
  });

  it.each([
    "a\0b",
    "x".repeat(20_000),
  ])("says what is wrong with a pattern that no program takes", async (pattern) => {
    await expect(searchChecked({ root: place.root, pattern })).rejects.toMatchObject({
      code: "invalid-request",
    });
  });
});
