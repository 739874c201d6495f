/** Reads a request's body as strict JSON, within a limit. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { SluicegateError } from "../../errors/index.ts";
import { malformedJson, parseStrictJson } from "../../json/strict-json.ts";
import { isTurnOver } from "../../runtime/internal.ts";

/** A text that takes longer to parse and to decide on than others should wait for without a turn, in characters. */
const LARGE = 64 * 1024;

/**
 * The JSON body of a request; undefined if it is empty.
 * @throws SluicegateError `unsupported-media-type`, `body-too-large`, `malformed-json`.
 */
export async function readJsonBody(request: Request, mostBytes: number): Promise<unknown> {
  const text = await readText(request, mostBytes);
  if (text === "") return undefined;
  assertPlainJson(request.headers);
  // THREAT: many large bodies may end in the same turn of the event loop.
  while (text.length > LARGE && isTurnOver()) await nextTurn();
  return parseStrictJson(text);
}

/** THREAT: a proxy could read the body as these headers say, and understand something else. */
function assertPlainJson(headers: Headers): void {
  const [type, ...parameters] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  const charsets = parameters.map((one) => one.trim()).filter((one) => one.startsWith("charset"));
  const isPlain =
    type?.trim() === "application/json" &&
    charsets.every((charset) => UTF_8.test(charset)) &&
    encoding === "identity";
  if (isPlain) return;
  throw new SluicegateError("unsupported-media-type", "The body must be JSON in UTF-8, not compressed.", {
    why: "Its `Content-Type` isn't `application/json`, names another charset, or it has a `Content-Encoding`.",
    fix: "Send plain JSON with `Content-Type: application/json`.",
  });
}

const UTF_8 = /^charset\s*=\s*(?:utf-?8|"utf-?8")$/;

/** The body as text, within the limit. @throws SluicegateError as `readJsonBody` does */
export async function readText(request: Request, mostBytes: number): Promise<string> {
  const bytes = await readBytes(request, mostBytes).catch((cause: unknown) => {
    throw SluicegateError.isInstance(cause) ? cause : brokenOff(cause);
  });
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformedJson("It is not valid UTF-8.");
  }
}

async function readBytes(request: Request, mostBytes: number): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  if (Number(declared ?? 0) > mostBytes) throw tooLarge(mostBytes);
  if (declared !== null) {
    // THREAT: the client states the length, but the HTTP parser passes on no more than that. Reading at once
    // is far cheaper than a stream.
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (bytes.byteLength > mostBytes) throw tooLarge(mostBytes);
    return bytes;
  }
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > mostBytes) throw tooLarge(mostBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** THREAT: a client can break off in the middle of a body as often as it likes, so that isn't reported as a fault. */
function brokenOff(cause: unknown): SluicegateError {
  return new SluicegateError("invalid-request", "The request broke off.", {
    why: "Its connection ended before its body was whole.",
    fix: "Send it again.",
    cause,
  });
}

function tooLarge(mostBytes: number): SluicegateError {
  return new SluicegateError("body-too-large", "The body is too large.", {
    why: `A body may have ${mostBytes} bytes.`,
    fix: "Send less at once, or raise the limit.",
  });
}
