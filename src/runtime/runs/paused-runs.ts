/**
 * Paused runs of an agent. What a run needs to continue is stored beside the journal until it is resumed, once, or
 * expires. The journal has only the hash of the token that resumes it.
 */
import { hash } from "node:crypto";
import type { SessionState } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { GateContext } from "../gate-context.ts";
import type { Ledger } from "../journal/ledger.ts";
import { toTimestamp } from "../ports/clock.ts";
import { createId } from "../ports/random.ts";
import type { Keep } from "../ports/store.ts";

/** How a paused run is resumed. */
export interface PausedRunToken {
  /** With this and the session, anybody can resume the run: 128 random bits. */
  readonly token: string;
  /** RFC 3339. */
  readonly expiresAt: string;
}

const RUN_KEY = "paused-run:";
/** A run's expiry, stored separately because all of them are searched. */
const EXPIRY_KEY = "paused-run-expiry:";
const TOKEN = /^run_[0-9a-f]{32}$/;
/** Characters of one run. */
const MAX_RUN_LENGTH = 32 * 1024 * 1024;
const MAX_RUNS = 100;
/** Expired runs, of any session, that are deleted at once. */
const MAX_SWEPT = 1000;

const hashOf = (token: string): string => hash("sha256", token, "hex");

/** Deletes what was stored of a run. */
export const forgetRun = (run: string): readonly Keep[] =>
  [RUN_KEY, EXPIRY_KEY].map((key) => ({ key: key + run, value: null }));

/**
 * Stores a run. Durable when it resolves.
 * @throws SluicegateError `limit-reached`, `session-closed`.
 */
export async function pauseRun(
  gate: GateContext,
  ledger: Ledger,
  kept: string,
  seconds: number,
): Promise<PausedRunToken> {
  if (kept.length > MAX_RUN_LENGTH)
    throw tooMuch("What it has said and read is longer than 32 Mi characters.");
  const token = createId("run", gate.admission.random);
  const run = hashOf(token);
  const expiresAt = await ledger.commit((state, now) => {
    if (state.closed) throw tooMuch("Its session is closed.");
    const over = expiredIn(state, toTimestamp(now));
    if (state.pausedRuns.length - over.events.length >= MAX_RUNS)
      throw tooMuch(`Its session has ${MAX_RUNS} paused runs already.`);
    const expires = toTimestamp(new Date(now.getTime() + seconds * 1000));
    const keep = [
      { key: RUN_KEY + run, value: kept },
      { key: EXPIRY_KEY + run, value: expires },
    ];
    return {
      events: [...over.events, { kind: "run-paused", run, expires }],
      keep: [...over.keep, ...keep],
      value: expires,
    };
  });
  // Expired runs of other sessions hold private data too, so each pause deletes them.
  sweep(gate).catch(gate.onFault);
  return { token, expiresAt };
}

/**
 * Uses a token, and returns what was stored of its run. If several callers try at once, in any number of processes,
 * only one gets it.
 * @throws SluicegateError `run-not-found` for a token that is malformed, unknown, used, expired or another session's.
 */
export async function resumeRun(gate: GateContext, ledger: Ledger, token: string): Promise<string> {
  const run = TOKEN.test(token) ? hashOf(token) : "";
  const kept = run === "" ? null : await gate.store.kept(ledger.session, RUN_KEY + run);
  const isMine = await ledger.commit((state, now) => {
    const over = expiredIn(state, toTimestamp(now));
    const found = state.pausedRuns.some((one) => one.run === run) && !over.runs.has(run) && kept !== null;
    // INVARIANT: the entry that ends the run also uses its token.
    const ended = found ? [{ kind: "run-ended", run, outcome: "resumed" } as const] : [];
    return {
      events: [...over.events, ...ended],
      keep: [...over.keep, ...(found ? forgetRun(run) : [])],
      value: found,
    };
  });
  if (!isMine || kept === null) throw unknownRun();
  return kept;
}

function expiredIn({ pausedRuns }: SessionState, at: string) {
  const over = pausedRuns.filter(({ expires }) => expires <= at);
  return {
    runs: new Set(over.map(({ run }) => run)),
    events: over.map(({ run }) => ({ kind: "run-ended", run, outcome: "expired" }) as const),
    keep: over.flatMap(({ run }) => forgetRun(run)),
  };
}

/** Deletes the expired runs of all sessions. */
async function sweep({ store, clock, ledgerOf }: GateContext): Promise<void> {
  const now = toTimestamp(clock.now());
  const kept = await store.keptWith(EXPIRY_KEY, MAX_SWEPT);
  const sessions = new Set(kept.filter(({ value }) => value <= now).map(({ session }) => session));
  for (const session of sessions) {
    await ledgerOf(session).commit((state, at) => ({
      ...expiredIn(state, toTimestamp(at)),
      value: undefined,
    }));
  }
}

/** The same answer for every invalid token. */
export const unknownRun = (): SluicegateError =>
  new SluicegateError("run-not-found", "There is no such paused run.", {
    why: "The token is malformed or unknown, it was used already, it has expired, or it is another session's.",
    fix: "Resume a run once, in its own session, with the token that its pause gave; or run the task again.",
  });

const tooMuch = (why: string): SluicegateError =>
  new SluicegateError("limit-reached", "The run can't be paused.", {
    why,
    fix: "Run the task again in smaller parts, or in another session.",
  });
