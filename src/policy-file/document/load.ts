/** From a policy file to a policy and what it names, read from the disk. */

import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Policy } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { type Config, parseConfig } from "../parse.ts";
import { envFileOf, environmentOf, readEnvFile, warningsAbout } from "./env-file.ts";
import type { Environment } from "./environment.ts";
import { quote } from "./quote.ts";
import { readTextFile, UnreadableFileError, whyUnreadable, wordTooLarge } from "./read-files.ts";
import { MAX_FILE_SIZE, POLICY_KIND } from "./read-yaml.ts";
import { createReport, invalidPolicy, START } from "./report.ts";

export interface LoadOptions {
  /**
   * Where `${NAME}` is looked up. By default in the environment of this process, then in the env file beside the
   * policy: that of `sluicegate.yaml` is `sluicegate.env`, in the notation of `node --env-file`.
   */
  readonly environment?: Environment;
  /** What a variable that is set in neither stands for. By default it is an error. */
  readonly unset?: string;
}

/**
 * Reads a policy file, and its env file if there is one.
 * @throws SluicegateError `policy-unreadable` if there is no such file, or its env file can't be read;
 * `policy-invalid` with everything that is wrong with it, by line and column, in `details.problems`.
 */
export async function loadConfig(path: string, options: LoadOptions = {}): Promise<Config> {
  const text = await readPolicy(path);
  const envPath = envFileOf(path);
  const envFile = options.environment ? null : await readEnvFile(envPath);
  const environment = options.environment ?? environmentOf(envFile, options.unset);
  const config = await parseConfig(text, { file: path, environment, checkFolder, readText });
  return Object.freeze({
    ...config,
    // THREAT: an agent may neither read an env file nor make one, whether or not it was read here.
    files: Object.freeze([...config.files, resolve(envPath)]),
    warnings: [...config.warnings, ...(envFile ? warningsAbout(envFile) : [])],
  });
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
  const found = await readTextFile(path, MAX_FILE_SIZE).catch((cause: unknown) => {
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
  // A pipe that nobody writes to would never be read to its end.
  const kind = statSync(path, { throwIfNoEntry: false });
  if (kind !== undefined && !kind.isFile() && !kind.isDirectory())
    throw new UnreadableFileError("It is no plain file.");
  const found = await readTextFile(path, largest).catch((cause: unknown) => {
    throw new UnreadableFileError(whyUnreadable(cause).why);
  });
  if (found.kind === "text") return found.text;
  if (found.kind === "not-utf8") throw new UnreadableFileError(`Its line ${found.line} is not UTF-8 text.`);
  throw new UnreadableFileError(wordTooLarge(largest));
}
