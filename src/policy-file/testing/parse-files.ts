/** For the tests of this folder: a policy file with the files that it names, from memory. */
import { resolve } from "node:path";
import { SluicegateError } from "../../errors/index.ts";
import type { Environment } from "../document/environment.ts";
import { UnreadableFileError } from "../document/read-files.ts";
import { formatProblem } from "../document/report.ts";
import { type Config, parseConfig } from "../parse.ts";

/** Texts by path, relative to the folder of the policy file. */
export type TextFiles = Readonly<Record<string, string>>;

/** The policy file is `p.yaml`. */
export function parseFiles(files: TextFiles, environment: Environment = {}): Promise<Config> {
  const texts = new Map(Object.entries(files).map(([path, text]) => [resolve(path), text]));
  const readText = async (path: string): Promise<string> => {
    const text = texts.get(path);
    if (text === undefined) throw new UnreadableFileError("There is no such file.");
    return text;
  };
  return parseConfig(files["p.yaml"] ?? "", { file: "p.yaml", environment, readText });
}

/** The lines of the error that they are refused with; none if they are sound. */
export async function problemsIn(
  files: TextFiles,
  environment: Environment = {},
): Promise<readonly string[]> {
  try {
    await parseFiles(files, environment);
    return [];
  } catch (error) {
    if (SluicegateError.isInstance(error) && error.code === "policy-invalid")
      return error.message.split("\n");
    throw error;
  }
}

export const warningsIn = async (
  files: TextFiles,
  environment: Environment = {},
): Promise<readonly string[]> => (await parseFiles(files, environment)).warnings.map(formatProblem);
