/** From a policy file to a policy and its servers: the one place here that touches the disk. */

import { isUtf8 } from "node:buffer";
import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import type { Policy } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import type { Environment } from "./environment.ts";
import { type Config, parseConfig } from "./parse.ts";
import { quote } from "./quote.ts";
import { LARGEST_FILE, reportTooLarge } from "./read-yaml.ts";
import { createReport, invalidPolicy } from "./report.ts";

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
  return parseConfig(await readText(path), { file: path, environment, checkFolder });
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

async function readText(path: string): Promise<string> {
  const bytes = await readBounded(path).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  const report = createReport(path);
  if (bytes.length > LARGEST_FILE) {
    reportTooLarge(report);
    throw invalidPolicy(report);
  }
  if (isUtf8(bytes)) return bytes.toString("utf8");
  report.add(
    { line: firstBrokenLine(bytes), column: 1 },
    "This line is not UTF-8 text.",
    "Save the file as UTF-8.",
  );
  throw invalidPolicy(report);
}

/** The file's bytes, or one more than may be; so that an endless file ends. */
async function readBounded(path: string): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.alloc(LARGEST_FILE + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } finally {
    await file.close();
  }
}

function firstBrokenLine(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(0x0a, start);
    const stop = end < 0 ? bytes.length : end;
    if (!isUtf8(bytes.subarray(start, stop))) return line;
    start = stop + 1;
  }
  return 1;
}

const REASONS: ReadonlyMap<string, readonly [why: string, fix: string]> = new Map([
  ["ENOENT", ["There is no such file.", "Check the path, or write a first policy with `sluicegate init`."]],
  ["EISDIR", ["It is a folder.", "Name the policy file in it, such as `sluicegate.yaml`."]],
  ["EACCES", ["This user may not read it.", "Change the file's permissions or the user."]],
] as const);

function unreadable(path: string, cause: unknown): SluicegateError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
  const [why, fix] = REASONS.get(code) ?? [`The system answers ${code}.`, "Check the path and the disk."];
  return new SluicegateError("policy-unreadable", `The policy file ${quote(path)} can't be read.`, {
    why,
    fix,
    details: { file: path, code },
    cause,
  });
}
