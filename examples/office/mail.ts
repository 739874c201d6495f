/** Reads one mail (RFC 5322 with MIME): its headers, and its text out of whatever parts it has. */
import { decodeCharacters, decodeHeader } from "./encoded-words.ts";
import { htmlToText } from "./html.ts";
import { decodeTransferEncoding } from "./transfer-encoding.ts";

export interface Mail {
  readonly id: string;
  readonly date: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly body: string;
}

interface Entity {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const deepestPart = 8;

/** Takes the mail with one character per byte; what can't be read becomes an empty field, never an error. */
export function parseMail(source: string): Mail {
  const entity = parseEntity(source);
  const header = (name: string) => decodeHeader(entity.headers.get(name) ?? "");
  return {
    id: header("message-id").replace(/^<|>$/g, ""),
    date: header("date"),
    from: header("from"),
    to: header("to"),
    subject: header("subject"),
    body: toText(entity).trim(),
  };
}

function parseEntity(source: string): Entity {
  const lines = source.split("\n");
  const end = lines.indexOf("");
  const headerLines = end === -1 ? lines : lines.slice(0, end);
  const body = end === -1 ? "" : lines.slice(end + 1).join("\n");
  return { headers: parseHeaders(headerLines.join("\n")), body };
}

/** A header goes on in the next line where that begins with a space or a tab. The first of several counts. */
function parseHeaders(source: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of source.replace(/\n[ \t]+/g, " ").split("\n")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).trim().toLowerCase();
    if (colon > 0 && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}

/** Plain text where the mail has it, else its HTML without the tags. */
function toText(entity: Entity): string {
  const leaves = toLeaves(entity, 0).filter((leaf) => !isAttachment(leaf));
  const plain = leaves.find((leaf) => mediaType(leaf) === "text/plain");
  if (plain) return decodeBody(plain);
  const html = leaves.find((leaf) => mediaType(leaf) === "text/html");
  return html ? htmlToText(decodeBody(html)) : "";
}

function toLeaves(entity: Entity, depth: number): Entity[] {
  const boundary = parameter(entity, "boundary");
  if (!mediaType(entity).startsWith("multipart/") || boundary === undefined) return [entity];
  // THREAT: who wrote the mail also decides how deep its parts are nested.
  if (depth >= deepestPart) return [];
  return splitParts(entity.body, boundary).flatMap((part) => toLeaves(parseEntity(part), depth + 1));
}

function splitParts(body: string, boundary: string): string[] {
  const parts: string[][] = [];
  let open = false;
  for (const line of body.split("\n")) {
    const mark = line.trimEnd();
    if (mark === `--${boundary}--`) break;
    if (mark === `--${boundary}`) {
      parts.push([]);
      open = true;
    } else if (open) parts.at(-1)?.push(line);
  }
  return parts.map((lines) => lines.join("\n"));
}

function decodeBody(entity: Entity): string {
  const bytes = decodeTransferEncoding(
    entity.body,
    entity.headers.get("content-transfer-encoding") ?? "7bit",
  );
  return decodeCharacters(bytes, parameter(entity, "charset") ?? "utf-8");
}

function isAttachment(entity: Entity): boolean {
  return /^attachment\b/i.test(entity.headers.get("content-disposition") ?? "");
}

function mediaType(entity: Entity): string {
  const value = entity.headers.get("content-type") ?? "text/plain";
  return (value.split(";")[0] ?? "").trim().toLowerCase();
}

function parameter(entity: Entity, name: "boundary" | "charset"): string | undefined {
  const value = entity.headers.get("content-type") ?? "";
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;]+))`, "i").exec(value);
  return found?.[1] ?? found?.[2];
}
