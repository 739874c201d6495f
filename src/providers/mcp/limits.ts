import { RESULT_BOUNDS } from "../../runtime/internal.ts";

/** Limits of one upstream server: for every wait and every size that it controls. */
export interface UpstreamLimits {
  /** For a server's first answer, in milliseconds. */
  readonly connectMs: number;
  /**
   * After this time without an answer in the newest protocol, a stdio server is asked in an older one, in
   * milliseconds.
   */
  readonly probeMs: number;
  /** For listing all tools, in milliseconds. */
  readonly listMs: number;
  /** For a call, including its wait for a slot, in milliseconds. */
  readonly callMs: number;
  /** Additional time of a call for a client's answers to its server's questions, in milliseconds. */
  readonly askMs: number;
  /** For each step of stopping a process (end of input, SIGTERM, SIGKILL), in milliseconds. */
  readonly closeMs: number;
  /** After this time a connection counts as stable, and the backoff starts anew, in milliseconds. */
  readonly stableMs: number;
  /** Between two listings after the server's notifications, in milliseconds. */
  readonly relistMs: number;
  /** Between two notifications to clients about one resource, in milliseconds. */
  readonly updateMs: number;
  /** The lease of a subscription to a resource, after which it must be renewed, in milliseconds. */
  readonly subscriptionMs: number;
  /** Subscribed resources; a quarter of them per label holder, and at least one for each. */
  readonly subscriptions: number;
  /** Tools that it may offer. */
  readonly tools: number;
  /** Pages that its list of tools may have. */
  readonly pages: number;
  /** Bytes of all tool definitions together. */
  readonly definitionsBytes: number;
  /** Bytes of one tool definition. */
  readonly definitionBytes: number;
  /** Bytes of one message from it, as received. */
  readonly messageBytes: number;
  /** Values of one message from it; beyond the first 2,000, a different member name counts as twelve more. */
  readonly messageValues: number;
  /** How deep a message from it may be nested. */
  readonly depth: number;
  /**
   * Bytes that wait for its process to read them; a principal at most seven eighths and a label holder a quarter of them.
   * Beyond that nothing more is sent, except for a principal with nothing that waits.
   */
  readonly backlogBytes: number;
  /** Characters of one line in the log. */
  readonly logLine: number;
  /** Calls that run at a time. */
  readonly callsInFlight: number;
  /** Calls that wait for a free slot. */
  readonly callsWaiting: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

export const UPSTREAM_LIMITS: UpstreamLimits = Object.freeze({
  connectMs: 30_000,
  probeMs: 10_000,
  listMs: 30_000,
  callMs: 60_000,
  askMs: 600_000,
  closeMs: 2_000,
  stableMs: 60_000,
  relistMs: 1_000,
  updateMs: 100,
  subscriptionMs: 900_000,
  subscriptions: 1_024,
  tools: 1_000,
  pages: 50,
  definitionsBytes: 2 * MIB,
  definitionBytes: 64 * KIB,
  messageBytes: RESULT_BOUNDS.bytes,
  messageValues: 75_000,
  depth: RESULT_BOUNDS.depth,
  backlogBytes: 64 * MIB,
  logLine: 2_000,
  callsInFlight: 64,
  callsWaiting: 1_024,
});
