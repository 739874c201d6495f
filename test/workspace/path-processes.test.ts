/** The part of the catalogue of paths that takes a process, or a time limit, for each case. */
import { describe, expect, it } from "vitest";
import { BROKEN_GIT } from "./broken-git.case.ts";
import { ENVIRONMENT } from "./environment.case.ts";
import { describeCases, folderOfCases } from "./run-case.ts";

const folder = folderOfCases();

describe("the catalogue of paths, in processes of their own", () => {
  it("has cases with titles of their own (D4)", () => {
    const titles = [...ENVIRONMENT, ...BROKEN_GIT].map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
  });

  describeCases(folder, "an inherited environment", ENVIRONMENT);
  describeCases(folder, "a broken git", BROKEN_GIT);
});
