/**
 * The workspace: file tools for one working directory, which need approval for files outside of it or ignored by git.
 */
export { checkPath, type PathQuestion } from "./paths/check-path.ts";
export {
  type FileQuestion,
  type OpenFile,
  openChecked,
  type ReadFile,
  readChecked,
} from "./paths/open-checked.ts";
export type { AllowReason, AskReason, PathCheck, PathReason } from "./paths/path-reason.ts";
export { createWorkspaceProvider, type WorkspaceProviderOptions } from "./provider.ts";
export {
  type Match,
  type SearchAnswer,
  type SearchQuestion,
  searchChecked,
} from "./search/search-checked.ts";
export type { WorkspaceTool } from "./tools/workspace-tool.ts";
export {
  type ApprovalQuestion,
  createWorkspace,
  needsApproval,
  type Workspace,
  type WorkspaceOptions,
} from "./workspace.ts";
