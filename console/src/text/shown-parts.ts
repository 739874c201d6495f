/**
 * A stranger's long text in visible parts. THREAT: its author could hide something: behind spaces at an end, a
 * thousand empty lines, or a million characters without width.
 */
import { INVISIBLE } from "../../../src/json/visible-json.ts";
import { codeOf } from "./visible-text.tsx";

export interface ShownPart {
  /** Its position in the whole text. */
  readonly at: number;
  readonly text: string;
  /** `blanks` stands for spaces, a dot each; `code` for invisible characters, or for too many of them. */
  readonly kind: "text" | "blanks" | "code";
}

/** Longer runs are shown as a number. */
const MAX_BLANKS = 32;
const MAX_LINE_FEEDS = 3;

/** Spaces at a line's ends or several in a row, line feeds in a row, or a repeated invisible character. */
const SPECIAL = new RegExp(`^ +| +$| {3,}|\n+|((?:${INVISIBLE.source}))\\1*`, "gmu");
/** Most texts have none of these. */
const SUSPECT = / {3}|^ | $|\n\n\n\n|[^\x20-\x7e\n]/m;

/** A text in its parts; line feeds stay in `text` parts, except long runs. */
export function toShownParts(text: string): readonly ShownPart[] {
  if (!SUSPECT.test(text)) return text === "" ? [] : [{ at: 0, text, kind: "text" }];
  const parts: ShownPart[] = [];
  let from = 0;
  for (const found of text.matchAll(SPECIAL)) {
    const [run, character] = found;
    const shown = character === undefined ? showRun(run) : showCode(character, run);
    if (shown === null) continue;
    if (found.index > from) parts.push({ at: from, text: text.slice(from, found.index), kind: "text" });
    parts.push({ at: found.index, ...shown });
    from = found.index + run.length;
  }
  if (from < text.length) parts.push({ at: from, text: text.slice(from), kind: "text" });
  return parts;
}

const NUMBER = new Intl.NumberFormat("en");

/** Null for line feeds that stay as they are. */
function showRun(run: string): Omit<ShownPart, "at"> | null {
  const { length } = run;
  if (!run.startsWith("\n"))
    return length > MAX_BLANKS
      ? { text: `${NUMBER.format(length)} blanks`, kind: "code" }
      : { text: "·".repeat(length), kind: "blanks" };
  return length > MAX_LINE_FEEDS ? { text: `${NUMBER.format(length)} line breaks`, kind: "code" } : null;
}

function showCode(character: string, run: string): Omit<ShownPart, "at"> {
  const count = run.length / character.length;
  const times = count > 1 ? ` ×${NUMBER.format(count)}` : "";
  return { text: `${codeOf(character)}${times}`, kind: "code" };
}

/** Lines and characters of one block of a long text. */
const BLOCK_LINES = 200;
const BLOCK_LENGTH = 20_000;

export interface TextBlock {
  /** Its position in the whole text. */
  readonly at: number;
  readonly text: string;
}

/** A long text in blocks that can be rendered one by one, split at line feeds if there are any. */
export function toBlocks(text: string): readonly TextBlock[] {
  const blocks: TextBlock[] = [];
  for (let at = 0; at < text.length; ) {
    const end = endOfBlock(text, at);
    blocks.push({ at, text: text.slice(at, end) });
    at = end;
  }
  return blocks;
}

function endOfBlock(text: string, at: number): number {
  const most = Math.min(text.length, at + BLOCK_LENGTH);
  let end = at;
  for (let lines = 0; lines < BLOCK_LINES; lines += 1) {
    const next = text.indexOf("\n", end);
    if (next < 0 || next >= most) break;
    end = next + 1;
    // A run of line feeds is shown as one part, so it is never split.
    while (text[end] === "\n") end += 1;
    if (lines === BLOCK_LINES - 1 || end >= most) return end;
  }
  if (most === text.length) return most;
  if (end > at) return end;
  const isPair = (text.charCodeAt(most - 1) & 0xfc00) === 0xd800;
  return isPair ? most - 1 : most;
}

/** A text's length for people: `820 characters`, `12 kB`, `5.2 MB`. */
export function toSize(characters: number): string {
  if (characters < 1_000) return `${characters} characters`;
  if (characters < 10_000) return `${(characters / 1_000).toFixed(1)} kB`;
  if (characters < 999_500) return `${Math.round(characters / 1_000)} kB`;
  return `${(characters / 1_000_000).toFixed(1)} MB`;
}
