/** A call whose tool may stream: its decision is durable before the first chunk, and it lasts until the last. */
import type { CallContext, Outcome, Session } from "../runtime/index.ts";
import { callGuarded, type GuardedCall } from "./guarded-call.ts";

/**
 * Takes the call's turn at once. Passes on what the tool streams, or its one result; if the reader leaves, the tool
 * is stopped. Returns the outcome.
 */
export function streamGuarded(
  session: Session,
  call: GuardedCall<unknown>,
): AsyncGenerator<unknown, Outcome<unknown>, void> {
  const handoff = new Handoff<unknown>();
  const run = async (input: unknown, context: CallContext): Promise<void> => {
    const result = call.run(input, context);
    if (!isStream(result)) {
      const only = await result;
      await context.inspect(only);
      await handoff.give(only);
      return;
    }
    let before = "";
    for await (const chunk of result) {
      // INVARIANT: a chunk is passed on only after its inspection, together with the end of the text before it.
      await context.inspect(typeof chunk === "string" ? before + chunk : chunk);
      if (typeof chunk === "string") before = (before + chunk).slice(-REMEMBERED);
      if (!(await handoff.give(chunk))) return;
    }
  };
  const outcome = callGuarded(session, { ...call, run }).finally(() => handoff.end());
  // It is awaited after its chunks were read; until then nobody handles a rejection.
  outcome.catch(() => {});
  return read(handoff, outcome);
}

/** Characters that are inspected again with the next chunk, for findings that are split in two. */
const REMEMBERED = 4096;

async function* read<Result>(
  handoff: Handoff<unknown>,
  outcome: Promise<Outcome<Result>>,
): AsyncGenerator<unknown, Outcome<Result>, void> {
  yield* handoff.read();
  return await outcome;
}

const isStream = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;

/** Passes values from a streaming tool to its reader, one at a time: the tool waits for the reader. */

class Handoff<Value> {
  #offered: { readonly value: Value; readonly taken: (go: boolean) => void } | null = null;
  #ended = false;
  #left = false;
  #wake: () => void = () => {};

  /** Resolves once the value was read; false if the reader has left. */
  give(value: Value): Promise<boolean> {
    if (this.#left) return Promise.resolve(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#offered = { value, taken: resolve };
    this.#wake();
    return promise;
  }

  /** Nothing more follows. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *read(): AsyncGenerator<Value, void, void> {
    try {
      for (;;) {
        const offered = this.#offered;
        if (offered !== null) {
          yield offered.value;
          this.#offered = null;
          offered.taken(true);
        } else if (this.#ended) return;
        else await this.#next();
      }
    } finally {
      this.#left = true;
      this.#offered?.taken(false);
    }
  }

  #next(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return promise;
  }
}
