/** A call whose tool may stream: its decision is durable before its first chunk, and it lasts until its last. */
import type { CallContext, Outcome, Session } from "../session/index.ts";
import { callGuarded, type GuardedCall } from "./guarded-call.ts";
import { Handoff } from "./handoff.ts";

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
      await handoff.give(await result);
      return;
    }
    for await (const chunk of result) {
      if (!(await handoff.give(chunk))) return;
    }
  };
  const outcome = callGuarded(session, { ...call, run }).finally(() => handoff.end());
  // It is awaited once its chunks are read; until then nobody is there to be told.
  outcome.catch(() => {});
  return read(handoff, outcome);
}

async function* read<Result>(
  handoff: Handoff<unknown>,
  outcome: Promise<Outcome<Result>>,
): AsyncGenerator<unknown, Outcome<Result>, void> {
  yield* handoff.read();
  return await outcome;
}

const isStream = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;
