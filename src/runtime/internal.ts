/** Names that only sibling folders need; no package entry exports them. */
export { RESULT_BOUNDS } from "./calls/bound-result.ts";
export {
  type Answers,
  APPROVAL_KEY,
  type ClientLink,
  isCovered,
  mayReach,
  type Questions,
} from "./calls/client-exchange.ts";
export { withoutLabel } from "./calls/ifc-hint.ts";
export { assertMethodIsCallable, notCallable } from "./calls/method-calls.ts";
export { type ExecuteOptions, type Execution, executeCall, runAtProvider } from "./calls/provider-call.ts";
export { sayPrompt } from "./endorsement/say.ts";
export { type ArchivedSession, archiveSessions, entriesOf } from "./journal/archive-sessions.ts";
export { type OtherPolicy, PolicyAnnouncements } from "./policy-announcements.ts";
export { endRestored } from "./runs/end-restored.ts";
export { SealedValues } from "./sealed-values.ts";
