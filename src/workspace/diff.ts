/** What a write would change, for the person who is asked: a unified diff, bounded in time and in size. */
import { createTwoFilesPatch } from "diff";
import { decodeText } from "./text-file.ts";

const LONGEST_PREVIEW = 256 * 1024;
const LARGEST_COMPARED = 1024 * 1024;
const TIME_LIMIT_MS = 250;
const MOST_EDITS = 20_000;
const CUT = "\n[The rest of the difference is left out: it is too long to show.]\n";

/** A preview of replacing `before` (null: nothing lies there) by `after` (null: it is deleted). */
export function previewOf(path: string, before: Buffer | null, after: Buffer | null): string {
  if (before !== null && after !== null && before.equals(after)) return `${path}: nothing changes.\n`;
  const [old, new_] = [textOrNull(before), textOrNull(after)];
  if (old === null || new_ === null) return described(path, before, after, "It isn't text.");
  if (old.length + new_.length > LARGEST_COMPARED) {
    return `${described(path, before, after, "It is too long to compare; its new text follows.")}\n${cut(new_)}`;
  }
  const patch = createTwoFilesPatch(before === null ? "/dev/null" : path, after === null ? "/dev/null" : path, old, new_, "", "", {
    context: 3,
    timeout: TIME_LIMIT_MS,
    maxEditLength: MOST_EDITS,
  });
  return patch === undefined
    ? `${described(path, before, after, "It would take too long to compare; its new text follows.")}\n${cut(new_)}`
    : cut(patch.replace(/^=+\n/, ""));
}

/** Nothing is the empty text; null where it isn't text. */
const textOrNull = (content: Buffer | null): string | null =>
  content === null ? "" : (decodeText(content)?.text ?? null);

function described(path: string, before: Buffer | null, after: Buffer | null, why: string): string {
  const size = (content: Buffer | null, none: string): string =>
    content === null ? none : `${content.length} bytes`;
  return `${path}: ${size(before, "a new file")} → ${size(after, "deleted")}. ${why}\n`;
}

function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= LONGEST_PREVIEW) return text;
  const kept = bytes.subarray(0, LONGEST_PREVIEW - CUT.length).toString("utf8");
  return kept.slice(0, kept.lastIndexOf("\n") + 1 || undefined).replace(/\uFFFD$/, "") + CUT;
}
