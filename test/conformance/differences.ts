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
  "To a client of an older revision the gateway answers as plain JSON, and as a stream only where the client is told or asked something first. The suite calls streams optional, and looks into none here.";
const NO_REPLAY =
  "The gateway keeps nothing of what it has sent, so that a result stays with whom it was for. A stream that breaks off isn't resumed, and so no event has an id.";

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

const NO_TASKS =
  "The extension for tasks isn't part of a revision, and the SDK has no runtime for it; the fixture offers none.";
const OLD_HEADER =
  "This version of the suite names revision 2025-03-26 in the header of a 2025-11-25 session. Priming events came after it, so a server that goes by the header sends none.";

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
