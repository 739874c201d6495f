/** A call whose tool may stream: its decision is durable before its first chunk, and it lasts until its last. */
import type { CallContext, Outcome, Session } from "../runtime/index.ts";
import { callGuarded, type GuardedCall } from "./guarded-call.ts";

/**
 * Takes the call's turn in this very moment. Gives on what the tool streams as it comes, or its one result; a reader
 * that leaves stops the tool. Returns the outcome.
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
      // INVARIANT: nothing of a stream is given on before it was inspected, with the end of what came before it.
      await context.inspect(typeof chunk === "string" ? before + chunk : chunk);
      if (typeof chunk === "string") before = (before + chunk).slice(-REMEMBERED);
      if (!(await handoff.give(chunk))) return;
    }
  };
  const outcome = callGuarded(session, { ...call, run }).finally(() => handoff.end());
  // It is awaited once its chunks are read; until then nobody is there to be told.
  outcome.catch(() => {});
  return read(handoff, outcome);
}

/** Characters of a text that are inspected again with what follows: what is found may come in two pieces. */
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

/** Hands values from a tool that streams to whoever reads them, one at a time: the tool waits for its reader. */

class Handoff<Value> {
  #offered: { readonly value: Value; readonly taken: (go: boolean) => void } | null = null;
  #ended = false;
  #left = false;
  #wake: () => void = () => {};

  /** Resolves once the value was taken; false if the reader has left. */
  give(value: Value): Promise<boolean> {
    if (this.#left) return Promise.resolve(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#offered = { value, taken: resolve };
    this.#wake();
    return promise;
  }

  /** Nothing more comes. */
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
