/** The runtime around the core: gates, sessions, the journal, and the ports of store and provider. */
export {
  type ApprovalDetails,
  type CallDecision,
  type RequestedApproval,
  type WordedReason,
  wordReasons,
} from "./admission.ts";
export { canonicalJson } from "./canonical-json.ts";
export { type Clock, systemClock, toTimestamp } from "./clock.ts";
export { currentSession, withSession } from "./current-session.ts";
export {
  createGate,
  type Gate,
  type GateOptions,
  OPERATOR,
  type OpenOptions,
  unknownSession,
} from "./gate.ts";
export {
  CHAIN_START,
  type ChainPoint,
  linkProblem,
  sealEntries,
  sealedBody,
  sealHash,
  verifyChain,
} from "./journal.ts";
export {
  addPrivateDataset,
  markSessionPrivate,
  resolvePermissions,
  sessionHasPrivateData,
} from "./private-data.ts";
export type { OfferedTool, ProviderStatus, ToolProvider, ToolResult } from "./provider.ts";
export { createId, type Random, systemRandom } from "./random.ts";
export type { CallContext, Grant, Outcome, Report, RunOptions, Session } from "./session.ts";
export type { AppendResult, ChainHead, FeedEntry, JournalEntry, Keep, KeptValue, Store } from "./store.ts";
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
