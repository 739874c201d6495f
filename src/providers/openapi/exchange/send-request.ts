/**
 * One exchange with an API: to a checked address, with limits for time and size. No connection and no cookie is
 * reused. The environment's proxies aren't used, since they would choose the address.
 */
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { type Readable, type Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { SluicegateError } from "../../../errors/index.ts";
import { type BaseUrl, isWithinBase } from "../base-url.ts";
import { type HostAddress, type LookUpHost, resolveHost } from "./addresses.ts";
import { brokenOff, codeOf, ledAway, tooLarge, tooSlow, unreachable } from "./exchange-failure.ts";
import type { ApiRequest } from "./write-request.ts";

export interface ApiResponse {
  readonly status: number;
  /** The API's value in lower case; empty if it has none. */
  readonly contentType: string;
  readonly body: Buffer;
}

interface SendOptions {
  readonly base: BaseUrl;
  /** Added to the target of each redirect. */
  readonly query: Readonly<Record<string, string>>;
  /** Whether a path below the base belongs to another operation. */
  readonly isElsewhere: (path: string) => boolean;
  readonly allowPrivate: boolean;
  readonly limits: { readonly bytes: number; readonly seconds: number };
  readonly lookUp: LookUpHost;
  readonly signal?: AbortSignal | undefined;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** @throws SluicegateError `upstream-unavailable`, `upstream-failed`, `upstream-timeout`, `result-too-large`. */
export async function sendRequest(request: ApiRequest, options: SendOptions): Promise<ApiResponse> {
  const { limits, signal } = options;
  const time = AbortSignal.timeout(limits.seconds * 1000);
  const over = signal === undefined ? time : AbortSignal.any([time, signal]);
  try {
    return await whileOpen(over, follow(request, options, over));
  } catch (cause) {
    signal?.throwIfAborted();
    if (time.aborted) throw tooSlow(limits.seconds);
    throw SluicegateError.isInstance(cause) ? cause : brokenOff(codeOf(cause));
  }
}

/** Settles when the signal aborts, at the latest; what is still running ends by the same signal. */
function whileOpen<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  const ended = Promise.withResolvers<never>();
  const end = (): void => ended.reject(signal.reason);
  if (signal.aborted) end();
  signal.addEventListener("abort", end, { once: true });
  return Promise.race([work, ended.promise]).finally(() => signal.removeEventListener("abort", end));
}

async function follow(first: ApiRequest, options: SendOptions, signal: AbortSignal): Promise<ApiResponse> {
  let request = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const response = await exchange(request, options, signal);
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (!REDIRECTS.has(status) || location === undefined)
      return readResponse(response, status, options, signal);
    response.destroy();
    request = { ...request, target: redirectedTo(request, location, options) };
  }
  throw ledAway(`It has led on more than ${MAX_REDIRECTS} times.`);
}

/**
 * The target of a redirect, within the API. THREAT: the API chooses it, and the request carries the operator's
 * credentials.
 */
function redirectedTo(
  { method, target }: ApiRequest,
  location: string,
  { base, query, isElsewhere }: SendOptions,
): string {
  if (method !== "GET" && method !== "HEAD") throw ledAway("What it was asked for is more than a reading.");
  const url = URL.parse(location, `${base.origin}${target}`);
  const isInside =
    url !== null &&
    url.origin === base.origin &&
    url.username === "" &&
    url.password === "" &&
    isWithinBase(base, url.pathname);
  if (!isInside) throw ledAway("It leads outside of the API's `base_url`.");
  if (isElsewhere(url.pathname.slice(base.path.length)))
    throw ledAway("It leads to a path that is not this operation's.");
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return `${url.pathname}${url.search}`;
}

/** Sends one request and waits for the head of its answer. */
async function exchange(
  { method, target, headers, body }: ApiRequest,
  { base, allowPrivate, lookUp }: SendOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const addresses = await resolveHost(base, allowPrivate, lookUp);
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const [send, Agent] = base.isSecure ? [requestHttps, HttpsAgent] : [requestHttp, HttpAgent];
  const sent = send({
    method,
    host: base.hostname,
    port: base.port,
    path: target,
    headers,
    signal,
    // A shared agent may use the environment's proxy.
    agent: new Agent({ keepAlive: false }),
    lookup: toLookup(addresses),
    insecureHTTPParser: false,
  });
  sent.once("response", resolve);
  let isConnected = false;
  sent.once("socket", (socket) => {
    socket.once(base.isSecure ? "secureConnect" : "connect", () => {
      isConnected = true;
    });
  });
  sent.on("error", (cause) =>
    reject(isConnected ? brokenOff(codeOf(cause)) : unreachable(`The connection failed${codeOf(cause)}.`)),
  );
  // An unexpected upgrade, or an end without an answer.
  sent.once("upgrade", (_, socket) => socket.destroy());
  sent.once("close", () => reject(brokenOff("")));
  sent.end(body ?? undefined);
  return promise;
}

/** INVARIANT: returns the checked addresses, however often it is called. */
const toLookup =
  (addresses: readonly HostAddress[]): LookupFunction =>
  (_, { all }, done) => {
    const [first] = addresses;
    if (all === true) done(null, [...addresses]);
    else done(null, first?.address ?? "", first?.family);
  };

async function readResponse(
  response: IncomingMessage,
  status: number,
  { limits }: SendOptions,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const contentType = (response.headers["content-type"] ?? "").toLowerCase();
  const body = await readBounded(response, limits.bytes, signal);
  return { status, contentType, body };
}

/** The body of an answer, decompressed, up to a limit. */
const DECOMPRESSORS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/**
 * THREAT: a small body may decompress to any size, so the output is counted as it comes.
 * @throws SluicegateError `result-too-large`, `upstream-failed`.
 */
async function readBounded(response: IncomingMessage, longest: number, signal: AbortSignal): Promise<Buffer> {
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
      // `pipeline` would close the streams when the input ends, before all output was read.
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
    // An answer without a body, such as to a HEAD request, may still name an encoding.
    if (!hasBegun && response.complete) return Buffer.alloc(0);
    throw SluicegateError.isInstance(cause) ? cause : brokenOff(codeOf(cause));
  }
  return Buffer.concat(chunks);
}
