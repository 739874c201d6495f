/**
 * Whether a path is that of another operation than the one that is called. Each has a label and rules of its own, and
 * some are not offered at all.
 * THREAT: the model chooses values in paths (`/tickets/{id}` with the id `export`), and the API where a redirect leads.
 */
import type { JsonObject } from "../../../runtime/index.ts";
import type { ApiOperationOptions } from "../api-options.ts";
import { fieldOf, isJsonObject, objectAt } from "../json-value.ts";
import { followRefs } from "./local-ref.ts";
import { parsePathTemplate } from "./path-template.ts";

/** Tells whether a path below the base is another operation's, or none's. */
export type LeadsElsewhere = (
  operation: Pick<ApiOperationOptions, "method" | "path">,
  path: string,
  /** A redirect may lead to paths that the document has not; arguments only fill in the operation's own. */
  chosenBy: "arguments" | "redirect",
) => boolean;

/** A segment's literal texts, with a parameter between each two. */
type Segment = readonly string[];

interface Template {
  readonly path: string;
  readonly item: JsonObject;
  readonly segments: readonly Segment[];
}

/** Of all operations that a document has, offered or not. */
export function createLeadsElsewhere(document: JsonObject): LeadsElsewhere {
  const templates = Object.entries(objectAt(document, "paths")).flatMap(([path, item]) =>
    readTemplate(document, path, item),
  );
  return ({ method, path: own }, path, chosenBy) => {
    const plain = readingsOf(path);
    const mine = templates.find((one) => one.path === own);
    const isOwn = mine !== undefined && plain.some((reading) => matches(mine, reading));
    if (chosenBy === "redirect" && !isOwn) return true;
    // What the document itself writes at the end is no format.
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
 * The segments of a path, as servers may read it: decoded once, or again, or not at all; in any case; with empty
 * segments and what follows a semicolon left out.
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

/** As servers read it that take `export.json` for `export`, in a format. */
const withoutFormat = (reading: readonly string[]): readonly string[] =>
  reading.map((segment, index) =>
    index === reading.length - 1 ? segment.replace(/(.)\.[^.]*$/, "$1") : segment,
  );

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const matches = ({ segments }: Template, reading: readonly string[]): boolean =>
  segments.length === reading.length &&
  segments.every((segment, index) => fits(segment, reading[index] ?? ""));

/** Whether a text is the literal parts in their order, with something between each two. Goes through it once. */
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

/** Whether a server takes a template before the own one, which doesn't fit or says less in some place. */
function isCloser(other: Template, own: Template | undefined, reading: readonly string[]): boolean {
  if (own === undefined || !matches(own, reading)) return true;
  return other.segments.some((segment, index) => weight(segment) > weight(own.segments[index] ?? [""]));
}

/** Literal characters; a segment without a parameter has the most. */
const weight = (segment: Segment): number =>
  segment.length === 1 ? Number.POSITIVE_INFINITY : segment.join("").length;
