/** `fetch` with limits for answers: for size and number of values, of the whole body or of each event of an event stream. */
import type { RequestId } from "@modelcontextprotocol/client";
import { JsonScanner } from "../../../json/json-scanner.ts";
import { parseNatively } from "../../../json/parse-json.ts";
import type { UpstreamLimits } from "../limits.ts";
import { EventScanner } from "./event-scanner.ts";
import { fetchLimitingChunks } from "./limit-chunks.ts";
import { Pace } from "./pace.ts";

type Bounds = Pick<UpstreamLimits, "messageBytes" | "messageValues">;

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * `onOversized` gets the id of the request whose answer was cut off; `onSingle` is called, in the request's own async
 * context, if its answer is one document and no stream.
 */
export function createBoundedFetch(
  bounds: Bounds,
  onOversized: (id: RequestId | null) => void,
  onSingle: () => void = () => {},
): Fetch {
  return async (url, init) => {
    const response = await fetchLimitingChunks(url, init);
    // THREAT: `Response` refuses such a status, and a body that nobody reads keeps its connection for good.
    if (response.status > 599) {
      await response.body?.cancel();
      throw new Error(`The status ${response.status} is none of HTTP's.`);
    }
    const isTyped = typeOf(response) === EVENTS;
    const isEvents = response.ok && isReadAsEvents(response, init);
    if (response.ok && !isEvents) onSingle();
    if (response.body === null || (!isEvents && !isTyped && isSurelyShort(response, bounds))) return response;
    const bound = createBound(bounds, isEvents, () => onOversized(readSent(init?.body).id));
    const { status } = response;
    const headers = new Headers(response.headers);
    // INVARIANT: the SDK reads it as it is bounded, whatever it makes of odd parameters of the type.
    if (isEvents) headers.set("content-type", EVENTS);
    return new Response(response.body.pipeThrough(bound), { status, headers });
  };
}

const EVENTS = "text/event-stream";

const typeOf = ({ headers }: Response): string | undefined =>
  headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();

/**
 * Whether the SDK reads an answer event by event: to a GET whatever its type, and to a POST of a request by its type.
 * All others it reads as a whole, so they are bounded as a whole.
 */
const isReadAsEvents = (response: Response, init?: RequestInit): boolean =>
  (init?.method ?? "GET") === "GET" ||
  (typeOf(response) === EVENTS && response.status !== 202 && readSent(init?.body).isRequest);

/** THREAT: the length of a compressed body isn't that of its content. */
function isSurelyShort({ headers }: Response, { messageBytes, messageValues }: Bounds): boolean {
  const length = headers.get("content-length");
  // A value has at least one byte.
  const longest = Math.min(messageBytes, messageValues);
  return length !== null && !headers.has("content-encoding") && Number(length) <= longest;
}

function createBound(
  bounds: Bounds,
  isStream: boolean,
  onExcess: () => void,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const pace = new Pace();
  const scanner = isStream ? new EventScanner(bounds) : new DocumentScanner(bounds);
  return new TransformStream({
    transform: async (chunk, controller) => {
      for (let rest = chunk; ; await pace.next()) {
        const taken = isStream ? pace.take(rest) : rest.length;
        const part = rest.subarray(0, taken);
        if (!scanner.push(part)) {
          onExcess();
          return controller.error(new Error("The answer is too large."));
        }
        if (taken > 0) controller.enqueue(part);
        if (taken === rest.length) return;
        rest = rest.subarray(taken);
      }
    },
  });
}

/** Messages of one document, all of which the SDK handles in one turn of the event loop. */
const MAX_MESSAGES = 128;

/** Counts the JSON of an answer that is one document. */
class DocumentScanner {
  readonly #bounds: Bounds;
  readonly #scanner: JsonScanner;
  #length = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
    this.#scanner = new JsonScanner(bounds.messageValues);
  }

  /** Takes the next bytes; false if it is too large. */
  push(chunk: Uint8Array): boolean {
    this.#length += chunk.length;
    this.#scanner.push(chunk);
    const { values, items } = this.#scanner;
    const { messageBytes, messageValues } = this.#bounds;
    return this.#length <= messageBytes && values <= messageValues && items < MAX_MESSAGES;
  }
}

/** The id of the SDK's message, and whether it is a request and no reply. */
function readSent(body: unknown): { readonly id: RequestId | null; readonly isRequest: boolean } {
  // Its own names are never written with an escape.
  const message: unknown = typeof body === "string" ? parseNatively(body) : null;
  if (typeof message !== "object" || message === null || !("id" in message))
    return { id: null, isRequest: false };
  const { id } = message;
  if (typeof id !== "string" && typeof id !== "number") return { id: null, isRequest: false };
  return { id, isRequest: "method" in message };
}
