import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  createOtherGit,
  type TestRepository,
  testRepositories,
} from "../../../../test/fixtures/git-repository.ts";
import { askForList, askForNames } from "./git.ts";
import { findRepository } from "./repository.ts";

const repositories = testRepositories();

afterEach(() => {
  vi.unstubAllEnvs();
});

async function listOf({ root }: TestRepository, folder = ""): Promise<unknown> {
  const repository = await findRepository(root);
  if (repository === null) throw new Error("There is no repository.");
  const list = await askForList(repository, folder);
  return list.answer === "listed" ? list.paths.toSorted() : list.answer;
}

describe("the list of git", () => {
  it("holds what is tracked or not ignored, below the folder alone (D4)", async () => {
    const made = repositories.make();
    for (const name of ["sub/b", "sub/.env", "sub*/c", "subject"]) made.write(name);
    expect(await listOf(made)).toEqual([
      ".gitignore",
      "new.txt",
      "sub*/c",
      "sub/b",
      "subject",
      "tracked.txt",
    ]);
    expect(await listOf(made, "sub")).toEqual(["sub/b"]);
    expect(await listOf(made, "sub*")).toEqual(["sub*/c"]);
  });

  it("leaves out what the person ignores, also where the repository names another file (D4)", async () => {
    const made = repositories.make();
    const home = repositories.folder();
    vi.stubEnv("HOME", home.root);
    vi.stubEnv("XDG_CONFIG_HOME", undefined);
    home.write(".config/git/ignore", "*.key\n");
    made.write("a.key");
    made.git("config", "core.excludesFile", made.write("theirs", "new.txt\n"));
    expect(await listOf(made)).toEqual([".gitignore", "theirs", "tracked.txt"]);
  });

  it("is still one where some folder has ignore rules that git can't read, and none where the person's can't be (D4)", async () => {
    const made = repositories.make();
    mkdirSync(made.path("odd"));
    symlinkSync("../.gitignore", made.path("odd/.gitignore"));
    writeFileSync(Buffer.concat([Buffer.from(`${made.root}/`), Buffer.from([0xff])]), "");
    expect(await listOf(made)).toContain("tracked.txt");
    const complaint = "warning: unable to access '/home/a/.gitignore': Permission denied";
    vi.stubEnv(
      "PATH",
      createOtherGit(repositories.folder(), `echo "${complaint}" >&2`, "printf 'H tracked.txt\\0'"),
    );
    expect(await listOf(made)).toBe("unclear");
  });

  it("is whole where git warns of a setting that is old, of sparse patterns and of ignore rules elsewhere (D4)", async () => {
    const made = repositories.make();
    mkdirSync(made.path("odd"));
    symlinkSync("../.gitignore", made.path("odd/.gitignore"));
    made.git("config", "core.fsyncObjectFiles", "true");
    made.git("config", "core.sparseCheckout", "true");
    made.git("config", "core.sparseCheckoutCone", "true");
    made.git("config", "index.sparse", "true");
    made.write(".git/info/sparse-checkout", "/*\n!*.bin\n");
    expect(await listOf(made)).toContain("tracked.txt");
    const repository = await findRepository(made.root);
    expect(repository && (await askForNames(repository, ["tracked.*"]))).toEqual(["tracked.txt"]);
  });
});
