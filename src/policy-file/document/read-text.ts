/** A file's text, up to a bound, whatever the file is. */
import { isUtf8 } from "node:buffer";
import { open } from "node:fs/promises";

/** What a file holds, or why that is no text to read. */
export type FileText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "too-large" }
  | { readonly kind: "not-utf8"; readonly line: number };

/** Rejects as the system does where there is no such file. */
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
