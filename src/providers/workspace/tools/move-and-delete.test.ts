import { linkSync, mkdirSync, readdirSync, renameSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestWorkspace, type TestWorkspace } from "../workspace.test-kit.ts";
import { createWorkspace } from "../workspace.ts";

let place: TestWorkspace;
beforeEach(() => {
  place = openTestWorkspace(
    { "a.txt": "a\n", "b.txt": "b\n", "src/c.txt": "c\n", "my.key": "SECRET\n", "safe/store.db": "SECRET" },
    ["safe/store.db"],
  );
});
afterEach(() => place.close());

const names = (): string[] => readdirSync(place.root).filter((name) => name !== ".git");

describe("delete_file", () => {
  it("deletes a file, and shows what goes (D3, D6-targets)", async () => {
    expect(await place.examine("delete_file", { path: "a.txt" })).toMatchObject({
      targets: [{ path: place.at("a.txt"), content: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      preview: "--- a.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n",
    });
    await place.granted("delete_file", { path: "a.txt" });
    expect(names()).toEqual([".gitignore", "b.txt", "my.key", "safe", "src"]);
  });

  it.each(["link", "src", "none.txt"])("doesn't delete %s (D3)", async (path) => {
    symlinkSync("a.txt", place.at("link"));
    const before = names();
    await expect(place.granted("delete_file", { path })).rejects.toMatchObject({ code: "invalid-request" });
    expect([names(), place.get("a.txt")]).toEqual([before, "a\n"]);
  });

  it.each<[string, () => void]>([
    ["changed", () => place.put("a.txt", "other")],
    [
      "is another one",
      () => {
        renameSync(place.at("a.txt"), place.at("old.txt"));
        renameSync(place.at("b.txt"), place.at("a.txt"));
      },
    ],
  ])("deletes nothing where the file %s by then (D2)", async (_, meanwhile) => {
    await expect(place.granted("delete_file", { path: "a.txt" }, meanwhile)).rejects.toMatchObject({
      code: "target-changed",
    });
    expect([place.has("a.txt"), names().some((name) => name.endsWith(".tmp"))]).toEqual([true, false]);
  });

  it("asks besides for an ignored file and for what decides what is ignored (D3)", async () => {
    expect((await place.examine("delete_file", { path: "my.key" })).asks).toEqual(["ignored-path"]);
    expect((await place.examine("delete_file", { path: ".gitignore" })).asks).toEqual(["protected-name"]);
  });
});

describe("create_dir", () => {
  it("makes a folder and those above it (D3)", async () => {
    await place.granted("create_dir", { path: "x/y/z/" });
    expect(readdirSync(place.at("x"), { recursive: true })).toEqual(["y", "y/z"]);
  });

  it.each([
    ["build", ["ignored-path"]],
    ["../x", ["outside-workspace"]],
    ["x/.git", ["git-folder"]],
    ["src", ["unclear-path"]],
  ])("asks besides for %s (D3)", async (path, asks) => {
    expect((await place.examine("create_dir", { path })).asks).toEqual(asks);
  });

  it("makes nothing where something lies there by then (D2)", async () => {
    const late = place.granted("create_dir", { path: "x/y" }, () => symlinkSync("/tmp", place.at("x")));
    await expect(late).rejects.toMatchObject({ code: "target-changed" });
  });
});

describe("rename", () => {
  it.each([
    ["from", "to"],
    ["source", "destination"],
    ["old_path", "new_path"],
  ])("takes `%s` and `%s`, and makes folders that are missing (D3)", async (from, to) => {
    await place.granted("rename", { [from]: "a.txt", [to]: "x/y/a2.txt" });
    expect([place.has("a.txt"), place.get("x/y/a2.txt")]).toEqual([false, "a\n"]);
  });

  it("replaces nothing unless it is told to (D3)", async () => {
    const args = { from: "a.txt", to: "b.txt" };
    await expect(place.granted("rename", args)).rejects.toMatchObject({ code: "invalid-request" });
    expect([place.get("a.txt"), place.get("b.txt")]).toEqual(["a\n", "b\n"]);
    await place.granted("rename", { ...args, overwrite: true });
    expect([place.has("a.txt"), place.get("b.txt")]).toEqual([false, "a\n"]);
  });

  it("examines both ends (D2, D6-targets)", async () => {
    const examined = await place.examine("rename", { from: "my.key", to: "../x" });
    expect(examined.asks).toEqual(["ignored-path", "outside-workspace"]);
    expect(examined.targets.map(({ path }) => path)).toEqual([place.at("my.key"), `${place.base}/x`]);
  });

  it.each<[string, () => void]>([
    ["the new path is taken", () => place.put("new.txt", "theirs")],
    ["the old file changed", () => place.put("a.txt", "other")],
    [
      "the old path is a link",
      () => {
        renameSync(place.at("a.txt"), place.at("old.txt"));
        symlinkSync("my.key", place.at("a.txt"));
      },
    ],
  ])("moves nothing where %s by then (D2)", async (_, meanwhile) => {
    const late = place.granted("rename", { from: "a.txt", to: "new.txt" }, meanwhile);
    await expect(late).rejects.toMatchObject({ code: "target-changed" });
    expect([place.has("a.txt"), place.get("my.key")]).toEqual([true, "SECRET\n"]);
  });

  it("moves a folder with all that is in it (D3)", async () => {
    await place.granted("rename", { from: "src", to: "lib" });
    expect([place.has("src"), place.get("lib/c.txt")]).toEqual([false, "c\n"]);
  });

  it.each<[string, () => void, string]>([
    [
      "an ignored file, for which other rules could count then",
      () => place.put("src/x.key", ""),
      "ignored-path",
    ],
    ["what decides what is ignored", () => place.put("src/.gitignore", "x"), "protected-name"],
    [
      "a file with another name elsewhere",
      () => linkSync(place.at("my.key"), place.at("src/x.txt")),
      "ignored-path",
    ],
  ])("asks besides for a folder that holds %s (D3)", async (_, prepare, cause) => {
    prepare();
    expect((await place.examine("rename", { from: "src", to: "lib" })).asks).toEqual([cause]);
  });

  it("asks besides for a folder that gets deeper than a path may be (D3)", async () => {
    const deep = (name: string, depth: number): string => [name, ...Array(depth).fill("d")].join("/");
    mkdirSync(place.at(deep("one", 40)), { recursive: true });
    mkdirSync(place.at(deep("two", 40)), { recursive: true });
    expect((await place.examine("rename", { from: "one", to: "three" })).asks).toEqual([]);
    const further = { from: "one", to: `${deep("two", 40)}/one` };
    expect((await place.examine("rename", further)).asks).toEqual(["unclear-path"]);
  });

  it.each([
    ["src", "src/inner"],
    ["src", "safe"],
    [".", "x"],
    ["link", "x"],
  ])("doesn't move %s to %s (D3)", async (from, to) => {
    symlinkSync("src", place.at("link"));
    mkdirSync(place.at("other"));
    await expect(place.granted("rename", { from, to })).rejects.toMatchObject({
      code: expect.stringMatching(/^(invalid-request|forbidden)$/),
    });
    expect(place.get("src/c.txt")).toBe("c\n");
  });

  it("doesn't move a folder that holds a link to what is protected, whoever says yes (D3)", async () => {
    mkdirSync(place.at("conf"));
    symlinkSync("../src/c.txt", place.at("conf/policy.yaml"));
    const workspace = createWorkspace({ root: place.root, protect: [place.at("conf/policy.yaml")] });
    const rename = workspace.tools.get("rename");
    const args = { from: "conf", to: "x" };
    const examined = await rename?.examine(args);
    expect(examined).toMatchObject({ isProtected: true });
    await expect(rename?.execute(args, examined)).rejects.toMatchObject({ code: "forbidden" });
    workspace.close();
  });

  it("asks where a folder brings a file that git's settings name (D1)", async () => {
    place.git("config", "include.path", "../tools/git.inc");
    place.put("x/git.inc", "[core]\n");
    expect((await place.examine("rename", { from: "x", to: "tools" })).asks).toEqual(["protected-name"]);
    expect((await place.examine("rename", { from: "x", to: "other" })).asks).toEqual([]);
  });

  it("puts nothing in the place of what is protected with a folder, whoever says yes (D3, D4)", async () => {
    place.put("x/deep/policy.yaml", "version: 1");
    place.put("y/settings.json", "{}");
    place.put("z/app/.claude/settings.local.json", "{}");
    const workspace = createWorkspace({ root: place.root, protect: [place.at("conf/deep/policy.yaml")] });
    const rename = workspace.tools.get("rename");
    for (const [from, to, isProtected] of [
      ["x", "conf", true],
      ["x/deep", "conf/deep", true],
      ["y", "lib/.claude", true],
      ["z", "moved", true],
      ["x", "other", undefined],
    ] as const)
      expect([from, to, (await rename?.examine({ from, to }))?.isProtected]).toEqual([from, to, isProtected]);
    workspace.close();
  });

  it("doesn't move a folder that holds what is protected, whoever says yes (D3)", async () => {
    await expect(place.granted("rename", { from: "safe", to: "x" })).rejects.toMatchObject({
      code: "forbidden",
    });
  });
});

describe("a worktree in the workspace", () => {
  beforeEach(() => {
    place.git("add", ".");
    place.git("commit", "-qm", "one");
    place.git("worktree", "add", "-q", "trees/one");
    place.put("trees/one/my.key", "SECRET\n");
  });
  const asks = async (name: string, args: Readonly<Record<string, string>>) =>
    (await place.examine(name, args)).asks;

  it("has its files moved and deleted like others, and isn't moved itself (D3)", async () => {
    expect(await asks("rename", { from: "trees/one/src", to: "trees/one/lib" })).toEqual([]);
    expect(await asks("rename", { from: "trees/one/a.txt", to: "moved.txt" })).toEqual([]);
    expect(await asks("delete_file", { path: "trees/one/b.txt" })).toEqual([]);
    expect(await asks("delete_file", { path: "trees/one/my.key" })).toEqual(["ignored-path"]);
    expect(await asks("rename", { from: "trees/one", to: "trees/two" })).toContain("nested-repository");
    expect(await asks("rename", { from: "trees", to: "other" })).not.toEqual([]);
    expect(await asks("rename", { from: "src", to: "trees/one/.husky" })).toContain("protected-name");
  });

  it("keeps a folder in which the workspace's git finds its rules (D3)", async () => {
    place.git("config", "core.excludesFile", place.at("trees/one/src/c.txt"));
    expect(await asks("rename", { from: "trees/one/src", to: "trees/one/lib" })).toEqual(["protected-name"]);
  });
});

describe("rename of a folder", () => {
  it("needs approval where a link with a protected name leads into it, before or afterwards (D3)", async () => {
    place.put("conf/mcp.json", "{}");
    place.put("other/mcp.json", "{}");
    symlinkSync("conf/mcp.json", place.at(".mcp.json"));
    const asksOf = async (from: string, to: string) => (await place.examine("rename", { from, to })).asks;
    expect(await asksOf("conf", "conf2")).toEqual(["protected-name"]);
    expect(await asksOf("other", "other2")).toEqual([]);
    renameSync(place.at("conf"), place.at("conf2"));
    expect(await asksOf("other", "conf")).toEqual(["protected-name"]);
    expect(await asksOf("src", "lib")).toEqual([]);
  });
});
