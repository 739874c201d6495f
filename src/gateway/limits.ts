/** Limits of the gateway. The defaults are generous; each can be set. */
import type { PlannedCall } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import { assertMethodIsCallable } from "../runtime/internal.ts";
import { TokenBuckets } from "../threads/index.ts";

export interface GatewayLimits {
  /** Size of one request body. */
  readonly bodyBytes: number;
  /** Calls in one batch of `decide`. */
  readonly batchCalls: number;
  /** Calls in one plan. */
  readonly planCalls: number;
  /** Entries of all `after` lists of one plan. */
  readonly planEdges: number;
  /**
   * Requests per second, per session with the forks that share its label, and for the operator; bursts of twice as
   * many.
   */
  readonly requestsPerSecond: number;
  /** Sessions opened per second. */
  readonly sessionsPerSecond: number;
  /** Sessions and forks that a principal may open per day. The operator has no such limit. */
  readonly sessionsPerDay: number;
  /**
   * MCP connections of older clients, per session with the forks that share its label. For a further one, the
   * connection that was idle longest is closed.
   */
  readonly transportsPerSession: number;
  /** The same over all sessions; for a further one, a connection of the session with the most is closed. */
  readonly transports: number;
  /** An idle connection is closed after this time. */
  readonly transportIdleSeconds: number;
  /** Open event streams per principal; in total four times as many, and the operator's in addition. */
  readonly eventStreams: number;
  /** Unread bytes of answers per session with the forks that share its label; in total four times as many. */
  readonly unsentBytes: number;
}

export const DEFAULT_LIMITS: GatewayLimits = Object.freeze({
  bodyBytes: 4 * 1024 * 1024,
  batchCalls: 1000,
  planCalls: 1000,
  planEdges: 10_000,
  requestsPerSecond: 5000,
  sessionsPerSecond: 2000,
  sessionsPerDay: 100_000,
  transportsPerSession: 64,
  transports: 4096,
  transportIdleSeconds: 3600,
  eventStreams: 32,
  unsentBytes: 128 * 1024 * 1024,
});

/** @throws SluicegateError `limit-reached` for a plan that is too long. */
export function assertPlanFits(limits: GatewayLimits, planned: readonly PlannedCall[]): void {
  for (const step of planned) assertMethodIsCallable(typeof step === "string" ? step : step.tool);
  const edges = planned.reduce(
    (sum, step) => sum + (typeof step === "string" ? 0 : (step.after?.length ?? 0)),
    0,
  );
  assertAtMost(planned.length, limits.planCalls, "calls of the plan");
  assertAtMost(edges, limits.planEdges, "`after` entries of the plan");
}

/** @throws SluicegateError `limit-reached` */
export function assertAtMost(count: number, most: number, what: string): void {
  if (count <= most) return;
  throw new SluicegateError("limit-reached", `There are too many ${what}.`, {
    why: `There are ${count}; ${most} are allowed.`,
    fix: "Send fewer at once, or raise the limit.",
  });
}

interface Period {
  readonly seconds: number;
  readonly name: string;
  /** How many times its count may come at once. */
  readonly burst: number;
}

const SECOND: Period = { seconds: 1, name: "second", burst: 2 };
export const DAY: Period = { seconds: 86_400, name: "day", burst: 1 };

/** Limits events per key. */
export class RateLimit {
  readonly #count: number;
  readonly #period: Period;
  readonly #buckets = new TokenBuckets();

  constructor(count: number, period: Period = SECOND) {
    this.#count = count;
    this.#period = period;
  }

  /** @throws SluicegateError `rate-limited` if this key has used up its events. */
  take(key: string): void {
    const { seconds, name, burst } = this.#period;
    const bucket = { name: key, most: this.#count * burst, perSecond: this.#count / seconds };
    if (this.#buckets.take(performance.now(), bucket)) return;
    throw new SluicegateError("rate-limited", "Too many requests.", {
      why: `More than ${this.#count} a ${name} came in.`,
      fix: `Wait a ${name} and try again, or raise the limit.`,
    });
  }
}
