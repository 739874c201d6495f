/**
 * The order of runs over all processes on a store. A run takes a ticket in its session's queue, and has its turn once no
 * smaller one is there. Whoever waits or runs renews its ticket; one that isn't renewed in time is taken away, by the
 * database's clock.
 */
import { SluicegateError } from "../../errors/index.ts";
import type { RunOrder, RunTurn } from "../../runtime/index.ts";
import type { Connections } from "./connections.ts";
import { toPostgresError } from "./postgres-errors.ts";
import { integer } from "./postgres-reads.ts";
import { toStoredName } from "./stored-text.ts";

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 500;

interface Ticket {
  readonly number: number;
  readonly isFirst: boolean;
}

export function createLeases({ write }: Connections, leaseMs: number): RunOrder {
  /** Those who wait in this process, by session: they needn't look again to hear of a turn that ended here. */
  const waiting = new Map<string, Set<() => void>>();

  const take = async (session: string, own: number | null): Promise<Ticket | null> => {
    const [row] = await write(
      "SELECT place, is_first FROM sluicegate.take_turn_1($1, $2, make_interval(secs => $3::float8 / 1000))",
      [session, own, leaseMs],
    ).catch((error: unknown) => {
      throw toPostgresError(error, "give a run its turn");
    });
    return row === undefined ? null : { number: integer(row, "place"), isFirst: row.is_first === true };
  };
  const leave = async (session: string, ticket: number): Promise<void> => {
    // Where it fails, the ticket runs out by itself.
    await write("DELETE FROM sluicegate.turns WHERE session = $1 AND ticket = $2", [session, ticket]).catch(
      () => {},
    );
    for (const wake of waiting.get(session) ?? []) wake();
  };
  const pause = async (session: string, milliseconds: number, signal?: AbortSignal): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const here = waiting.get(session) ?? new Set();
    waiting.set(session, here.add(resolve));
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
    here.delete(resolve);
    if (here.size === 0) waiting.delete(session);
  };

  const hold = (session: string, ticket: number, renewedAt: number): RunTurn => {
    const lost = new AbortController();
    let until = renewedAt + leaseMs;
    let timer: NodeJS.Timeout;
    let isOver = false;
    const lose = (): void => {
      clearTimeout(timer);
      lost.abort(lostError());
    };
    const renew = async (): Promise<void> => {
      const sentAt = performance.now();
      const renewed = await take(session, ticket).catch(() => undefined);
      if (isOver) return;
      if (renewed === null) return lose();
      if (renewed !== undefined) until = sentAt + leaseMs;
      next();
    };
    const next = (): void => {
      const left = until - performance.now();
      // INVARIANT: it counts as lost here before the database gives the turn to another.
      timer = left <= 0 ? setTimeout(lose, 0) : setTimeout(() => void renew(), Math.min(leaseMs / 3, left));
      timer.unref();
    };
    next();
    return {
      fence: ticket,
      lost: lost.signal,
      end: async () => {
        isOver = true;
        clearTimeout(timer);
        await leave(session, ticket);
      },
    };
  };

  return {
    enter: async (given, signal) => {
      signal?.throwIfAborted();
      const session = toStoredName(given);
      let own: number | null = null;
      let pauseMs = FIRST_PAUSE_MS;
      try {
        for (;;) {
          const sentAt = performance.now();
          const ticket = await take(session, own);
          own = ticket?.number ?? null;
          signal?.throwIfAborted();
          if (ticket?.isFirst) return hold(session, ticket.number, sentAt);
          if (ticket !== null) await pause(session, pauseMs, signal);
          signal?.throwIfAborted();
          pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS, leaseMs / 3);
        }
      } catch (cause) {
        if (own !== null) await leave(session, own);
        throw cause;
      }
    },
  };
}

const lostError = (): SluicegateError =>
  new SluicegateError("store-failed", "The run has lost its turn.", {
    why: "Its lease wasn't renewed in time, so another run of the session may have begun.",
    fix: "See that the database answers, and start the run again.",
  });
