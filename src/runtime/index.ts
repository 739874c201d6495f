/** The runtime around the core: gates, sessions, the journal, and the ports of store and provider. */

export { canonicalJson } from "../json/canonical-json.ts";
export { toVisibleJson, toVisibleText } from "../json/visible-json.ts";
export { type Appeal, Appeals, MAX_APPEAL_LENGTH } from "./appeals.ts";
export type { Answer, AnsweredApproval } from "./approvals/answer-approval.ts";
export { type ChangedArgument, describeEdit, type EditedCall } from "./approvals/edit-approval.ts";
export type { FoldedPart } from "./approvals/fold-approval.ts";
export type { StandingOffer, StandingRequest } from "./approvals/give-standing.ts";
export type { ApprovalDetails, EndedApproval } from "./approvals/kept-approvals.ts";
export type { ListOptions, WaitingApproval } from "./approvals/pending-approvals.ts";
export type { GrantedLease, PlanDecision } from "./approvals/plan-approval.ts";
export type { ListedStanding, StandingUse } from "./approvals/standing-approvals.ts";
export { describeRefusal, type WordedReason, wordReasons } from "./approvals/worded-reasons.ts";
export type { CallDecision, RequestedApproval } from "./calls/admission.ts";
export { type CallFacts, type CallView, examineCalls } from "./calls/call-facts.ts";
export type { CallOptions, CallOutcome as Outcome } from "./calls/call-pipeline.ts";
export { extractIfcHint, type IfcHint } from "./calls/ifc-hint.ts";
export type { Inspection, InspectResult } from "./calls/inspect-result.ts";
export type { OpenCalls, Runner } from "./calls/open-calls.ts";
export { callProvider } from "./calls/provider-call.ts";
export type { CallContext, Report } from "./calls/run-call.ts";
export { assertSession, currentCall, currentSession, withSession } from "./current-session.ts";
export type { Freeze, FreezeRequest, FreezeTarget } from "./freezes.ts";
export { createGate, type Gate } from "./gate.ts";
export { unknownSession } from "./gate-errors.ts";
export { type GateOptions, OPERATOR, type OpenOptions } from "./gate-options.ts";
export type { Grant } from "./grant.ts";
export { GATEWAY_CHAIN } from "./journal/gateway-chain.ts";
export {
  CHAIN_START,
  type ChainPoint,
  linkProblem,
  sealEntries,
  sealedBody,
  sealHash,
  verifyChain,
} from "./journal/journal.ts";
export { fromEntry, readEntry } from "./journal/stored-event.ts";
export { type StoreReport, verifyStore } from "./journal/verify-store.ts";
export { type Definition, toDefinition } from "./pins/definition.ts";
export { type Comparison, compare, type Difference } from "./pins/difference.ts";
export { Pins, type PinsOptions } from "./pins/pins.ts";
export { type Clock, systemClock, toTimestamp } from "./ports/clock.ts";
export {
  type Examination,
  type ExchangeOptions,
  type JsonObject,
  LOG_LEVELS,
  type LogLevel,
  type OfferedTool,
  type OfferMethod,
  type OfferProvider,
  type ProviderStatus,
  type ServerMessage,
  type ServerOffer,
  type SignInNeeded,
  type Subscriber,
  type Target,
  type ToolProvider,
  type ToolResult,
} from "./ports/provider.ts";
export { createId, type Random, systemRandom } from "./ports/random.ts";
export type {
  AppendOptions,
  AppendResult,
  ChainHead,
  FeedEntry,
  JournalEntry,
  Keep,
  KeptValue,
  SessionAppend,
  Store,
} from "./ports/store.ts";
export type { ForkOptions } from "./runs/fork-session.ts";
export { type PausedRunToken, unknownRun } from "./runs/paused-runs.ts";
export { createRunOrder, type RunOrder, type RunTurn, runInOrder } from "./runs/run-order.ts";
export {
  addPrivateDataset,
  markSessionPrivate,
  resolvePermissions,
  sessionHasPrivateData,
} from "./seed-api/private-data.ts";
export {
  MAX_REASON_LENGTH,
  REPORT_IMPOSSIBLE,
  type ReportedImpossible,
  report_impossible,
} from "./seed-api/report-impossible.ts";
export {
  declarePermissions,
  enforceToolPermission,
  enforceToolsPermissions,
  filterToolsByPermission,
  type GrantedPermissions,
  permissionsOf,
  ToolPermissionError,
} from "./seed-api/tool-permissions.ts";
export type { Session } from "./session.ts";
export type { ToolListing } from "./tool-listing.ts";
export type { RunOptions, ToolVisibilityPolicy } from "./visibility.ts";
