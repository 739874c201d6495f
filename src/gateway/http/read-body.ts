/** A request's body as strict JSON, within a limit that is kept while it comes in. */
import { SluicegateError } from "../../errors/index.ts";
import { malformedJson, parseStrictJson } from "../../json/strict-json.ts";

/**
 * The body of a request that must carry JSON. An empty body reads as undefined.
 * @throws SluicegateError `unsupported-media-type`, `body-too-large`, `malformed-json`.
 */
export async function readJsonBody(request: Request, mostBytes: number): Promise<unknown> {
  const text = await readText(request, mostBytes);
  if (text === "") return undefined;
  assertPlainJson(request.headers);
  return parseStrictJson(text);
}

/** THREAT: whatever stands before the gateway may read the body as these headers say, and something else in it. */
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
    // THREAT: the length is the client's word, but no HTTP parser hands on more than that. Read at once, a body costs
    // far less than as a stream.
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

/** THREAT: whoever goes away in the middle of a body does so as often as they like; that is no fault of ours. */
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
