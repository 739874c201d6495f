/** The kinds of map in a policy file: what they are called, their keys, and the keys that come later. */

import {
  approvalsSchema,
  categorySchema,
  policySchema,
  roleSchema,
  serverSchema,
  toolPolicySchema,
  workspaceSchema,
  workspaceToolSchema,
} from "../schema.ts";
import { apiLimitsSchema, apiSchema, operationSchema } from "../sections/api-schema.ts";
import { databaseLimitsSchema, databaseSchema, databaseToolSchema } from "../sections/database-schema.ts";
import { detectorLimitsSchema, detectorsSchema } from "../sections/detector-schema.ts";
import { sinkSchema, sourceSchema, toolSchema } from "../sections/tool-schema.ts";

/** One kind of map. */
export interface Block {
  /** What it is called at the beginning of a sentence. */
  readonly title: string;
  readonly keys: readonly string[];
  /** Keys that this version knows and does not enforce, so that it refuses them. */
  readonly later: ReadonlySet<string>;
}

const block = (title: string, { shape }: { shape: object }, later: readonly string[] = []): Block =>
  Object.freeze({ title, keys: Object.freeze(Object.keys(shape)), later: new Set(later) });

const FILE = block("A policy file", policySchema, ["recipients", "rules", "endorsement", "limits"]);
const SERVER = block("A server", serverSchema);
const TOOL = block("A tool", toolSchema, [
  "critical",
  "payload",
  "requires",
  "effects",
  "once",
  "approvers",
  "endorsement",
]);
const SOURCE = block("A source", sourceSchema);
const LABEL = block("A label", sourceSchema);
const SINK = block("A sink", sinkSchema, ["to"]);
const CATEGORY = block("A category", categorySchema, ["readers"]);
const ROLE = block("A role", roleSchema, ["endorsement"]);
const APPROVALS = block("`approvals`", approvalsSchema, ["approvers"]);
const WORKSPACE = block("`workspace`", workspaceSchema);
const WORKSPACE_TOOL = block("A tool of the workspace", workspaceToolSchema, [
  "approvers",
  "requires",
  "once",
]);
const DATABASE = block("A database", databaseSchema);
const DATABASE_TOOL = block("A tool of a database", databaseToolSchema, ["approvers", "requires", "once"]);
const DATABASE_LIMITS = block("`limits`", databaseLimitsSchema);
const API = block("An API", apiSchema);
const OPERATION = block("An operation", operationSchema, [
  "critical",
  "payload",
  "requires",
  "effects",
  "once",
  "approvers",
  "endorsement",
]);
const API_LIMITS = block("`limits`", apiLimitsSchema);
const DETECTORS = block("`detectors`", detectorsSchema);
const DETECTOR_LIMITS = block("`limits`", detectorLimitsSchema);
const TOOL_POLICY = block("`policy`", toolPolicySchema);

/** The kind of map that lies at a path; undefined where any name may be a key. */
export function blockAt(path: readonly PropertyKey[]): Block | undefined {
  const [top, key, ...rest] = path;
  switch (top) {
    case undefined:
      return FILE;
    case "policy":
      return path.length === 1 ? TOOL_POLICY : undefined;
    case "approvals":
      return path.length === 1 ? APPROVALS : undefined;
    case "workspace":
      return inWorkspace(key, rest);
    case "detectors":
      return inDetectors(key);
    default:
      return key === undefined ? undefined : inNamed(top, rest);
  }
}

/** In a map whose keys are names. */
function inNamed(top: PropertyKey, rest: readonly PropertyKey[]): Block | undefined {
  if (top === "categories") return rest.length === 0 ? CATEGORY : undefined;
  if (top === "roles") return rest.length === 0 ? ROLE : undefined;
  if (top === "tools") return inTool(rest);
  if (top === "databases") return inDatabase(rest);
  if (top === "apis") return inApi(rest);
  return top === "servers" ? inServer(rest) : undefined;
}

function inWorkspace(
  key: PropertyKey | undefined,
  [tool, ...rest]: readonly PropertyKey[],
): Block | undefined {
  if (key === undefined) return WORKSPACE;
  if (key !== "tools") return inTool([key]);
  if (tool === undefined) return undefined;
  return rest.length === 0 ? WORKSPACE_TOOL : inTool(rest);
}

function inDatabase([key, name, ...rest]: readonly PropertyKey[]): Block | undefined {
  if (key === undefined) return DATABASE;
  if (key === "catalog") return LABEL;
  if (key === "limits") return DATABASE_LIMITS;
  if (name === undefined || rest.length > 0) return undefined;
  if (key === "tools") return DATABASE_TOOL;
  return key === "columns" || key === "aggregates" ? LABEL : undefined;
}

function inApi([key, name, ...rest]: readonly PropertyKey[]): Block | undefined {
  if (key === undefined) return API;
  if (key === "limits") return API_LIMITS;
  if (key !== "operations" || name === undefined) return undefined;
  return rest.length === 0 ? OPERATION : inTool(rest);
}

function inDetectors(key: PropertyKey | undefined): Block | undefined {
  if (key === undefined) return DETECTORS;
  return key === "limits" ? DETECTOR_LIMITS : LABEL;
}

function inServer(path: readonly PropertyKey[]): Block | undefined {
  const [key, tool, ...rest] = path;
  if (key === undefined) return SERVER;
  if (key !== "tools") return inTool(path);
  return tool === undefined ? undefined : inTool(rest);
}

function inTool(path: readonly PropertyKey[]): Block | undefined {
  const [key] = path;
  if (key === undefined) return TOOL;
  if (key === "source") return SOURCE;
  return key === "sink" ? SINK : undefined;
}

/** What is said of a key, or of a way to write one, that only a later version enforces. */
export const NOT_YET = "is known, but this version doesn't enforce it yet.";
export const NOT_YET_FIX = "Remove it: what is written here must hold.";
