/** What the tests of role agents share: repositories of the real git, and agents whose model plays a script. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { TestRepository } from "../../../test/fixtures/git-repository.ts";
import { call, type Part, say, scriptedModel } from "../../../test/fixtures/planner-office.ts";

export { type TestRepository, testRepositories } from "../../../test/fixtures/git-repository.ts";
export { call, type Part, say, scriptedModel };

/** A JavaScript file with an error that Node itself finds, and how to mend it. */
export const BROKEN = "export const sum = (a, b) => {\n  return a + b;\n";
export const MENDED = "export const sum = (a, b) => {\n  return a + b;\n};\n";

/** What a real check says of a JavaScript file; null where it accepts it. */
export function checkScript(file: string): string | null {
  try {
    execFileSync(process.execPath, ["--check", file], { stdio: "pipe", encoding: "utf8" });
    return null;
  } catch (error) {
    return String(Object(error).stderr);
  }
}

export const read = (repository: TestRepository, name: string): string =>
  readFileSync(repository.path(name), "utf8");

/** A step of a script that writes a file. */
export const write = (file_path: string, content: string, id?: string): Part =>
  call("Write", { file_path, content }, id);

export const edit = (file_path: string, old_string: string, new_string: string, id?: string): Part =>
  call("Edit", { file_path, old_string, new_string }, id);
