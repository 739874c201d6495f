/**
 * Adds variables to the text of an env file, and leaves everything that it doesn't replace as it is.
 * INVARIANT: what is added is read back each time by the parser that reads it later; a text that comes back as
 * anything but what was meant is not used.
 */

import { SluicegateError } from "../../errors/index.ts";
import { toVisible } from "../../json/visible-json.ts";
import { MAX_ENV_FILE_SIZE, parseEnvText } from "../../policy-file/internal.ts";

export interface Entry {
  readonly name: string;
  /** Null if nobody knows it. */
  readonly value: string | null;
  /** What stands there until somebody fills in the value. */
  readonly standIn: string;
  /** What it is, for the line above it. */
  readonly about: string;
}

/** Whether an env file can hold a value at all. */
export const canCarry = (value: string): boolean => formsOf(value).some((form) => reads("A", form, value));

/** The text with the entries in it. A name that has a value keeps it, unless one is known and `replace` is set. */
export function withEntries(before: string, entries: readonly Entry[], replace: boolean): string {
  let text = before;
  for (const { name, value, standIn, about } of entries) {
    const there = parseEnvText(text).get(name);
    const wanted = value ?? standIn;
    const stays = there !== "" && (value === null || !replace);
    if (there !== undefined && (there === wanted || stays)) continue;
    const rest = there === undefined ? text : without(text, name);
    text = appended(rest, { name, value: wanted }, `${value === null ? "Fill in" : "Found"}: ${about}`);
  }
  return text;
}

const OWN_COMMENT = /^# (?:Fill in|Found): /;
const FOUND = /^# Found: .*\n([A-Za-z_]\w*)=/gm;

/** The variables whose values configurations held when they were written down, as the comments above them say. */
export const foundNames = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(FOUND)].map(([, name = ""]) => name));

interface Assignment {
  readonly name: string;
  readonly value: string;
}

function appended(text: string, { name, value }: Assignment, about: string): string {
  const start = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  const comment = `# ${plain(about)}\n`;
  const wanted = new Map(parseEnvText(text)).set(name, value);
  for (const form of formsOf(value)) {
    const next = `${start}${comment}${name}=${form}\n`;
    if (Buffer.byteLength(next) <= MAX_ENV_FILE_SIZE && isSame(parseEnvText(next), wanted)) return next;
  }
  throw new SluicegateError("usage", `The variable \`${name}\` can't be added to the env file.`, {
    why: "The file is full, or a quotation mark in it is open, so that what is added would be read as something else.",
    fix: "Fix the file, or move it away. Nothing was written.",
  });
}

const MAX_LINES = 200;

/** The text without a variable and our comment; with it if it can't be evaluated where that ends: the last one counts. */
function without(text: string, name: string): string {
  const rest = new Map(parseEnvText(text));
  const own = new Map([[name, rest.get(name) ?? ""]]);
  rest.delete(name);
  const lines = text.split("\n");
  const at = lines.findLastIndex((line) => /^\s*(?:export\s+)?([^\s=]+)\s*=/.exec(line)?.[1] === name);
  if (at < 0) return text;
  const first = OWN_COMMENT.test(lines[at - 1] ?? "") ? at - 1 : at;
  for (let count = 1; count <= Math.min(MAX_LINES, lines.length - first); count += 1) {
    const piece = lines.slice(first, first + count).join("\n");
    const others = lines.toSpliced(first, count).join("\n");
    if (isSame(parseEnvText(piece), own) && isSame(parseEnvText(others), rest)) return others;
  }
  return text;
}

const isSame = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean =>
  one.size === other.size && [...one].every(([name, value]) => other.get(name) === value);

const reads = (name: string, form: string, value: string): boolean => {
  const found = parseEnvText(`${name}=${form}\n`);
  return found.size === 1 && found.get(name) === value;
};

/** How a value may be written, the plainest first; whether one of them is read as the value is for the parser to say. */
function formsOf(value: string): readonly string[] {
  if (!value.isWellFormed()) return [];
  // INVARIANT: what begins with a quotation mark, or goes on in a second line, is quoted.
  const bare = /^[^\s"'`#](?:[^\r\n]*\S)?$|^$/.test(value) ? [value] : [];
  const quoted = ["'", '"', "`"]
    .filter((mark) => !value.includes(mark))
    .map((mark) => `${mark}${value}${mark}`);
  return /^[\w./:@%+,=-]*$/.test(value) ? [...bare, ...quoted] : [...quoted, ...bare];
}

const MAX_LENGTH = 200;

// THREAT: it holds names of strangers, which must neither end the line nor open a quotation.
const plain = (about: string): string => toVisible(about).replaceAll(/["'`]/g, "").slice(0, MAX_LENGTH);
