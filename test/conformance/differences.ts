/**
 * What the conformance suites see differently through the gateway, each with its reason. A check that isn't named
 * here must pass through the gateway exactly if it passes without it; an entry that no longer holds fails too.
 */
import type { SuiteName } from "./run-suite.ts";

export interface Difference {
  readonly suite: SuiteName;
  readonly scenario: string;
  /** As `id/Name`. */
  readonly check: string;
  readonly reason: string;
}

const JSON_FIRST =
  "The gateway answers clients of older revisions as plain JSON, and as a stream only if a message or question comes before the answer. The suite calls streams optional.";
const NO_REPLAY =
  "The gateway stores nothing that it has sent, so that a result reaches only its session. A broken stream can't be resumed, and so its events have no ids.";

/** Pass directly and not through the gateway, or the other way round. */
export const DIFFERENCES: readonly Difference[] = [
  ...(["0.1.16", "0.2 at 2025-11-25"] as const).map((suite) => ({
    suite,
    scenario: "server-sse-multiple-streams",
    check: "server-sse-streams-functional/ServerSSEStreamsFunctional",
    reason: JSON_FIRST,
  })),
  ...[
    "server-sse-priming-event/ServerSendsPrimingEvent",
    "server-sse-retry-field/ServerSendsRetryField",
    "server-sse-disconnect-resume/ServerDisconnectResume",
  ].map((check) => ({
    suite: "0.2 at 2025-11-25" as const,
    scenario: "server-sse-polling",
    check,
    reason: NO_REPLAY,
  })),
];

export interface NotPassed {
  readonly suite: SuiteName;
  readonly scenario: string;
  /** Left out: any check of the scenario. */
  readonly check?: string;
  readonly reason: string;
}

const NO_TASKS = "The extension for tasks isn't part of a revision, and the SDK has no runtime for it.";
const OLD_HEADER =
  "The suite names revision 2025-03-26 in the header of a 2025-11-25 session. Priming events came later, so a server that follows the header sends none.";

/** Not passed by the fixture itself: a failure or a warning with no gateway in sight. */
export const NOT_PASSED_DIRECTLY: readonly NotPassed[] = [
  ...[
    "lifecycle",
    "capability-negotiation",
    "wire-fields",
    "request-state-removal",
    "mrtr-input",
    "request-headers",
    "dispatch-and-envelope",
    "required-task-error",
    "mrtr-composition",
  ].map((name) => ({ suite: "0.2 at 2026-07-28" as const, scenario: `tasks-${name}`, reason: NO_TASKS })),
  ...["server-sse-priming-event/ServerSendsPrimingEvent", "server-sse-retry-field/ServerSendsRetryField"].map(
    (check) => ({ suite: "0.1.16" as const, scenario: "server-sse-polling", check, reason: OLD_HEADER }),
  ),
];
