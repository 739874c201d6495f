/** The body of a request: JSON, a form, a multipart form or plain text. */
import { createHash } from "node:crypto";
import type { BodyInput, FieldEncoding } from "../api-tool.ts";
import { isJsonObject } from "../json-value.ts";
import type { Reserved } from "./credentials.ts";
import { encodePair, toPairs, toText, WrongArgument } from "./write-parameter.ts";

interface WrittenBody {
  readonly contentType: string;
  readonly bytes: Buffer;
}

const PLAIN: FieldEncoding = {
  style: null,
  explode: true,
  allowReserved: false,
  contentType: null,
  isFile: false,
};

/** @throws WrongArgument for a value that can't be written in the format. */
export function writeBody(input: BodyInput, value: unknown, reserved: Reserved): WrittenBody {
  switch (input.kind) {
    case "json":
      return { contentType: input.mediaType, bytes: Buffer.from(JSON.stringify(value)) };
    case "text":
      return { contentType: withCharset(input.mediaType), bytes: Buffer.from(textOf(input, value)) };
    case "form":
      return {
        contentType: "application/x-www-form-urlencoded",
        bytes: Buffer.from(writeForm(input, value, reserved)),
      };
    case "multipart":
      return writeMultipart(input, value, reserved);
  }
}

const withCharset = (type: string): string => (type.includes(";") ? type : `${type}; charset=utf-8`);

function textOf({ argument }: BodyInput, value: unknown): string {
  if (typeof value === "string") return value;
  throw new WrongArgument(`\`${argument}\` must be a text.`);
}

function fieldsOf({ argument }: BodyInput, value: unknown): [string, unknown][] {
  if (!isJsonObject(value)) throw new WrongArgument(`\`${argument}\` must be an object.`);
  return Object.entries(value).filter(([, child]) => child !== null);
}

function assertFree(reserved: Reserved, name: string, argument: string): void {
  if (!reserved.hasField(name)) return;
  throw new WrongArgument(`\`${argument}\` would set a parameter that is the operator's.`);
}

/** Objects are JSON unless the document gives them a style; lists repeat their name. */
function writeForm(input: BodyInput, value: unknown, reserved: Reserved): string {
  const { argument } = input;
  const pairs = fieldsOf(input, value).flatMap(([name, child]) => {
    const { style, explode, allowReserved } = input.fields.get(name) ?? PLAIN;
    const isJson = style === null && isJsonObject(child);
    const styled = {
      name,
      argument: `${argument}.${name}`,
      style: style ?? "form",
      explode,
      allowReserved,
      isJson,
    };
    return toPairs(styled, child).map((pair) => {
      assertFree(reserved, pair.name, styled.argument);
      return encodePair(pair, styled.argument);
    });
  });
  return pairs.join("&");
}

/** The boundary is a hash of the content, so that the content can't contain it. */
function writeMultipart(input: BodyInput, value: unknown, reserved: Reserved): WrittenBody {
  const parts = fieldsOf(input, value).flatMap(([name, child]) => {
    assertFree(reserved, name, `${input.argument}.${name}`);
    return (Array.isArray(child) ? child : [child]).map((item) => writePart(input, name, item));
  });
  const boundary = `sluicegate-${createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 40)}`;
  const text = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join("");
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.from(`${text}--${boundary}--\r\n`),
  };
}

function writePart({ fields }: BodyInput, name: string, value: unknown): string {
  const { contentType, isFile } = fields.get(name) ?? PLAIN;
  const quoted = quote(name);
  const type = contentType ?? (typeof value === "object" ? "application/json" : null);
  const fileType = isFile ? "application/octet-stream" : null;
  const lines = [
    `Content-Disposition: form-data; name="${quoted}"${isFile ? `; filename="${quoted}"` : ""}`,
    ...((type ?? fileType) ? [`Content-Type: ${type ?? fileType}`] : []),
    "",
    toText(value),
  ];
  return lines.join("\r\n");
}

/** As HTML writes field names. */
const quote = (name: string): string =>
  name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
