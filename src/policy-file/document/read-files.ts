/** Files as text: those that somebody names on the disk, and those that a policy file names. */
import { isUtf8 } from "node:buffer";
import { open } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { quote } from "./quote.ts";
import type { Report } from "./report.ts";
import type { TextTree } from "./tree.ts";

/** What a file holds, or why that is no text to read. */
type FileText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "too-large" }
  | { readonly kind: "not-utf8"; readonly line: number };

/** Rejects as the system does if there is no such file. */
export async function readTextFile(path: string, largest: number): Promise<FileText> {
  const bytes = await readBounded(path, largest);
  if (bytes.length > largest) return { kind: "too-large" };
  if (!isUtf8(bytes)) return { kind: "not-utf8", line: firstBrokenLine(bytes) };
  return { kind: "text", text: bytes.toString("utf8") };
}

const CHUNK = 1024 * 1024;

/** The file's bytes, or one more than may be; so that an endless file ends. */
async function readBounded(path: string, largest: number): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const chunks: Buffer[] = [];
    let length = 0;
    while (length <= largest) {
      const chunk = Buffer.alloc(Math.min(CHUNK, largest + 1 - length));
      const { bytesRead } = await file.read(chunk, 0);
      if (bytesRead === 0) break;
      chunks.push(chunk.subarray(0, bytesRead));
      length += bytesRead;
    }
    return Buffer.concat(chunks);
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

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "There is no such file."],
  ["EISDIR", "It is a folder."],
  ["EACCES", "This user may not read it."],
]);

/** The system's code for why a file can't be read, with a sentence that says so. */
export function whyUnreadable(cause: unknown): { readonly code: string; readonly why: string } {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
  return { code, why: REASONS.get(code) ?? `The system answers ${code}.` };
}

/** Reads a file as UTF-8, of at most so many bytes. `path` is absolute. */
type ReadText = (path: string, largest: number) => Promise<string>;

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

/** The text of the file that a value names; null if it can't be read, which is reported. */
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
