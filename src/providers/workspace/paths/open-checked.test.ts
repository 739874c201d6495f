import { execFileSync } from "node:child_process";
import { linkSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  createOtherGit,
  type TestRepository,
  testRepositories,
} from "../../../../test/fixtures/git-repository.ts";
import { MAX_FILE_BYTES } from "../limits.ts";
import { checkTarget } from "./check-path.ts";
import { type ExaminedPath, openChecked, openExamined, readChecked } from "./open-checked.ts";

const repositories = testRepositories();
const GIT = execFileSync("/bin/sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();

afterEach(() => {
  vi.unstubAllEnvs();
});

const inFolders = (): TestRepository => {
  const made = repositories.make();
  made.write("open/a.txt", "open words");
  made.write("build/a.txt", "secret words");
  return made;
};

async function examined({ root }: TestRepository, path: string): Promise<ExaminedPath> {
  const { resolved, identity } = await checkTarget({ root, path, kind: "file" });
  if (resolved === null || identity === null) throw new Error("It was not found.");
  return { path: resolved, identity };
}

describe("reading what was checked", () => {
  it("gives the bytes of a file that needn't be asked for, and none of one that does (D1)", async () => {
    const { root } = inFolders();
    expect(await readChecked({ root, path: "open/a.txt" })).toMatchObject({
      effect: "allow",
      reason: "not-ignored",
      content: Buffer.from("open words"),
      text: "open words",
    });
    expect(await readChecked({ root, path: ".env" })).toEqual({
      effect: "ask",
      reason: "ignored",
      resolved: `${root}/.env`,
    });
    expect(await openChecked({ root, path: "open" })).toMatchObject({ effect: "ask", reason: "wrong-kind" });
  });

  it.each<[string, (made: TestRepository) => void]>([
    [
      "the file is replaced by a link",
      ({ path }) => {
        rmSync(path("open/a.txt"));
        symlinkSync("../build/a.txt", path("open/a.txt"));
      },
    ],
    [
      "its folder is replaced by a link",
      ({ path }) => {
        renameSync(path("open"), path("was"));
        symlinkSync("build", path("open"));
      },
    ],
    ["another file is moved over it", ({ path }) => renameSync(path("build/a.txt"), path("open/a.txt"))],
    ["it is deleted", ({ path }) => rmSync(path("open/a.txt"))],
  ])("reads the file that was checked after %s (D4)", async (_, swap) => {
    const made = inFolders();
    const file = await openChecked({ root: made.root, path: "open/a.txt" });
    swap(made);
    if (file.effect === "ask") throw new Error("It asked.");
    expect((await file.read()).toString()).toBe("open words");
    await file.close();
  });

  // Git itself makes the swap, when it is asked about the path.
  it.each([
    ["the file by a link", "rm open/a.txt; ln -s ../build/a.txt open/a.txt"],
    ["its folder by a link", "mv open was; ln -s build open"],
    ["the file by another", "mv build/a.txt open/a.txt"],
    ["the file by another name of another", "ln -f build/a.txt open/a.txt"],
    ["the file by a pipe", "rm open/a.txt; mkfifo open/a.txt"],
  ])("asks where somebody replaces %s while it is checked (D4)", async (_, swap) => {
    const { root } = inFolders();
    const folder = repositories.folder();
    const once = `mkdir ${folder.path("once")} 2>/dev/null && { cd ${root}; ${swap}; }`;
    const asked = `case "$*" in *ls-files*) ( PATH=/usr/bin:/bin; ${once} ) ;; esac`;
    vi.stubEnv("PATH", createOtherGit(folder, asked, `exec ${GIT} "$@"`));
    expect(await openChecked({ root, path: "open/a.txt" })).toMatchObject({ effect: "ask" });
  });

  it("reads at most 64 MiB (D4)", async () => {
    const { root, write } = inFolders();
    truncateSync(write("large"), MAX_FILE_BYTES + 1);
    await expect(readChecked({ root, path: "large" })).rejects.toMatchObject({ code: "result-too-large" });
  });
});

describe("opening what was examined", () => {
  it.each<[string, (made: TestRepository) => void]>([
    ["another file", ({ path }) => renameSync(path("build/a.txt"), path("open/a.txt"))],
    [
      "a link to it",
      ({ path }) => {
        renameSync(path("open/a.txt"), path("moved"));
        symlinkSync("../moved", path("open/a.txt"));
      },
    ],
    [
      "the same file, by a folder that is a link",
      ({ path }) => {
        renameSync(path("open"), path("was"));
        symlinkSync("was", path("open"));
      },
    ],
    ["a file with a second name", ({ path }) => linkSync(path("open/a.txt"), path("second"))],
    ["nothing", ({ path }) => rmSync(path("open/a.txt"))],
  ])("refuses where %s lies there by then (D4)", async (_, change) => {
    const made = inFolders();
    const found = await examined(made, "open/a.txt");
    change(made);
    await expect(openExamined(found)).rejects.toMatchObject({ code: "target-changed" });
  });

  it("takes what a person said yes to, its second name too (D4)", async () => {
    const made = inFolders();
    linkSync(made.path(".env"), made.path("second"));
    const found = await examined(made, ".env");
    const handle = await openExamined({ ...found, linksApproved: true });
    expect(await handle.readFile("utf8")).toBe(".env\n");
    await handle.close();
    writeFileSync(made.path("tracked.txt"), "in place");
    const again = await openExamined(await examined(made, "tracked.txt"));
    expect(await again.readFile("utf8")).toBe("in place");
    await again.close();
  });
});
