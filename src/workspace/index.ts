/** The workspace: file tools over one working directory, which follow git and ask before they leave it. */
export { checkPath, type PathQuestion } from "./check-path.ts";
export { type FileQuestion, type OpenFile, openChecked, type ReadFile, readChecked } from "./open-checked.ts";
export type { AllowReason, AskReason, PathCheck, PathReason } from "./path-reason.ts";
export { createWorkspaceProvider, type WorkspaceProviderOptions } from "./provider.ts";
export { type Match, type SearchAnswer, type SearchQuestion, searchChecked } from "./search-checked.ts";
export {
  type ApprovalQuestion,
  createWorkspace,
  needsApproval,
  type Workspace,
  type WorkspaceOptions,
} from "./workspace.ts";
export type { WorkspaceTool } from "./workspace-tool.ts";
