/**
 * Paths with parameters. A parameter fills a part of one segment and can't add segments. THREAT: the document chooses
 * the template and the model the values; either may try to leave the API.
 */
import { UnusableOperation } from "./document-reading.ts";

/** Literal texts and parameter names in turn; begins and ends with a text. */
interface PathTemplate {
  readonly texts: readonly string[];
  readonly names: readonly string[];
}

const LITERAL = /^[A-Za-z0-9\-._~!$&'()*+,;=:@%/]*$/;
const MAX_PATH_LENGTH = 2_000;

/** @throws UnusableOperation for a template that isn't a plain path. */
export function parsePathTemplate(path: string): PathTemplate {
  const parts = path.split(/\{([^{}]+)\}/);
  const texts = parts.filter((_, index) => index % 2 === 0).map(toLiteral);
  const isPlain =
    path.startsWith("/") && path.length <= MAX_PATH_LENGTH && texts.every((text) => LITERAL.test(text));
  if (!isPlain || hasDotSegment(texts.join("x"))) {
    throw new UnusableOperation(
      "Its path isn't a plain path: a query, a fragment or a dot segment has no place in it.",
    );
  }
  return { texts, names: parts.filter((_, index) => index % 2 === 1) };
}

function toLiteral(text: string): string {
  try {
    return encodeURI(decodeURI(text));
  } catch {
    throw new UnusableOperation("Its path can't be written in a URL.");
  }
}

/**
 * Whether any server could read a segment of the path as `.` or `..`: also one that decodes before it splits, decodes
 * twice, treats a backslash as a slash, or cuts a segment at a semicolon.
 */
export function hasDotSegment(path: string): boolean {
  let text = path;
  for (let round = 0; round < 4; round += 1) {
    const segments = text.split(/[/\\]/);
    if (segments.some((segment) => /^\.{1,2}(?:;|$)/.test(segment))) return true;
    text = text.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
  return false;
}
