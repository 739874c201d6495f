/**
 * Whether a path belongs to another operation than the called one. Each operation has its own label and rules, and
 * some aren't offered. THREAT: the model chooses values in paths (`/tickets/{id}` with the id `export`), and the API
 * chooses redirects.
 */
import type { JsonObject } from "../../../runtime/index.ts";
import type { ApiOperationOptions } from "../api-tool.ts";
import { fieldOf, isJsonObject, objectAt } from "../json-value.ts";
import { decode, followRefs } from "./document-reading.ts";
import { parsePathTemplate } from "./path-template.ts";

/** Whether a path below the base belongs to another operation, or to none. */
export type LeadsElsewhere = (
  operation: Pick<ApiOperationOptions, "method" | "path">,
  path: string,
  /** A redirect may lead to a path that isn't in the document; arguments only fill in the operation's own path. */
  chosenBy: "arguments" | "redirect",
) => boolean;

/** A segment's literal texts, with a parameter between each two. */
type Segment = readonly string[];

interface Template {
  readonly path: string;
  readonly item: JsonObject;
  readonly segments: readonly Segment[];
}

/** For all operations of a document, offered or not. */
export function createLeadsElsewhere(document: JsonObject): LeadsElsewhere {
  const templates = Object.entries(objectAt(document, "paths")).flatMap(([path, item]) =>
    readTemplate(document, path, item),
  );
  return ({ method, path: own }, path, chosenBy) => {
    const plain = readingsOf(path);
    const mine = templates.find((one) => one.path === own);
    const isOwn = mine !== undefined && plain.some((reading) => matches(mine, reading));
    if (chosenBy === "redirect" && !isOwn) return true;
    // An extension that the document itself contains isn't a format.
    const isWritten = isOwn && mine.segments.at(-1)?.length === 1;
    const readings = isWritten ? plain : [...plain, ...plain.map(withoutFormat)];
    const methods = method === "head" ? ["head", "get"] : [method];
    const others = templates.filter(
      (one) => one !== mine && methods.some((name) => isJsonObject(fieldOf(one.item, name))),
    );
    return others.some((other) =>
      readings.some((reading) => matches(other, reading) && isCloser(other, mine, reading)),
    );
  };
}

/** None for a path that no operation can have. */
function readTemplate(document: JsonObject, path: string, item: unknown): Template[] {
  try {
    const whole = isJsonObject(item) ? { ...followRefs(document, item), ...item } : {};
    const marked = parsePathTemplate(path).texts.join("\0");
    const [segments = []] = readingsOf(marked).slice(-1);
    return [{ path, item: whole, segments: segments.map((segment) => segment.split("\0")) }];
  } catch {
    return [];
  }
}

/**
 * The segments of a path, as servers may read it: decoded once, twice or not at all; in any letter case; without
 * empty segments and without what follows a semicolon.
 */
function readingsOf(path: string): readonly (readonly string[])[] {
  const texts = [path];
  for (let round = 0; round < 4; round += 1) {
    const text = texts.at(-1) ?? "";
    const decoded = decode(text);
    if (decoded === text) break;
    texts.push(decoded);
  }
  return texts.map((text) =>
    text
      .toLowerCase()
      .split(/[/\\]/)
      .map((segment) => segment.replace(/;.*$/s, "").trim())
      .filter((segment) => segment !== ""),
  );
}

/** As read by servers that treat `export.json` as `export` in a format. */
const withoutFormat = (reading: readonly string[]): readonly string[] =>
  reading.map((segment, index) =>
    index === reading.length - 1 ? segment.replace(/(.)\.[^.]*$/, "$1") : segment,
  );

const matches = ({ segments }: Template, reading: readonly string[]): boolean =>
  segments.length === reading.length &&
  segments.every((segment, index) => fits(segment, reading[index] ?? ""));

/** Whether a text has the literal parts in their order, with something between each two. One pass. */
function fits(segment: Segment, text: string): boolean {
  const [first = "", ...rest] = segment;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const literal of rest) {
    const found = text.indexOf(literal, at + 1);
    if (found < 0) return false;
    at = found + literal.length;
  }
  return at < end;
}

/** Whether a server prefers a template to the called operation's, which doesn't match or is less specific. */
function isCloser(other: Template, own: Template | undefined, reading: readonly string[]): boolean {
  if (own === undefined || !matches(own, reading)) return true;
  return other.segments.some((segment, index) => weight(segment) > weight(own.segments[index] ?? [""]));
}

/** The number of literal characters; a segment without a parameter has the most. */
const weight = (segment: Segment): number =>
  segment.length === 1 ? Number.POSITIVE_INFINITY : segment.join("").length;
