import type { ToolDeclaration } from "../core/index.ts";
import { ALL_TOOLS } from "./tools/all-tools.ts";

/**
 * What each tool of a workspace is, for the policy of its server: by the tool's name. Their `source` and their `sink`
 * are the operator's to say.
 */
export const WORKSPACE_TOOLS: Readonly<Record<string, ToolDeclaration>> = Object.freeze(
  Object.fromEntries(ALL_TOOLS.map(({ name, declaration }) => [name, Object.freeze(declaration)])),
);
