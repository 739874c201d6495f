/** Writes whole files, and parts of them. */
import { SluicegateError } from "../../../errors/index.ts";
import { MAX_TEXT_BYTES } from "../limits.ts";
import type { Place } from "../paths/canonical-path.ts";
import { unusable } from "../paths/examine-path.ts";
import { examineWrite, type WriteExamined, type WriteFound, writeFound } from "../paths/examine-write.ts";

import { previewOf } from "../text/diff.ts";
import { editText, inStyle, styleOf } from "../text/edit-text.ts";
import { decodeText } from "../text/text-file.ts";
import { flag, path, text, type Values } from "./arguments.ts";
import { relativeTo, shownName, textResult } from "./results.ts";
import { type Found, toolOf } from "./workspace-tool.ts";

/** What is to be written, or why it can't be. */
interface Writing {
  readonly found: WriteFound;
  readonly bytes: Buffer;
  readonly problem: SluicegateError | null;
  readonly done: string;
}

const FILE = "The file, relative to the workspace or absolute.";
const CONTENT = "All of the file's text.";
const WRITE_DESCRIPTION =
  "Writes a text file of the workspace, whole; folders that are missing are made. A file that is replaced keeps its permissions, its kind of line ends and its byte order mark.";

const PLAIN = { filepath: path(FILE, "path", "file_path"), content: text(CONTENT) };
const CODING = { file_path: path(FILE, "path", "filepath"), content: text(CONTENT) };

export const WRITE_TEXT_FILE = toolOf({
  name: "write_text_file",
  description: WRITE_DESCRIPTION,
  parameters: PLAIN,
  examine: (place, { filepath, content }: Values<typeof PLAIN>) => examineWhole(place, filepath, content),
  execute: (_, writing) => write(writing),
});

export const WRITE = toolOf({
  name: "Write",
  description: WRITE_DESCRIPTION,
  parameters: CODING,
  examine: (place, { file_path, content }: Values<typeof CODING>) => examineWhole(place, file_path, content),
  execute: (_, writing) => write(writing),
});

const EDIT_DESCRIPTION =
  "Replaces a part of a text file of the workspace. The part must stand there exactly, and once, unless all are to be replaced. An empty part makes a new file.";
const REPLACEMENT = {
  old_string: text("The part to replace, exactly as it stands in the file.", "old_text"),
  new_string: text("What takes its place.", "new_text"),
  replace_all: flag("Whether each of several is replaced."),
};
const PLAIN_EDIT = { filepath: path(FILE, "path", "file_path"), ...REPLACEMENT };
const CODING_EDIT = { file_path: path(FILE, "path", "filepath"), ...REPLACEMENT };

export const EDIT_TEXT_FILE = toolOf({
  name: "edit_text_file",
  description: EDIT_DESCRIPTION,
  parameters: PLAIN_EDIT,
  examine: (place, { filepath, ...part }: Values<typeof PLAIN_EDIT>) => examineEdit(place, filepath, part),
  execute: (_, writing) => write(writing),
});

export const EDIT = toolOf({
  name: "Edit",
  description: EDIT_DESCRIPTION,
  parameters: CODING_EDIT,
  examine: (place, { file_path, ...part }: Values<typeof CODING_EDIT>) => examineEdit(place, file_path, part),
  execute: (_, writing) => write(writing),
});

async function examineWhole(place: Place, file: string, content: string): Promise<Found<Writing>> {
  const examined = await examineWrite(place, file);
  const isLong = examined.bytes === null || examined.bytes.length > MAX_TEXT_BYTES;
  const before = isLong || examined.bytes === null ? null : decodeText(examined.bytes);
  const written = before === null ? content : inStyle(content, styleOf(before.text));
  return toFound(place, examined, Buffer.from(written), "Wrote");
}

async function examineEdit(
  place: Place,
  file: string,
  { old_string, new_string, replace_all }: Values<typeof REPLACEMENT>,
): Promise<Found<Writing>> {
  const examined = await examineWrite(place, file);
  const { found, bytes } = examined;
  if (found.problem !== null || (old_string === "" && (bytes === null || bytes.length === 0))) {
    return toFound(place, examined, Buffer.from(new_string), "Wrote");
  }
  if (bytes === null)
    return impossible(found, unusable("Nothing lies there.", "Write the whole file instead."));
  if (bytes.length > MAX_TEXT_BYTES) {
    const why = `It has more than ${MAX_TEXT_BYTES / 1024 / 1024} MiB.`;
    return impossible(found, unusable(why, "Write the whole file, or change it by a command."));
  }
  const decoded = decodeText(bytes);
  if (!decoded?.exact) return impossible(found, unusable("It is no text in UTF-8.", "Leave it to a person."));
  try {
    const edited = editText(decoded.text, { oldText: old_string, newText: new_string, all: replace_all });
    const times = edited.count === 1 ? "" : ` in ${edited.count} places`;
    return toFound(place, examined, Buffer.from(edited.text), `Edited${times}:`);
  } catch (error) {
    if (SluicegateError.isInstance(error)) return impossible(found, error);
    throw error;
  }
}

function toFound(place: Place, examined: WriteExamined, bytes: Buffer, verb: string): Found<Writing> {
  const { found } = examined;
  if (found.problem !== null || found.path === null || found.shown.isProtected) {
    return impossible(found, found.problem ?? unusable("It can't be written.", "Leave it to a person."));
  }
  const name = relativeTo(place.root, found.path);
  return {
    ...found.shown,
    preview: previewOf(name, examined.bytes, bytes),
    state: { found, bytes, problem: null, done: `${verb} ${shownName(name)} (${bytes.length} bytes).` },
  };
}

/** An impossible call says so to the approver. */
const impossible = (found: WriteFound, problem: SluicegateError): Found<Writing> => ({
  ...found.shown,
  preview: `${problem.message} ${problem.why}\n`,
  state: { found, bytes: Buffer.alloc(0), problem, done: "" },
});

async function write({ found, bytes, problem, done }: Writing) {
  if (problem !== null) throw problem;
  await writeFound(found, bytes);
  return textResult(done);
}
