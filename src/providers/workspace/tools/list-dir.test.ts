import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestWorkspace, type TestWorkspace } from "../workspace.test-kit.ts";

let place: TestWorkspace;
beforeEach(() => {
  place = openTestWorkspace(
    {
      "a.ts": "a",
      "src/b.ts": "b",
      "src/deep/c.md": "c",
      "my.key": "SECRET",
      "build/out.txt": "SECRET",
      "build/kept.txt": "kept",
      "inner/x.txt": "SECRET",
      "store.db": "SECRET",
      "twice.txt": "SECRET",
      "-odd name.txt": "odd",
    },
    ["store.db"],
  );
  mkdirSync(place.at("empty"));
  execFileSync("git", ["init", "-q", place.at("inner")]);
  execFileSync("mkfifo", [place.at("pipe")]);
  symlinkSync("my.key", place.at("link"));
  symlinkSync("/etc", place.at("etc"));
  linkSync(place.at("twice.txt"), place.at("again.txt"));
  place.git("add", "-f", "build/kept.txt");
});
afterEach(() => place.close());

const ALLOWED = ["-odd name.txt", ".gitignore", "a.ts", "src/b.ts", "src/deep/c.md"];

describe("a list", () => {
  it("of a folder leaves out what would need an approval (D3, D4)", async () => {
    const top = ["-odd name.txt", ".gitignore", "a.ts", "build/", "empty/", "src/"];
    expect((await place.call("list_dir", {})).split("\n")).toEqual(top);
    expect(await place.call("list_dir", { path: "src" })).toBe("b.ts\ndeep/");
    expect(await place.call("list_dir", { path: place.at("empty") })).toBe("[Nothing to show.]");
  });

  it("of all folders does so too (D3)", async () => {
    const names = (await place.call("list_dir", { recursive: true })).split("\n");
    expect(names.filter((name) => !name.endsWith("/"))).toEqual([...ALLOWED, "build/kept.txt"].toSorted());
    expect(names.filter((name) => name.endsWith("/"))).toEqual(["build/", "empty/", "src/", "src/deep/"]);
  });

  it("of the working tree is what git lists, and each of it an ordinary file (D3)", async () => {
    const all = await place.call("list_working_tree", {});
    expect(all.split("\n").toSorted()).toEqual([...ALLOWED, "build/kept.txt"].toSorted());
    expect(await place.call("list_working_tree", { path: "src" })).toBe("src/b.ts\nsrc/deep/c.md");
  });

  it("of the working tree in an ignored folder shows what git tracks there, and asks nobody (D3)", async () => {
    expect(await place.tool("list_working_tree").needsApproval({ path: "build" })).toBe(false);
    expect(await place.call("list_working_tree", { path: "build" })).toBe("build/kept.txt");
  });

  it.each([
    ["list_dir", "build", ["ignored-path"]],
    ["list_dir", ".git", ["git-folder"]],
    ["list_dir", "..", ["outside-workspace"]],
    ["list_dir", "etc", ["outside-workspace"]],
    ["list_dir", "inner", ["nested-repository"]],
    ["list_dir", "my.key", ["ignored-path"]],
    ["list_working_tree", "..", ["outside-workspace"]],
    ["list_working_tree", ".git", ["git-folder"]],
    ["Glob", "build", ["ignored-path"]],
  ])("by %s of %s asks (D3, D2)", async (name, path, asks) => {
    const args = name === "Glob" ? { path, pattern: "*" } : { path };
    expect(await place.tool(name).needsApproval(args)).toBe(true);
    expect((await place.examine(name, args)).asks).toEqual(asks);
    await expect(place.call(name, args)).rejects.toMatchObject({ code: "approval-needed" });
  });

  it("of an approved folder shows all of it, but nothing that is protected, and follows no link (D3)", async () => {
    place.put("build/deep/x.txt", "x");
    linkSync(place.at("store.db"), place.at("build/store-again"));
    symlinkSync("/etc", place.at("build/etc"));
    const names = await place.granted("list_dir", { path: "build", recursive: true });
    expect(names.split("\n")).toEqual(["deep/", "deep/x.txt", "etc (link)", "kept.txt", "out.txt"]);
  });

  it("of an approved folder that is another one by then isn't given (D2)", async () => {
    const late = place.granted("list_dir", { path: "build" }, () => {
      renameSync(place.at("build"), place.at("other"));
      mkdirSync(place.at("build"));
    });
    await expect(late).rejects.toMatchObject({ code: "target-changed" });
  });

  it("asks where git can't say what is ignored (D3)", async () => {
    writeFileSync(place.at(".git/config"), "[core\n");
    expect((await place.examine("list_dir", {})).asks).toEqual(["git-unavailable"]);
    expect(await place.tool("list_working_tree").needsApproval({})).toBe(true);
  });

  it("shows no name that would break its line (D3)", async () => {
    writeFileSync(join(place.root, "two\nlines.txt"), "");
    expect(await place.call("list_dir", {})).not.toContain("two\nlines");
  });
});

describe("Glob", () => {
  it.each([
    ["**/*.ts", ["a.ts", "src/b.ts"]],
    ["*.{ts,md}", ["a.ts"]],
    ["src/**", ["src/b.ts", "src/deep/c.md"]],
    ["*.key", []],
    ["inner/*", []],
    ["*.db", []],
  ])("finds %s without what needs an approval (E6)", async (pattern, names) => {
    const found = await place.call("Glob", { pattern });
    expect(found === "No files found" ? [] : found.split("\n").toSorted()).toEqual(names);
  });

  it("says that a pattern takes too long, and asks nobody about it (D3)", async () => {
    for (let at = 0; at < 1000; at += 1) place.put(`many/${"a".repeat(30)}${at}`, "");
    const pattern = `**/${"{*,a}".repeat(8)}${"*?".repeat(450)}b`;
    await expect(place.call("Glob", { pattern })).rejects.toMatchObject({ code: "invalid-request" });
  });

  it("looks in a folder, and shows paths that the other tools take (E6)", async () => {
    expect(await place.call("Glob", { pattern: "**/*.md", path: "src" })).toBe("src/deep/c.md");
  });
});

/** An index as git reads it, with names that git itself would never put there. */
function indexOf(...names: readonly string[]): Buffer {
  const head = Buffer.from(`DIRC\0\0\0\x02\0\0\0${String.fromCharCode(names.length)}`, "latin1");
  const entries = names.map((name) => {
    const entry = Buffer.alloc(Math.floor((62 + name.length + 8) / 8) * 8);
    entry.writeUInt32BE(0o100644, 24);
    entry.writeUInt16BE(name.length, 60);
    entry.write(name, 62);
    return entry;
  });
  const content = Buffer.concat([head, ...entries]);
  return Buffer.concat([content, createHash("sha1").update(content).digest()]);
}

describe("an index that somebody made by hand", () => {
  it.each([
    "../secret.txt",
    "src/../../secret.txt",
    "src/../my.key",
  ])("with %s in it asks (D4)", async (name) => {
    writeFileSync(join(place.base, "secret.txt"), "SECRET");
    writeFileSync(place.at(".git/index"), indexOf("a.ts"));
    expect(await place.call("Glob", { pattern: "*.ts" })).toBe("a.ts");
    writeFileSync(place.at(".git/index"), indexOf(name));
    for (const tool of ["list_dir", "list_working_tree"]) {
      expect(await place.examine(tool, {})).toMatchObject({ asks: ["git-unavailable"] });
      await expect(place.call(tool, {})).rejects.toMatchObject({ code: "approval-needed" });
    }
  });
});
