/** The body of an answer, decompressed, up to so many bytes. */
import type { IncomingMessage } from "node:http";
import { type Readable, type Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { SluicegateError } from "../../../errors/index.ts";
import { brokenOff, codeOf, tooLarge } from "./exchange-failure.ts";

const DECOMPRESSORS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/**
 * THREAT: a small body may grow without end when it is decompressed, so what comes out is counted as it comes.
 * @throws SluicegateError `result-too-large`, `upstream-failed`.
 */
export async function readBounded(
  response: IncomingMessage,
  longest: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const encoding = (response.headers["content-encoding"] ?? "").trim().toLowerCase();
  const decompressor = DECOMPRESSORS.get(encoding)?.();
  if (decompressor === undefined && encoding !== "identity" && encoding !== "") {
    response.destroy();
    throw brokenOff("");
  }
  let hasBegun = false;
  response.once("data", () => {
    hasBegun = true;
  });
  const chunks: Buffer[] = [];
  let length = 0;
  const excess = Promise.withResolvers<never>();
  const sink = new Writable({
    write: (chunk: Buffer, _, done) => {
      length += chunk.length;
      if (length <= longest) {
        chunks.push(chunk);
        done();
        return;
      }
      // A pipeline would end with its streams, and a decompressor ends with all that it was given.
      excess.reject(tooLarge(longest));
      response.destroy();
      decompressor?.destroy();
    },
  });
  const streams: [Readable, ...Transform[], Writable] = decompressor
    ? [response, decompressor, sink]
    : [response, sink];
  try {
    await Promise.race([pipeline(streams, { signal }), excess.promise]);
  } catch (cause) {
    // An answer without a body, to a HEAD for one, may be said to be compressed all the same.
    if (!hasBegun && response.complete) return Buffer.alloc(0);
    throw SluicegateError.isInstance(cause) ? cause : brokenOff(codeOf(cause));
  }
  return Buffer.concat(chunks);
}
