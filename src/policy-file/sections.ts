/** The sections of a policy file together: all that is checked, what a sound file comes to, and what to warn of. */
import { dirname, resolve } from "node:path";
import {
  type ApprovalCondition,
  createLattice,
  type PolicyDeclaration,
  WORKSPACE_SERVER,
} from "../core/index.ts";
import type { CompiledConditions } from "./compile-conditions.ts";
import type { Report } from "./document/report.ts";
import type { Tree } from "./document/tree.ts";
import type { PolicyDocument } from "./schema.ts";
import type { ApiFiles } from "./sections/api-document.ts";
import { type ApiConfig, checkApis, toApis, warnAboutApis } from "./sections/apis.ts";
import { checkApprovals, toApprovals, warnAboutApprovals } from "./sections/approvals.ts";
import {
  checkDatabases,
  type DatabaseConfig,
  toDatabases,
  warnAboutDatabases,
} from "./sections/databases.ts";
import type { Declared, Loaded } from "./sections/declared.ts";
import {
  checkDetectors,
  type DetectorsConfig,
  toDetectors,
  warnAboutDetectors,
} from "./sections/detectors.ts";
import {
  checkEndorsement,
  type GroupFiles,
  toEndorsement,
  warnAboutEndorsement,
} from "./sections/endorsement.ts";
import {
  checkIdentities,
  type IdentitiesConfig,
  toIdentities,
  warnAboutIdentities,
} from "./sections/identities.ts";
import { checkLabels } from "./sections/labels.ts";
import { checkNotify, type NotifyConfig, toNotify } from "./sections/notify.ts";
import { checkRetention, type RetentionConfig, toRetention } from "./sections/retention.ts";
import { checkRoles, toRoles, toToolPolicy, warnAboutRoles } from "./sections/roles.ts";
import { checkRules, toRules, warnAboutRules } from "./sections/rules.ts";
import { checkServerIds } from "./sections/server-ids.ts";
import {
  checkServers,
  type ServerConfig,
  toServerDeclarations,
  toServers,
  warnAboutServers,
} from "./sections/servers.ts";
import { checkTools, toToolDeclarations, warnAboutTools } from "./sections/tools.ts";
import {
  checkWorkspace,
  type FolderCheck,
  toWorkspaceDeclaration,
  type WorkspaceConfig,
  warnAboutWorkspace,
} from "./sections/workspace.ts";

/** What is checked. `file` is the policy file, as messages name it. */
interface Checked {
  readonly file: string;
  readonly root: Tree;
  readonly declared: Declared;
  readonly report: Report;
}

/** Every check of a policy file that its shape can't say; each reports what it finds. */
export function checkSections({ file, root, declared, report }: Checked, problemWith: FolderCheck): void {
  checkLabels(root, report);
  checkTools(declared, report);
  checkServers(declared, report);
  checkServerIds(declared, file, report);
  checkDatabases(declared, report);
  checkApis(declared, report);
  checkDetectors(root, declared, report);
  checkWorkspace(declared, problemWith, report);
  // An operation that couldn't be read would be an unknown tool.
  if (declared.apis.every(({ names }) => names !== null)) checkRoles(root, declared, report);
  checkApprovals(root, report);
  checkRules(root, report);
  checkEndorsement(root, declared, report);
  checkIdentities(root, report);
  checkNotify(root, report);
  checkRetention(root, report);
}

/** What a document that was checked is converted with. `file` is the policy file, absolute. */
interface Conversion {
  readonly file: string;
  readonly declared: Declared;
  readonly documents: ApiFiles;
  readonly groups: GroupFiles;
  /** By their text. */
  readonly conditions: ReadonlyMap<string, ApprovalCondition>;
}

/** What a policy file comes to: the core's declaration, and how all that it names is reached. */
export interface Sections {
  readonly declaration: PolicyDeclaration;
  readonly servers: ReadonlyMap<string, ServerConfig>;
  /** By the server under which its tools stand. */
  readonly databases: ReadonlyMap<string, DatabaseConfig>;
  /** By the server under which its operations stand. */
  readonly apis: ReadonlyMap<string, ApiConfig>;
  /** What is looked for in results; null if the policy declares no detectors. */
  readonly detectors: DetectorsConfig | null;
  /** Where the agent works on files; null if the policy declares no workspace. */
  readonly workspace: WorkspaceConfig | null;
  /** Who may come in besides the operator; null if the policy declares nobody. */
  readonly identities: IdentitiesConfig | null;
  /** Who is told that a call waits; null if the policy declares nobody. */
  readonly notify: NotifyConfig | null;
  /** How long ended sessions are kept; null for ever. */
  readonly retention: RetentionConfig | null;
}

export function convertSections(document: PolicyDocument, conversion: Conversion): Sections {
  const { file, declared, documents, groups, conditions } = conversion;
  const { levels, trust, categories = {}, servers = {}, tools, workspace } = document;
  const { roles, policy, approvals, rules, unclassified } = document;
  const lattice = createLattice({ ...(levels && { levels }), ...(trust && { trust }) });
  const making = { lattice, conditions };
  const databases = toDatabases(document.databases ?? {}, declared, making, file);
  const apis = toApis(document.apis ?? {}, documents, making);
  const declaration: PolicyDeclaration = {
    levels: lattice.levels,
    ...(trust && { trust }),
    categories: Object.keys(categories),
    servers: {
      ...toServerDeclarations(servers, making),
      ...(workspace && { [WORKSPACE_SERVER]: toWorkspaceDeclaration(workspace, making) }),
      ...databases.declarations,
      ...apis.declarations,
    },
    ...(tools && { tools: toToolDeclarations(tools, making) }),
    ...(roles && { roles: toRoles(roles) }),
    ...(policy && { policy: toToolPolicy(policy) }),
    ...(approvals && { approvals: toApprovals(approvals) }),
    ...(rules && { rules: toRules(rules, making) }),
    ...toEndorsement(document, categories, { files: groups, lowest: lattice.levels[0] }),
    ...(unclassified && { unclassified }),
  };
  return {
    declaration,
    servers: toServers(servers, file),
    databases: databases.configs,
    apis: apis.configs,
    detectors: toDetectors(document.detectors, lattice),
    workspace: workspace ? Object.freeze({ root: resolve(dirname(file), workspace.root) }) : null,
    identities: toIdentities(document.identities, file),
    notify: toNotify(document.notify),
    retention: toRetention(document.retention),
  };
}

/** What a sound file probably doesn't mean. */
export function warnAboutSections(
  loaded: Loaded,
  {
    databases,
    apis,
    detectors,
    names,
  }: Pick<Sections, "databases" | "apis" | "detectors"> & Pick<CompiledConditions, "names">,
  report: Report,
): void {
  const { root, declared, policy } = loaded;
  warnAboutTools(loaded, report);
  warnAboutServers(loaded, report);
  warnAboutRoles(loaded, report);
  warnAboutApprovals(root, report);
  warnAboutRules(loaded, names, report);
  warnAboutEndorsement(loaded, report);
  warnAboutIdentities(root, report);
  warnAboutWorkspace(loaded, report);
  warnAboutDatabases(declared, databases, policy.lattice, report);
  warnAboutApis(declared, apis, policy.lattice, report);
  warnAboutDetectors(root, detectors, policy.lattice, report);
}
