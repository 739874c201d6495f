/** Files that a policy file names: read by whoever was given to do so, or told at the place that names them. */
import { dirname, isAbsolute, join, resolve } from "node:path";
import { quote } from "./quote.ts";
import type { Report } from "./report.ts";
import type { TextTree } from "./tree.ts";

/** Reads a file as UTF-8, of at most so many bytes. `path` is absolute. */
export type ReadText = (path: string, largest: number) => Promise<string>;

/** Says why a file can't be read. Its message is a sentence without the file's name. */
export class UnreadableFileError extends Error {}

/** Where files are read from. */
export interface Files {
  /** The policy file, as messages name it. */
  readonly policy: string;
  /** Left out: no file may be named. */
  readonly readText?: ReadText | undefined;
}

export interface NamedText {
  /** The file as messages name it: by a path from the same folder as the policy file's. */
  readonly file: string;
  readonly text: string;
}

/** The file that a value names, relative to the file that the value stands in. */
export function nameOf(tree: TextTree, { policy }: Files): string {
  return isAbsolute(tree.value) ? tree.value : join(dirname(tree.at.file ?? policy), tree.value);
}

/** The text of the file that a value names; null where it can't be read, which is reported. */
export async function readNamed(
  tree: TextTree,
  largest: number,
  files: Files,
  report: Report,
): Promise<NamedText | null> {
  const shown = quote(tree.written);
  if (files.readText === undefined) {
    report.add(tree.at, `The file ${shown} isn't read: this policy was given as text alone.`, AS_TEXT);
    return null;
  }
  const file = nameOf(tree, files);
  try {
    const text = await files.readText(resolve(file), largest);
    if (text.length > largest) throw new UnreadableFileError(wordTooLarge(largest));
    return { file, text };
  } catch (error) {
    const why = error instanceof UnreadableFileError ? ` ${error.message}` : "";
    report.add(
      tree.at,
      `The file ${shown} can't be read.${why}`,
      "Paths are relative to the file that they stand in.",
    );
    return null;
  }
}

export const wordTooLarge = (largest: number): string => `It is larger than ${largest / 1024 / 1024} MiB.`;

const AS_TEXT = "Load the policy from its file, or leave out what names others.";
