/**
 * The env file of a policy: what its `${NAME}` stand for where the process's environment doesn't say, in Node's own
 * notation for such files. It lies beside the policy and has its name: `sluicegate.yaml`, `sluicegate.env`.
 * THREAT: it holds secrets. Its values go into the document alone: into no message, and into no process's environment.
 */
import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { parseEnv } from "node:util";
import { SluicegateError } from "../../errors/index.ts";
import type { Environment } from "./environment.ts";
import { quote } from "./quote.ts";
import { readTextFile, whyUnreadable, wordTooLarge } from "./read-files.ts";
import { createReport, invalidPolicy, START, type Warning } from "./report.ts";

/** The most that an env file may have, in bytes. */
export const MAX_ENV_FILE_SIZE = 1024 * 1024;

export interface EnvFile {
  /** As messages name it. */
  readonly file: string;
  readonly text: string;
  readonly values: ReadonlyMap<string, string>;
  /** Whether other users of the machine can read or change it. */
  readonly isOpenToOthers: boolean;
}

export const envFileOf = (policy: string): string => `${policy.replace(/\.(?:ya?ml|json)$/i, "")}.env`;

/** The values in an env file's text, by name. */
export const parseEnvText = (text: string): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(parseEnv(text.replace(/^\uFEFF/, ""))).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );

/**
 * Reads an env file; null if there is none.
 * @throws SluicegateError `policy-unreadable` where it can't be read, `policy-invalid` where it is too long or no text.
 */
export async function readEnvFile(file: string): Promise<EnvFile | null> {
  try {
    const stats = await stat(file);
    // A pipe would be waited for without end.
    if (!stats.isFile()) throw unreadable(file, "no file", "It isn't an ordinary file.", undefined);
    const text = await readEnvText(file);
    // Windows keeps no such mode.
    const isOpenToOthers = process.platform !== "win32" && (stats.mode & 0o077) !== 0;
    return { file, text, values: parseEnvText(text), isOpenToOthers };
  } catch (cause) {
    if (SluicegateError.isInstance(cause)) throw cause;
    const { code, why } = whyUnreadable(cause);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw unreadable(file, code, why, cause);
  }
}

async function readEnvText(file: string): Promise<string> {
  const found = await readTextFile(file, MAX_ENV_FILE_SIZE);
  if (found.kind === "text") return found.text;
  const report = createReport(file);
  if (found.kind === "too-large")
    report.add(START, wordTooLarge(MAX_ENV_FILE_SIZE), "Keep variables alone in it.");
  else report.add({ line: found.line, column: 1 }, "This line is not UTF-8 text.", "Save the file as UTF-8.");
  throw invalidPolicy(report);
}

const unreadable = (file: string, code: string, why: string, cause: unknown): SluicegateError =>
  new SluicegateError("policy-unreadable", `The policy's env file ${quote(file)} can't be read.`, {
    why,
    fix: "Let this user read it, or move it away and set its variables in the environment of this command.",
    details: { file, code },
    cause,
  });

/**
 * The process's variables, what lies in the files that its `NAME_FILE` name, then the variables of the env file. With
 * `unset`, every other name stands for that: it is for who needs the policy without starting anything.
 */
export function environmentOf(envFile: EnvFile | null, unset: string | undefined): Environment {
  const others = (name: string): string | undefined => {
    // Who starts nothing needs no secret, and may not be let to read it.
    const inFile = unset === undefined ? fromFileOf(name) : undefined;
    return inFile ?? envFile?.values.get(name) ?? unset;
  };
  return new Proxy(process.env, {
    get: (own, name) => {
      if (typeof name !== "string") return undefined;
      return Object.hasOwn(own, name) ? own[name] : others(name);
    },
    getOwnPropertyDescriptor: (own, name) => {
      const value = typeof name === "string" ? others(name) : undefined;
      const inherited = value === undefined ? undefined : { value, configurable: true };
      return Object.getOwnPropertyDescriptor(own, name) ?? inherited;
    },
  });
}

/** As container runtimes give secrets: a file for each, whose last line break doesn't count. */
function fromFileOf(name: string): string | undefined {
  const file = process.env[`${name}_FILE`];
  if (file === undefined || file === "") return undefined;
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (cause) {
    const { code, why } = whyUnreadable(cause);
    throw new SluicegateError("policy-unreadable", `The file of the variable ${quote(name)} can't be read.`, {
      why: `${quote(`${name}_FILE`)} names ${quote(file)}. ${why}`,
      fix: `Let this user read it, or set ${quote(name)} itself.`,
      details: { file, code },
      cause,
    });
  }
}

/** What is worth a look in an env file. */
export function warningsAbout({ file, text, values, isOpenToOthers }: EnvFile): readonly Warning[] {
  const report = createReport(file);
  if (isOpenToOthers)
    report.add(
      START,
      "Other users of this machine may open this file, and it holds secrets.",
      "Run `chmod 600` on it.",
    );
  const lines = linesOf(text);
  for (const [name, value] of values) {
    if (value !== "" || process.env[name] !== undefined) continue;
    const at = { line: lines.get(name) ?? 1, column: 1 };
    report.add(at, `The variable ${quote(name)} is empty.`, "Fill it in, or set it in the environment.");
  }
  return report.problems();
}

/** The last line that begins with each name, which is the one that counts. */
function linesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split("\n").map((line) => /^\s*(?:export\s+)?([^\s=]+)\s*=/.exec(line)?.[1]);
  return new Map(lines.flatMap((name, index) => (name === undefined ? [] : [[name, index + 1]])));
}
