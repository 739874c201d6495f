import { RESULT_BOUNDS } from "../../runtime/internal.ts";

/** What one upstream server may cost. Every wait and every size that it controls has a bound here. */
export interface UpstreamLimits {
  /** Milliseconds until a server must have answered its first request. */
  readonly connectMs: number;
  /** Milliseconds after which a stdio server that is silent on the newest protocol is asked for an older one. */
  readonly probeMs: number;
  /** Milliseconds in which it must have listed all of its tools. */
  readonly listMs: number;
  /** Milliseconds that a call may take, with its wait for a free slot. */
  readonly callMs: number;
  /** Milliseconds that a call may take on top of that while a client answers its server's questions. */
  readonly askMs: number;
  /** Milliseconds that a process gets at each step of being stopped: end of input, SIGTERM, SIGKILL. */
  readonly closeMs: number;
  /** Milliseconds after which a connection counts as stable, and the next back-off starts anew. */
  readonly stableMs: number;
  /** Milliseconds between two listings that the server's own notices asked for. */
  readonly relistMs: number;
  /** Milliseconds between two times at which clients are told that a resource has changed. */
  readonly updateMs: number;
  /** Milliseconds after which a subscription to a resource ends, unless it may be renewed. */
  readonly subscriptionMs: number;
  /** Resources that may be subscribed to; a quarter of them for one label holder, and one at least for each. */
  readonly subscriptions: number;
  /** Tools that it may offer. */
  readonly tools: number;
  /** Pages that its list of tools may have. */
  readonly pages: number;
  /** Bytes of all tool definitions together. */
  readonly definitionsBytes: number;
  /** Bytes of one tool definition. */
  readonly definitionBytes: number;
  /** Bytes of one message from it, as it comes over the wire. */
  readonly messageBytes: number;
  /** Bytes of a result as JSON, without the escapes in its texts. */
  readonly resultBytes: number;
  /** Values of one message from it. */
  readonly messageValues: number;
  /** Different names of members of one message from it, behind its first 10,000 values. */
  readonly messageNames: number;
  /** How deep a message from it may be nested. */
  readonly depth: number;
  /** Bytes that may wait for its process to read them before nothing more is sent. */
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
  messageBytes: 10 * MIB,
  resultBytes: RESULT_BOUNDS.bytes,
  messageValues: 75_000,
  messageNames: RESULT_BOUNDS.names,
  depth: RESULT_BOUNDS.depth,
  backlogBytes: 64 * MIB,
  logLine: 2_000,
  callsInFlight: 64,
  callsWaiting: 1_024,
});
