/** The runtime around the core: gates, sessions, the journal, and the ports of store and provider. */
export type { CallDecision, RequestedApproval } from "./admission.ts";
export type { Answer, AnsweredApproval } from "./answer-approval.ts";
export { callProvider } from "./call-provider.ts";
export { canonicalJson } from "./canonical-json.ts";
export type { Catalogue } from "./catalogue.ts";
export { type Clock, systemClock, toTimestamp } from "./clock.ts";
export { assertSession, currentCall, currentSession, withSession } from "./current-session.ts";
export { type Definition, toDefinition } from "./definition.ts";
export { type Comparison, compare, type Difference } from "./difference.ts";
export { examineCalls } from "./examine-calls.ts";
export type { FoldedPart } from "./fold-approval.ts";
export type { ForkOptions } from "./fork-session.ts";
export {
  createGate,
  type Gate,
  type GateOptions,
  OPERATOR,
  type OpenOptions,
  unknownSession,
} from "./gate.ts";
export type { CallFacts, CallView, Grant } from "./grant.ts";
export type { WaitOptions } from "./held-call.ts";
export type { Inspection, InspectResult } from "./inspect-result.ts";
export {
  CHAIN_START,
  type ChainPoint,
  linkProblem,
  sealEntries,
  sealedBody,
  sealHash,
  verifyChain,
} from "./journal.ts";
export type { ApprovalDetails, EndedApproval } from "./kept-approvals.ts";
export type { OpenCalls, Runner } from "./open-calls.ts";
export { type PausedRunToken, unknownRun } from "./paused-runs.ts";
export type { ListOptions, WaitingApproval } from "./pending-approvals.ts";
export { GATEWAY_CHAIN, Pins, type PinsOptions } from "./pins.ts";
export {
  addPrivateDataset,
  markSessionPrivate,
  resolvePermissions,
  sessionHasPrivateData,
} from "./private-data.ts";
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
  type Subscriber,
  type Target,
  type ToolProvider,
  type ToolResult,
} from "./provider.ts";
export { createId, type Random, systemRandom } from "./random.ts";
export {
  LONGEST_REASON,
  REPORT_IMPOSSIBLE,
  type ReportedImpossible,
  report_impossible,
} from "./report-impossible.ts";
export type { CallContext, Report } from "./run-call.ts";
export { createRunOrder, type RunOrder, type RunTurn, runInOrder } from "./run-order.ts";
export { type Said, takeSaid } from "./said-label.ts";
export type { Outcome, RunOptions, Session } from "./session.ts";
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
} from "./store.ts";
export { fromEntry, readEntry } from "./stored-event.ts";
export {
  declarePermissions,
  enforceToolPermission,
  enforceToolsPermissions,
  filterToolsByPermission,
  type GrantedPermissions,
  permissionsOf,
  ToolPermissionError,
} from "./tool-permissions.ts";
export { type StoreReport, verifyStore } from "./verify-store.ts";
export type { ToolVisibilityPolicy } from "./visibility.ts";
export { toVisibleJson, toVisibleText } from "./visible-json.ts";
export { describeRefusal, type WordedReason, wordReasons } from "./worded-reasons.ts";
