import { expect, it } from "vitest";
import { hasGitFolder, isGitFolderName } from "./git-folder-name.ts";

it("knows git's folder in any case, and as other file systems read it (D4)", () => {
  const names = [".git", ".GIT", ".Git", ".git ", ".git.", ".git. .", "GIT~1", ".g\u200cit", ".git::$DATA"];
  expect(names.filter((name) => !isGitFolderName(name))).toEqual([]);
  const others = [
    ".gitignore",
    ".github",
    "git",
    "a.git",
    ".gi",
    "git~12",
    ".gitkeep",
    ".git-blame-ignore-revs",
  ];
  expect(others.filter(isGitFolderName)).toEqual([]);
  expect(["/a/.git/b", "/a/.GIT", "/a/git/b", "/"].map(hasGitFolder)).toEqual([true, true, false, false]);
});
