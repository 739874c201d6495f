import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestWorkspace, type TestWorkspace } from "./workspace.test-kit.ts";

let place: TestWorkspace;
beforeAll(() => {
  place = openTestWorkspace({ "a.txt": "one\n", "build/out.txt": "two\n" });
  mkdirSync(join(place.base, "other"));
  writeFileSync(join(place.base, "other", "there.txt"), "three\n");
});
afterAll(() => place.close());

const TOOLS = [
  ["Read", (path: string) => ({ file_path: path })],
  ["list_dir", (path: string) => ({ path })],
  ["Grep", (path: string) => ({ pattern: "x", path })],
  ["Glob", (path: string) => ({ pattern: "*", path })],
  ["Write", (path: string) => ({ file_path: path, content: "x" })],
  ["Edit", (path: string) => ({ file_path: path, old_string: "x", new_string: "y" })],
  ["delete_file", (path: string) => ({ path })],
  ["rename", (path: string) => ({ from: "a.txt", to: path })],
  ["create_dir", (path: string) => ({ path })],
] as const;

describe("why a call asks", () => {
  it.each(TOOLS)("says nothing of what lies outside: %s (D1)", async (tool, toArguments) => {
    const paths = ["there.txt", "none.txt", "none/x.txt", "there.txt/x", "."].map((name) =>
      join(place.base, "other", name),
    );
    const asked = await Promise.all(paths.map((path) => place.examine(tool, toArguments(path))));
    expect(asked.map(({ asks }) => asks)).toEqual(paths.map(() => ["outside-workspace"]));
  });

  it.each(
    TOOLS.slice(0, 4),
  )("says nothing of what lies in an ignored folder: %s (D1)", async (tool, toArguments) => {
    const asked = await Promise.all(
      ["build/out.txt", "build/none.txt", "build/none/x.txt"].map((path) =>
        place.examine(tool, toArguments(path)),
      ),
    );
    expect(asked.map(({ asks }) => asks)).toEqual([["ignored-path"], ["ignored-path"], ["ignored-path"]]);
  });
});
