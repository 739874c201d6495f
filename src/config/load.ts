/** From a policy file to a policy and what it names, read from the disk. */

import { statSync } from "node:fs";
import type { Policy } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import type { Environment } from "./environment.ts";
import { type Config, parseConfig } from "./parse.ts";
import { quote } from "./quote.ts";
import { UnreadableFileError, wordTooLarge } from "./read-named.ts";
import { readTextFile, whyUnreadable } from "./read-text.ts";
import { LARGEST_FILE, POLICY_KIND } from "./read-yaml.ts";
import { createReport, invalidPolicy, START } from "./report.ts";

export interface LoadOptions {
  /** Where `${NAME}` is looked up; by default the environment of this process. */
  readonly environment?: Environment;
}

/**
 * Reads a policy file.
 * @throws SluicegateError `policy-unreadable` where there is no such file; `policy-invalid` with everything that
 * is wrong with it, by line and column, in `details.problems`.
 */
export async function loadConfig(path: string, options: LoadOptions = {}): Promise<Config> {
  const environment = options.environment ?? process.env;
  return parseConfig(await readPolicy(path), { file: path, environment, checkFolder, readText });
}

/** The policy alone of a policy file. Throws as `loadConfig` does. */
export async function loadPolicy(path: string, options: LoadOptions = {}): Promise<Policy> {
  return (await loadConfig(path, options)).policy;
}

function checkFolder(path: string): string | null {
  try {
    return statSync(path).isDirectory() ? null : "is no folder";
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return isMissing ? "does not exist" : "can't be read";
  }
}

async function readPolicy(path: string): Promise<string> {
  const found = await readTextFile(path, LARGEST_FILE).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  if (found.kind === "text") return found.text;
  const report = createReport(path);
  if (found.kind === "too-large") report.add(START, ...POLICY_KIND.tooLarge);
  else report.add({ line: found.line, column: 1 }, "This line is not UTF-8 text.", "Save the file as UTF-8.");
  throw invalidPolicy(report);
}

const FIXES: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "Check the path, or write a first policy with `sluicegate init`."],
  ["EISDIR", "Name the policy file in it, such as `sluicegate.yaml`."],
  ["EACCES", "Change the file's permissions or the user."],
]);

function unreadable(path: string, cause: unknown): SluicegateError {
  const { code, why } = whyUnreadable(cause);
  return new SluicegateError("policy-unreadable", `The policy file ${quote(path)} can't be read.`, {
    why,
    fix: FIXES.get(code) ?? "Check the path and the disk.",
    details: { file: path, code },
    cause,
  });
}

/** A file that the policy names. Rejects with a sentence of why it can't be read. */
async function readText(path: string, largest: number): Promise<string> {
  const found = await readTextFile(path, largest).catch((cause: unknown) => {
    throw new UnreadableFileError(whyUnreadable(cause).why);
  });
  if (found.kind === "text") return found.text;
  if (found.kind === "not-utf8") throw new UnreadableFileError(`Its line ${found.line} is not UTF-8 text.`);
  throw new UnreadableFileError(wordTooLarge(largest));
}
