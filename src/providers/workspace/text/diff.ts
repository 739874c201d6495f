/** What a write would change, for the approver: a unified diff, with limits for time and size. */
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from "diff";
import { MAX_COMPARE_MS, MAX_COMPARED_CHARACTERS, MAX_PREVIEW_BYTES, MAX_TEXT_BYTES } from "../limits.ts";

import { shownName } from "../tools/results.ts";
import { decodeText } from "./text-file.ts";

/** Context lines. */
const CONTEXT = 3;
const CUT = "[The rest is left out: it is too long to show.]\n";

/** A preview of replacing `before` (null: nothing is there) by `after` (null: it is deleted). */
export function previewOf(path: string, before: Buffer | null, after: Buffer | null): string {
  // THREAT: the agent chooses names, and a sentence could look like the beginning of a diff.
  const name = path.startsWith("-") ? JSON.stringify(path) : shownName(path);
  if (before !== null && after !== null && before.equals(after)) return `${name}: nothing changes.\n`;
  const sizes = `${name}: ${sizeOf(before, "new")} → ${sizeOf(after, "deleted")}.`;
  if (Math.max(before?.length ?? 0, after?.length ?? 0) > MAX_TEXT_BYTES) return previewOfLong(sizes, after);
  const [old, text] = [exactText(before), exactText(after)];
  if (text === null) return `${sizes} What is written isn't text.\n`;
  if (old === null)
    return cut(`${sizes} What lies there isn't text in UTF-8; the new text follows.\n${text}`);
  const patch = compare(before === null ? null : path, after === null ? null : path, old, text);
  return cut(patch ?? `${sizes} It is too much to compare; the new text follows.\n${text}`);
}

/** Only the part of the new text that is shown is examined. */
function previewOfLong(sizes: string, after: Buffer | null): string {
  if (after === null) return `${sizes} It is too much to show.\n`;
  const text = exactText(after.subarray(0, MAX_PREVIEW_BYTES + 1), true);
  return text === null
    ? `${sizes} What is written isn't text.\n`
    : cut(`${sizes} It is too much to compare; the new text follows.\n${text}`);
}

/** Null if it is too long, or takes too long. */
function compare(from: string | null, to: string | null, old: string, text: string): string | null {
  const part = changedPart(old, text, CONTEXT);
  if (part.old.length + part.text.length > MAX_COMPARED_CHARACTERS) return null;
  const [before, after] = [from ?? "/dev/null", to ?? "/dev/null"];
  const patch = structuredPatch(before, after, part.old, part.text, undefined, undefined, {
    context: CONTEXT,
    timeout: MAX_COMPARE_MS,
  });
  if (patch === undefined) return null;
  for (const hunk of patch.hunks) {
    hunk.oldStart += part.linesBefore;
    hunk.newStart += part.linesBefore;
  }
  return formatPatch(patch, FILE_HEADERS_ONLY);
}

/**
 * Nothing is the empty text; null if a text wouldn't show every byte. `isCut`: the last character may be incomplete.
 */
function exactText(content: Buffer | null, isCut = false): string | null {
  if (content === null) return "";
  const decoded = decodeText(content);
  return decoded?.exact || isCut ? (decoded?.text ?? null) : null;
}

const sizeOf = (content: Buffer | null, none: string): string =>
  content === null ? none : `${content.length} bytes`;

/** As many whole lines as fit. */
function cut(text: string): string {
  const bytes = Buffer.from(text.slice(0, MAX_PREVIEW_BYTES + 1));
  if (bytes.length <= MAX_PREVIEW_BYTES) return text;
  const room = bytes.subarray(0, MAX_PREVIEW_BYTES - CUT.length - 1);
  const end = room.lastIndexOf(10);
  return `${room
    .subarray(0, end === -1 ? room.length : end)
    .toString("utf8")
    .replace(/\uFFFD$/, "")}\n${CUT}`;
}

/** The part of a text that a change affects: a small change of a long text is compared and shown alone. */
interface ChangedPart {
  readonly old: string;
  readonly text: string;
  /** Equal lines before it. */
  readonly linesBefore: number;
}

/** Both texts without equal lines at their beginning and end, except `context` lines on either side. */
function changedPart(old: string, text: string, context: number): ChangedPart {
  const most = Math.min(old.length, text.length);
  let alike = 0;
  while (alike < most && old.charCodeAt(alike) === text.charCodeAt(alike)) alike += 1;
  const start = backByLines(old, alike, context);
  let alikeAtEnd = 0;
  while (alikeAtEnd < most - alike && endsAlike(old, text, alikeAtEnd)) alikeAtEnd += 1;
  const end = forwardByLines(old, old.length - alikeAtEnd, context);
  return {
    old: old.slice(start, end),
    text: text.slice(start, text.length - (old.length - end)),
    linesBefore: countLines(old, start),
  };
}

const endsAlike = (old: string, text: string, at: number): boolean =>
  old.charCodeAt(old.length - 1 - at) === text.charCodeAt(text.length - 1 - at);

/** The start of the line that is `lines` before a position. */
function backByLines(text: string, place: number, lines: number): number {
  let at = place;
  for (let count = 0; count <= lines; count += 1) {
    if (at === 0) return 0;
    at = text.lastIndexOf("\n", at - 1);
    if (at === -1) return 0;
  }
  return at + 1;
}

/** The end of the line that is `lines` after a position. */
function forwardByLines(text: string, place: number, lines: number): number {
  let at = place;
  for (let count = 0; count <= lines; count += 1) {
    const end = text.indexOf("\n", at);
    if (end === -1) return text.length;
    at = end + 1;
  }
  return at;
}

function countLines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
