/** Every check of a policy file, in one place; each reports what it finds. */

import { checkShape } from "./check-shape.ts";
import type { Report } from "./document/report.ts";
import type { Tree } from "./document/tree.ts";
import type { PolicyDocument } from "./schema.ts";
import { checkApis } from "./sections/check-apis.ts";
import { checkApprovals } from "./sections/check-approvals.ts";
import { checkConnectorIds } from "./sections/check-connector-ids.ts";
import { checkDatabases } from "./sections/check-databases.ts";
import { checkDetectors } from "./sections/check-detectors.ts";
import { checkLabels } from "./sections/check-labels.ts";
import { checkRoles } from "./sections/check-roles.ts";
import { checkServers } from "./sections/check-servers.ts";
import { checkTools } from "./sections/check-tools.ts";
import { checkWorkspace, type FolderCheck } from "./sections/check-workspace.ts";
import type { Declared } from "./sections/declared.ts";

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
