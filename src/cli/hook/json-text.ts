/** JSON as text: where each value stands, so that one can be put in or taken out and every other byte stays. */

/** A value and its place. The text is known to be valid JSON. */
export interface JsonNode {
  readonly start: number;
  /** Just behind it. */
  readonly end: number;
  /** Of an object, by key; of a list, by number. Null of any other value. */
  readonly parts: readonly JsonPart[] | null;
}

interface JsonPart {
  /** The member's key, or the item's number as text. */
  readonly key: string;
  /** Where the key begins; for an item, where it begins itself. */
  readonly start: number;
  readonly value: JsonNode;
}

/** The places of a text that `JSON.parse` takes. */
export function parsePlaces(text: string): JsonNode {
  return readValue(text, skipSpace(text, 0));
}

/** The value at the end of these keys; undefined where there is none. */
export function nodeAt(root: JsonNode, keys: readonly string[]): JsonNode | undefined {
  return keys.reduce<JsonNode | undefined>(
    (node, key) => node?.parts?.find((part) => part.key === key)?.value,
    root,
  );
}

/** The text with a part put behind the last one of an object or a list. `lines` is the part, without indentation. */
export function withPart(text: string, node: JsonNode, lines: readonly string[]): string {
  const outer = indentAt(text, node.start);
  const inner = `${outer}${unitOf(text)}`;
  const part = lines.join(`${newlineOf(text)}${inner}`);
  const newline = newlineOf(text);
  const last = node.parts?.at(-1);
  if (last !== undefined) return splice(text, last.value.end, last.value.end, `,${newline}${inner}${part}`);
  return splice(text, node.start + 1, node.start + 1, `${newline}${inner}${part}${newline}${outer}`);
}

/** The text without one part of an object or a list: just what `withPart` put in, where that was it. */
export function withoutPart(text: string, node: JsonNode, index: number): string {
  const parts = node.parts ?? [];
  const [before, part, after] = [parts[index - 1], parts[index], parts[index + 1]];
  if (part === undefined) return text;
  if (before !== undefined) return splice(text, before.value.end, part.value.end, "");
  if (after !== undefined) return splice(text, part.start, after.start, "");
  const closing = `${newlineOf(text)}${indentAt(text, node.start)}`;
  const end = text.startsWith(closing, part.value.end) ? part.value.end + closing.length : part.value.end;
  return splice(text, node.start + 1, end, "");
}

const splice = (text: string, start: number, end: number, put: string): string =>
  text.slice(0, start) + put + text.slice(end);

/** One step of indentation, as the first line has that is indented. */
export const unitOf = (text: string): string => /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";

const newlineOf = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n");

/** How the line is indented in which something stands. */
function indentAt(text: string, at: number): string {
  const line = text.lastIndexOf("\n", at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(line, at))?.[0] ?? "";
}

function readValue(text: string, start: number): JsonNode {
  const char = text[start];
  if (char === "{" || char === "[") return readParts(text, start, char === "{");
  if (char === '"') return { start, end: endOfString(text, start), parts: null };
  let end = start;
  while (end < text.length && !" \t\r\n,]}".includes(text.charAt(end))) end += 1;
  return { start, end, parts: null };
}

function readParts(text: string, start: number, isObject: boolean): JsonNode {
  const parts: JsonPart[] = [];
  let at = skipSpace(text, start + 1);
  while (text[at] !== "}" && text[at] !== "]") {
    const begin = at;
    const keyEnd = isObject ? endOfString(text, at) : at;
    const key: string = isObject ? JSON.parse(text.slice(at, keyEnd)) : String(parts.length);
    const value = readValue(text, isObject ? skipSpace(text, skipSpace(text, keyEnd) + 1) : at);
    parts.push({ key, start: begin, value });
    at = skipSpace(text, value.end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return { start, end: at + 1, parts };
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && " \t\r\n".includes(text.charAt(at))) at += 1;
  return at;
}
