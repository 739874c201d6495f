/**
 * Answers that aren't sent yet. Their text is in memory, so it is limited: per label holder, in total, and in time.
 * Beyond a limit, the connection whose reader has been idle longest is closed: one of that label holder, or of the
 * one with most of the principal with most.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { jsonPieces } from "../../json/json-pieces.ts";
import { roughLengthInStages } from "../../json/measure-json.ts";
import {
  Counts,
  inTurns,
  isTurnOver,
  type Member,
  memberOf,
  nextTurnOf,
  OwnerCounts,
  type TurnOwner,
} from "../../threads/index.ts";

/** Shorter answers fit into the connection's own buffer. */
const SMALL_BYTES = 16 * 1024;
/** Bytes per chunk. */
const CHUNK_BYTES = 64 * 1024;
/** A reader that takes nothing for this long, while something waits, is disconnected. */
const STALL_MS = 30_000;
/** The part of all unsent bytes that one label holder may have. */
const SHARE = 4;

export interface UnsentAnswersOptions {
  /** Per label holder. */
  readonly maxBytes: number;
  readonly stallMs?: number;
}

/** The reader of an answer, and how to close its connection. */
export interface Recipient extends TurnOwner {
  readonly disconnect?: (() => void) | undefined;
  /** Whether it can't see the end of an answer of unknown length, as a client of HTTP/1.0 can't. */
  readonly needsLength?: boolean;
  /** Calls `end` once the reader of a stream may no longer read; returns a function that ends this. */
  readonly onRevoked?: (end: (cause: unknown) => void) => () => void;
}

export class UnsentAnswers {
  readonly #maxBytes: number;
  readonly #stallMs: number;
  /** INVARIANT: those with unsent bytes, ordered by when their reader last took something. */
  readonly #waiting = new Set<UnsentBody>();
  readonly #unsent = new OwnerCounts();
  #timer: NodeJS.Timeout | null = null;

  constructor({ maxBytes, stallMs = STALL_MS }: UnsentAnswersOptions) {
    this.#maxBytes = maxBytes;
    this.#stallMs = stallMs;
  }

  /** The bytes that wait for readers of one label holder. */
  of(labelHolder: string): number {
    return this.#unsent.holders.of(labelHolder);
  }

  /** An answer with a value as JSON. A long one is written in turns of the event loop, while it is being read. */
  answer(value: unknown, init: ResponseInit, recipient: Recipient): Response | Promise<Response> {
    const pieces = jsonPieces(value);
    const { value: first = "" } = pieces.next();
    // INVARIANT: only the last piece is short.
    if (first.length <= SMALL_BYTES / 2) return new Response(first, init);
    return this.#answerLong(value, first, pieces, init, recipient);
  }

  async #answerLong(
    value: unknown,
    first: string,
    pieces: Iterable<string>,
    init: ResponseInit,
    recipient: Recipient,
  ): Promise<Response> {
    const unsent = new UnsentBody(this, recipient, () => {});
    unsent.expect(await inTurns(recipient, roughLengthInStages(value)));
    unsent.push(new TextEncoder().encode(first));
    const written = writeRest(pieces, unsent, recipient);
    const answer = new Response(unsent.stream, init);
    if (!recipient.needsLength) return answer;
    await written;
    return withLength(answer, unsent.pushed);
  }

  /** The same response, with its unread part limited. */
  async guard(response: Response, recipient: Recipient): Promise<Response> {
    const { body, status, headers } = response;
    if (body === null) return response;
    if (!headers.get("content-type")?.startsWith("text/event-stream"))
      return this.#whole(new Uint8Array(await response.arrayBuffer()), { status, headers }, recipient);
    const reader = body.getReader();
    const unsent = new UnsentBody(this, recipient, (cause) => void reader.cancel(cause).catch(() => {}));
    const stop = recipient.onRevoked?.((cause) => unsent.cut(cause));
    void pump(reader, unsent).finally(stop);
    return new Response(unsent.stream, { status, headers });
  }

  #whole(bytes: Uint8Array<ArrayBuffer>, init: ResponseInit, recipient: Recipient): Response {
    if (bytes.length <= SMALL_BYTES) return new Response(bytes, init);
    const headers = new Headers(init.headers);
    headers.set("content-length", `${bytes.length}`);
    const unsent = new UnsentBody(this, recipient, () => {});
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) unsent.push(bytes.subarray(at, at + CHUNK_BYTES));
    unsent.end();
    return new Response(unsent.stream, { ...init, headers });
  }

  /** Counts bytes that wait for a reader; negative when it has taken some. */
  count(body: UnsentBody, bytes: number): void {
    const { labelHolder } = body.member;
    this.#unsent.add(body.member, bytes);
    if (bytes < 0 || !this.#waiting.has(body)) {
      body.takenAt = performance.now();
      this.#waiting.delete(body);
    }
    if (body.bytes > 0) this.#waiting.add(body);
    while (this.of(labelHolder) > this.#maxBytes) this.#cut(labelHolder);
    while (this.#unsent.total > this.#maxBytes * SHARE) this.#cut(this.#largestHolder());
    this.#watchTime();
  }

  /** Of the party with most. */
  #largestHolder(): string {
    const largest = this.#unsent.parties.most();
    const holders = new Counts();
    for (const { member, bytes } of this.#waiting)
      if (member.party === largest) holders.add(member.labelHolder, bytes);
    return holders.most();
  }

  #cut(labelHolder: string): void {
    for (const body of this.#waiting) {
      if (body.member.labelHolder !== labelHolder) continue;
      body.cut(new Error("The reader is too slow."));
      return;
    }
  }

  #watchTime(): void {
    if (this.#waiting.size > 0) {
      this.#timer ??= setInterval(() => this.#cutStalled(), this.#stallMs / 4).unref();
    } else if (this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }

  #cutStalled(): void {
    const since = performance.now() - this.#stallMs;
    for (const body of [...this.#waiting]) {
      if (body.takenAt > since) return;
      body.cut(new Error("The reader takes nothing."));
    }
  }
}

/** The unsent bytes of one answer. */
class UnsentBody {
  readonly stream: ReadableStream<Uint8Array>;
  readonly member: Member;
  readonly #disconnect: (() => void) | undefined;
  /** When its reader last took something. */
  takenAt = 0;
  /** Waiting bytes, including those that are expected and the chunk that the reader is taking. */
  bytes = 0;
  readonly #answers: UnsentAnswers;
  readonly #onCut: (cause: unknown) => void;
  readonly #chunks: Uint8Array[] = [];
  /** All bytes that were pushed, waiting or not. */
  pushed = 0;
  #expected = 0;
  #taking = 0;
  #isEnding = false;
  #isOver = false;
  #wake: () => void = () => {};
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;

  constructor(answers: UnsentAnswers, { disconnect, ...owner }: Recipient, onCut: (cause: unknown) => void) {
    this.#answers = answers;
    this.member = memberOf(owner);
    this.#disconnect = disconnect;
    this.#onCut = onCut;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: (controller) => this.#give(controller),
        cancel: (cause) => this.#leave(cause),
      },
      { highWaterMark: 0 },
    );
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Counts bytes that will be pushed: what they are made of is in memory already. */
  expect(bytes: number): void {
    this.#expected += bytes;
    this.#count(bytes);
  }

  push(chunk: Uint8Array): void {
    if (this.#isOver) return;
    this.#chunks.push(chunk);
    this.pushed += chunk.length;
    const counted = Math.min(this.#expected, chunk.length);
    this.#expected -= counted;
    this.#count(chunk.length - counted);
    this.#wake();
  }

  /** Nothing more will be pushed. */
  end(): void {
    if (!this.#isOver) this.#count(-this.#expected);
    this.#expected = 0;
    this.#isEnding = true;
    this.#wake();
  }

  cut(cause: unknown): void {
    if (this.#isOver) return;
    this.#leave(cause);
    if (this.#disconnect) this.#disconnect();
    else this.#controller?.error(cause);
    this.#wake();
  }

  /** A reader that requests the next chunk has taken the one before. */
  async #give(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#count(-this.#taking);
    this.#taking = 0;
    while (this.#chunks.length === 0 && !this.#isEnding && !this.#isOver) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    // A fast reader takes a long answer at once.
    if (isTurnOver()) await nextTurn();
    if (this.#isOver) return;
    const chunk = this.#chunks.shift();
    if (chunk === undefined) {
      this.#isOver = true;
      return controller.close();
    }
    this.#taking = chunk.length;
    controller.enqueue(chunk);
  }

  #leave(cause: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#chunks.length = 0;
    this.#count(-this.bytes);
    this.#onCut(cause);
  }

  #count(bytes: number): void {
    if (bytes === 0) return;
    this.bytes += bytes;
    this.#answers.count(this, bytes);
  }
}

function withLength(answer: Response, bytes: number): Response {
  answer.headers.set("content-length", `${bytes}`);
  return answer;
}

/** Never rejects: if the value can't be written, the answer is cut. */
async function writeRest(pieces: Iterable<string>, unsent: UnsentBody, recipient: Recipient): Promise<void> {
  try {
    for (const piece of pieces) {
      await nextTurnOf(recipient);
      if (unsent.isOver) return;
      unsent.push(new TextEncoder().encode(piece));
    }
    unsent.end();
  } catch (cause) {
    unsent.cut(cause);
  }
}

/** Never rejects: if the body can't be read, the answer is cut. */
async function pump(reader: ReadableStreamDefaultReader<Uint8Array>, unsent: UnsentBody): Promise<void> {
  try {
    while (!unsent.isOver) {
      const { done, value } = await reader.read();
      if (done) return unsent.end();
      unsent.push(value);
    }
  } catch (cause) {
    unsent.cut(cause);
  }
}
