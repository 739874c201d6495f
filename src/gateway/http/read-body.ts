/** Reads a request's body as strict JSON, within a limit. */
import { SluicegateError } from "../../errors/index.ts";
import { malformedJson, parseInStages, parseStrictJson } from "../../json/strict-json.ts";
import { inTurns, isTurnOver, nextTurnOf, type TurnOwner } from "../../threads/index.ts";
import { countChunk } from "./open-bodies.ts";

/** A body that takes longer to read and to decide on than others should wait for without a turn, in bytes. */
const LARGE = 2 * 1024;
/** One that nothing else should share a turn with. */
const VERY_LARGE = 64 * 1024;

/** Whose body it is, and how many bytes it may have. */
export interface BodyOptions {
  readonly owner: TurnOwner;
  readonly maxBytes: number;
}

/**
 * The JSON body of a request; undefined if it is empty. Many that end together are parsed in turns.
 * @throws SluicegateError `unsupported-media-type`, `body-too-large`, `malformed-json`.
 */
export async function readJsonBody(request: Request, { owner, maxBytes }: BodyOptions): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) return undefined;
  assertPlainJson(request.headers);
  // THREAT: many large bodies may end in the same turn of the event loop.
  if (bytes.length > VERY_LARGE || (bytes.length > LARGE && isTurnOver())) await nextTurnOf(owner);
  const text = toText(bytes);
  if (bytes.length <= LARGE) return parseStrictJson(text);
  const body = await inTurns(owner, parseInStages(text));
  if (bytes.length > VERY_LARGE) await nextTurnOf(owner);
  return body;
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
export const readText = async (request: Request, maxBytes: number): Promise<string> =>
  toText(await readBytes(request, maxBytes));

function toText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformedJson("It is not valid UTF-8.");
  }
}

const readBytes = (request: Request, maxBytes: number): Promise<Uint8Array> =>
  receive(request, maxBytes).catch((cause: unknown) => {
    throw SluicegateError.isInstance(cause) ? cause : brokenOff(cause);
  });

async function receive(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  if (Number(declared ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (declared !== null) {
    // THREAT: the client states the length, but the HTTP parser passes on no more than that. Reading at once
    // is far cheaper than a stream.
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes);
    return bytes;
  }
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    countChunk(request, chunk.byteLength);
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
    // THREAT: each takes many times as long as its bytes, and as much memory.
    if (chunks.length > MAX_SHORT_CHUNKS && size < chunks.length * LEAST_MEAN) throw tooManyChunks();
  }
  return Buffer.concat(chunks);
}

/** A body may come in so many chunks; more have to be so many bytes long on average. */
const MAX_SHORT_CHUNKS = 1000;
const LEAST_MEAN = 64;

const tooManyChunks = (): SluicegateError =>
  new SluicegateError("invalid-request", "The body comes in too many chunks.", {
    why: `Beyond the first ${MAX_SHORT_CHUNKS}, they must have ${LEAST_MEAN} bytes on average.`,
    fix: "Send it in larger chunks, or with a `Content-Length`.",
  });

/** THREAT: a client can break off in the middle of a body as often as it likes, so that isn't reported as a fault. */
function brokenOff(cause: unknown): SluicegateError {
  return new SluicegateError("invalid-request", "The request broke off.", {
    why: "Its connection ended before its body was whole.",
    fix: "Send it again.",
    cause,
  });
}

function tooLarge(maxBytes: number): SluicegateError {
  return new SluicegateError("body-too-large", "The body is too large.", {
    why: `A body may have ${maxBytes} bytes.`,
    fix: "Send less at once, or raise the limit.",
  });
}
