/** Reads text files: as they are, or with line numbers as coding agents expect. */
import { SluicegateError } from "../../../errors/index.ts";
import type { ToolResult } from "../../../runtime/index.ts";
import { MAX_READ_BYTES, MAX_READ_LINE, MAX_RESULT_LENGTH } from "../limits.ts";
import { examineFile, openFile, type PathFound } from "../paths/examine-path.ts";
import { chunksOf, readUpTo } from "../paths/examined-file.ts";
import { decodeText, lineEndsIn } from "../text/text-file.ts";
import { integer, path, type Values } from "./arguments.ts";
import { boundedLines, textResult } from "./results.ts";
import { toolOf } from "./workspace-tool.ts";

const FILE = "The file, relative to the workspace or absolute.";
const RANGE = {
  offset: integer("The first line to read, from 1 on.", { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  limit: integer("How many lines to read.", { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
};

interface Reading {
  readonly found: PathFound;
  readonly offset: number;
  readonly limit: number;
  readonly isNumbered: boolean;
}

const PLAIN = { filepath: path(FILE, "path", "file_path"), ...RANGE };
const NUMBERED = { file_path: path(FILE, "path", "filepath"), ...RANGE };

export const READ_TEXT_FILE = toolOf({
  name: "read_text_file",
  description:
    "Reads a text file of the workspace. Long files come in parts: say the first line and how many are wanted.",
  parameters: PLAIN,
  examine: async (
    place,
    { filepath, offset = 1, limit = Number.POSITIVE_INFINITY }: Values<typeof PLAIN>,
  ) => {
    const found = await examineFile(place, filepath);
    return { ...found.shown, state: { found, offset, limit, isNumbered: false } };
  },
  execute: (_, state) => read(state),
});

export const READ = toolOf({
  name: "Read",
  description:
    "Reads a text file of the workspace with line numbers, as `cat -n` does: at most 2000 lines unless `limit` says otherwise, from line `offset` on.",
  parameters: NUMBERED,
  examine: async (place, { file_path, offset = 1, limit = 2000 }: Values<typeof NUMBERED>) => {
    const found = await examineFile(place, file_path);
    return { ...found.shown, state: { found, offset, limit, isNumbered: true } };
  },
  execute: (_, state) => read(state),
});

const COUNTED = { filepath: path(FILE, "path", "file_path") };

export const COUNT_TEXT_FILE_LINES = toolOf({
  name: "count_text_file_lines",
  description: "Counts the lines of a text file of the workspace; a last line without a line end counts too.",
  parameters: COUNTED,
  examine: async (place, { filepath }: Values<typeof COUNTED>) => {
    const found = await examineFile(place, filepath);
    return { ...found.shown, state: found };
  },
  execute: (_, found, signal) => countLines(found, signal),
});

async function countLines(found: PathFound, signal?: AbortSignal): Promise<ToolResult> {
  const handle = await openFile(found);
  try {
    let [lines, last] = [0, 10];
    for await (const chunk of chunksOf(handle)) {
      signal?.throwIfAborted();
      lines += lineEndsIn(chunk);
      last = chunk.at(-1) ?? last;
    }
    return textResult(String(last === 10 ? lines : lines + 1));
  } finally {
    await handle.close();
  }
}

async function read({ found, offset, limit, isNumbered }: Reading): Promise<ToolResult> {
  const text = await textOf(found);
  if (text === "") return textResult(isNumbered ? "[The file is empty.]" : "");
  if (!isNumbered && offset === 1 && limit === Number.POSITIVE_INFINITY && text.length <= MAX_RESULT_LENGTH) {
    return textResult(text);
  }
  const count = lineCountOf(text);
  if (offset > count) return textResult(`[The file has ${count} lines, so none from ${offset} on.]`);
  const shown = shownLines(text, offset, offset + limit, isNumbered);
  return textResult(
    boundedLines(shown, `[The file has ${count} lines, too long to show at once: read it in parts.]`),
  );
}

function lineCountOf(text: string): number {
  let count = text.endsWith("\n") ? 0 : 1;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === 10) count += 1;
  return count;
}

/** The lines of a range, generated one by one, so that none is made beyond the limit. */
function* shownLines(text: string, first: number, end: number, isNumbered: boolean): Generator<string> {
  for (let [at, line] = [0, 1]; at < text.length && line < end; line += 1) {
    const stop = text.indexOf("\n", at);
    const next = stop === -1 ? text.length : stop;
    if (line >= first) yield isNumbered ? numbered(text.slice(at, next), line) : text.slice(at, next);
    at = next + 1;
  }
}

async function textOf(found: PathFound): Promise<string> {
  const handle = await openFile(found);
  try {
    const bytes = await readUpTo(handle, MAX_READ_BYTES + 1);
    if (bytes.length > MAX_READ_BYTES) {
      throw unreadable(`It has more than ${MAX_READ_BYTES / 1024 / 1024} MiB.`, "Search it instead.");
    }
    const decoded = decodeText(bytes);
    if (decoded === null)
      throw unreadable(`It is no text: ${bytes.length} bytes with a NUL among them.`, "Leave it.");
    return decoded.text;
  } finally {
    await handle.close();
  }
}

function numbered(line: string, number: number): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  const cut = text.length > MAX_READ_LINE ? `${text.slice(0, MAX_READ_LINE)} [… cut]` : text;
  return `${String(number).padStart(6)}\t${cut}`;
}

const unreadable = (why: string, fix: string): SluicegateError =>
  new SluicegateError("invalid-request", "The file can't be read as text.", { why, fix });
