/** A request's body as strict JSON, within a limit that is kept while it comes in. */
import { SluicegateError } from "../errors/index.ts";
import { parseStrictJson } from "./strict-json.ts";

/**
 * The body of a request that must carry JSON. An empty body reads as undefined.
 * @throws SluicegateError `unsupported-media-type`, `body-too-large`, `malformed-json`.
 */
export async function readJsonBody(request: Request, mostBytes: number): Promise<unknown> {
  const text = await readText(request, mostBytes);
  if (text === "") return undefined;
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new SluicegateError("unsupported-media-type", "The body must be JSON.", {
      why: "Its `Content-Type` isn't `application/json`.",
      fix: "Send JSON with `Content-Type: application/json`.",
    });
  }
  return parseStrictJson(text);
}

async function readText(request: Request, mostBytes: number): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > mostBytes) throw tooLarge(mostBytes);
  if (request.body === null) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > mostBytes) throw tooLarge(mostBytes);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new SluicegateError("malformed-json", "The JSON can't be used.", {
      why: "It is not valid UTF-8.",
      fix: "Send one JSON document in UTF-8 that every parser reads alike.",
    });
  }
}

function tooLarge(mostBytes: number): SluicegateError {
  return new SluicegateError("body-too-large", "The body is too large.", {
    why: `A body may have ${mostBytes} bytes.`,
    fix: "Send less at once, or raise the limit.",
  });
}
