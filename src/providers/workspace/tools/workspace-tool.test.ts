import { statSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BUILTIN_TOOLS, toWorkspaceDeclaration } from "../../../core/index.ts";
import { openTestWorkspace, type TestWorkspace } from "../workspace.test-kit.ts";
import { createWorkspace, needsApproval } from "../workspace.ts";

let place: TestWorkspace;
beforeEach(() => {
  place = openTestWorkspace({ "a.txt": "a\n", "my.key": "SECRET" });
});
afterEach(() => place.close());

const WRITING: Readonly<Record<string, object>> = {
  write_text_file: { filepath: "a.txt", content: "x" },
  edit_text_file: { filepath: "a.txt", old_string: "a", new_string: "b" },
  create_dir: { path: "x" },
  delete_file: { path: "a.txt" },
  rename: { from: "a.txt", to: "b.txt" },
  run_command: { command: "touch ran" },
  Write: { file_path: "a.txt", content: "x" },
  Edit: { file_path: "a.txt", old_string: "a", new_string: "b" },
  Bash: { command: "touch ran" },
};

const READING: Readonly<Record<string, object>> = {
  read_text_file: { filepath: "a.txt" },
  count_text_file_lines: { filepath: "a.txt" },
  list_dir: {},
  list_working_tree: {},
  search_by_regex: { pattern: "a" },
  Read: { file_path: "a.txt" },
  Glob: { pattern: "*" },
  Grep: { pattern: "a" },
};

const declared = toWorkspaceDeclaration().tools ?? {};

const state = (): unknown => [
  place.git("status", "--short"),
  place.get("a.txt"),
  statSync(place.at("a.txt")).mtimeMs,
];

describe("the tools of a workspace", () => {
  it("are those of the list, each declared (D3, E6)", () => {
    const names = [...Object.keys(READING), ...Object.keys(WRITING)].toSorted();
    expect([...place.workspace.tools.keys()].toSorted()).toEqual(names);
    expect(Object.keys(declared).toSorted()).toEqual(names);
    for (const name of ["Read", "Write", "Edit", "Bash", "Glob", "Grep"])
      expect(BUILTIN_TOOLS.has(name)).toBe(true);
  });

  it("always ask before they change something, by their declaration and by themselves (D2, D3)", async () => {
    for (const [name, args] of Object.entries(WRITING)) {
      expect([name, declared[name]?.approval]).toEqual([name, "always"]);
      expect([name, await place.tool(name).needsApproval(args)]).toEqual([name, true]);
      await expect(place.tool(name).execute(args)).rejects.toMatchObject({ code: "approval-needed" });
    }
    expect(place.get("a.txt")).toBe("a\n");
  });

  it("read the project's own files without asking (D2, D3)", async () => {
    for (const [name, args] of Object.entries(READING)) {
      expect([name, declared[name]?.approval ?? "never"]).toEqual([name, "never"]);
      expect([name, await place.tool(name).needsApproval(args)]).toEqual([name, false]);
      expect((await place.tool(name).execute(args)).isError).toBeUndefined();
    }
  });

  it("leave everything as it is when they are asked whether they need an approval (D2)", async () => {
    const before = state();
    for (const [name, args] of Object.entries({ ...READING, ...WRITING }))
      await place.tool(name).needsApproval(args);
    expect([state(), place.has("ran")]).toEqual([before, false]);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a list", ["a.txt"]],
    ["a text", "a.txt"],
    ["another name", { file: "a.txt" }],
    ["too many names", { file_path: "a.txt", path: "a.txt" }],
    ["a number", { file_path: 1 }],
    ["an empty path", { file_path: "" }],
    ["a NUL", { file_path: "a\0b" }],
    ["half a character", { file_path: "\ud800" }],
    ["a part of a line", { file_path: "a.txt", offset: 1.5 }],
    ["a line before the first", { file_path: "a.txt", offset: 0 }],
    ["a name that every object has", { file_path: "a.txt", constructor: 1 }],
  ])("given %s ask, and say what is wrong (D2)", async (_, args) => {
    const tool = place.tool("Read");
    expect(await tool.needsApproval(args)).toBe(true);
    await expect(tool.execute(args)).rejects.toMatchObject({ code: "invalid-request" });
  });

  it("take no value of an argument into what they say of it (D2)", async () => {
    await expect(place.tool("Read").execute({ "my secret\nkey": 1 })).rejects.toMatchObject({
      why: expect.stringContaining("`my?secret?key`"),
    });
  });

  it("run only what they examined themselves, with the same arguments (D2)", async () => {
    const args = { file_path: "my.key" };
    const examined = await place.examine("Read", args);
    const other = await place.examine("Read", { file_path: "a.txt" });
    const foreign = await place.examine("Write", { file_path: "a.txt", content: "" });
    for (const wrong of [other, foreign, { asks: [], targets: [] }, { ...examined, checked: {} }]) {
      await expect(place.tool("Read").execute(args, wrong)).rejects.toMatchObject({
        code: "invalid-request",
      });
    }
    expect(await place.tool("Read").execute({ ...args, offset: undefined }, examined)).toMatchObject({
      content: [{}],
    });
  });

  it("run no more once their workspace is closed (D3)", async () => {
    place.workspace.close();
    await expect(place.call("Read", { file_path: "a.txt" })).rejects.toMatchObject({
      code: "upstream-unavailable",
    });
  });

  it.each(["nonesuch", "root/a.txt"])("need a folder, which %s isn't (D3)", (root) => {
    expect(() => createWorkspace({ root: `${place.base}/${root}` })).toThrow(
      expect.objectContaining({ code: "usage" }),
    );
  });
});

it("says by one function whether a tool would need a person, and that one must in doubt (D2)", async () => {
  const asks = (tool: string, args: object) =>
    needsApproval({ root: place.root, tool, arguments: { ...args } });
  expect(await asks("Read", { file_path: "a.txt" })).toBe(false);
  expect(await asks("Read", { file_path: "my.key" })).toBe(true);
  expect(await asks("Write", { file_path: "a.txt", content: "x" })).toBe(true);
  expect(await asks("NoSuchTool", {})).toBe(true);
  expect(await needsApproval({ root: `${place.root}/none`, tool: "Read", arguments: {} })).toBe(true);
});
