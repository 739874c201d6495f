/** The workspace as one run has it: fewer tools, one file, and what lay in files before. */
import { expect, it } from "vitest";
import { testRepositories } from "../../../test/fixtures/git-repository.ts";
import { createWorkspace, createWorkspaceProvider } from "../../providers/workspace/index.ts";
import { type WatchOptions, watchWorkspace } from "./watched-workspace.ts";

const project = testRepositories().make();
const workspace = createWorkspaceProvider(createWorkspace({ root: project.root }));
const watch = (options: Partial<WatchOptions> = {}) =>
  watchWorkspace(workspace, { tools: ["Read", "Write"], only: null, before: new Map(), ...options });

const written = async ({ provider }: ReturnType<typeof watch>, file_path: string) => {
  const args = { file_path, content: "x" };
  const examined = await provider.examine?.("Write", args);
  return provider.run("Write", args, examined ? { examined } : {});
};

it("offers and runs the tools that it was given, and no others (E3)", async () => {
  const { provider } = watch();
  expect([...provider.tools.keys()].toSorted()).toEqual(["Read", "Write"]);
  const refused = await provider.run("delete_file", { path: "new.txt" }, {});
  expect(refused.isError).toBe(true);
  expect(refused.content[0]?.text).toContain("changed nothing");
});

it("notes what lay in a file before the first of several changes (E4)", async () => {
  const watched = watch();
  expect(watched.wrote).toBe(false);
  await written(watched, "fresh.txt");
  await written(watched, "fresh.txt");
  expect([watched.wrote, [...watched.before]]).toEqual([true, [[project.path("fresh.txt"), null]]]);
});

it("lets nothing be changed where it can't be determined which file a call is about (E4)", async () => {
  const { examine: _, ...blind } = workspace;
  const options = { tools: ["Write"], only: project.path("new.txt"), before: new Map() };
  const watched = watchWorkspace(
    { ...blind, tools: workspace.tools, status: "ready", problem: null },
    options,
  );
  const result = await watched.provider.run("Write", { file_path: "new.txt", content: "x" }, {});
  expect([result.isError, watched.wrote]).toEqual([true, false]);
});
