/** Sluicegate as a library: a gate over a policy and a store, its sessions, and the seeds' names. */
import { createGate as createStoreGate, type Gate, type GateOptions } from "./runtime/index.ts";
import { createMemoryStore } from "./stores/memory.ts";

/** A gate; by default over a store in memory, which forgets everything with the process. */
export const createGate = (options: Omit<GateOptions, "store"> & Partial<Pick<GateOptions, "store">>): Gate =>
  createStoreGate({ ...options, store: options?.store ?? createMemoryStore() });

export {
  BUILTIN_TOOLS,
  checkPlan,
  createToolSet,
  decide,
  definePolicy,
  FIXER_TOOLS,
  GENERATOR_TOOLS,
  IMPLEMENTER_TOOLS,
  InvalidToolError,
  ISSUE_FIXER_TOOLS,
  type Label,
  type Permission,
  type PlanCheck,
  type PlannedCall,
  type Policy,
  type PolicyDeclaration,
  REVIEWER_TOOLS,
  type Tool,
  type ToolPolicy,
  type ToolSet,
  tighten,
} from "./core/index.ts";
export { SluicegateError } from "./errors/index.ts";
export { loadConfig, loadPolicy, policyJsonSchema } from "./policy-file/index.ts";
export {
  addPrivateDataset,
  currentSession,
  declarePermissions,
  enforceToolPermission,
  enforceToolsPermissions,
  filterToolsByPermission,
  type Gate,
  type GateOptions,
  markSessionPrivate,
  type Outcome,
  report_impossible,
  resolvePermissions,
  type Session,
  sessionHasPrivateData,
  ToolPermissionError,
  type ToolVisibilityPolicy,
  withSession,
} from "./runtime/index.ts";
export { createMemoryStore } from "./stores/memory.ts";
export { openSqliteStore } from "./stores/sqlite/sqlite.ts";
