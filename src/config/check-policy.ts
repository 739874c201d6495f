/** Every check of a policy file, in one place; each reports what it finds. */
import { checkApis } from "./check-apis.ts";
import { checkApprovals } from "./check-approvals.ts";
import { checkConnectorIds } from "./check-connector-ids.ts";
import { checkDatabases } from "./check-databases.ts";
import { checkDetectors } from "./check-detectors.ts";
import { checkLabels } from "./check-labels.ts";
import { checkRoles } from "./check-roles.ts";
import { checkServers } from "./check-servers.ts";
import { checkShape } from "./check-shape.ts";
import { checkTools } from "./check-tools.ts";
import { checkWorkspace, type FolderCheck } from "./check-workspace.ts";
import type { Declared } from "./declared.ts";
import type { Report } from "./report.ts";
import type { PolicyDocument } from "./schema.ts";
import type { Tree } from "./tree.ts";

/** What is checked. `file` is the policy file, as messages name it. */
export interface Checked {
  readonly file: string;
  readonly root: Tree;
  readonly declared: Declared;
  readonly report: Report;
}

/** The document as typed data where its shape is right; what is wrong with it is reported. */
export function checkPolicy(
  { file, root, declared, report }: Checked,
  problemWith: FolderCheck,
): PolicyDocument | null {
  const document = checkShape(root, report);
  checkLabels(root, declared, report);
  checkTools(declared, report);
  checkServers(declared, report);
  checkConnectorIds(declared, file, report);
  checkDatabases(declared, report);
  checkApis(declared, report);
  checkDetectors(root, declared, report);
  checkWorkspace(declared, problemWith, report);
  // An operation that couldn't be read would be an unknown tool.
  if (declared.apis.every(({ names }) => names !== null)) checkRoles(root, declared, report);
  checkApprovals(root, report);
  return document;
}
