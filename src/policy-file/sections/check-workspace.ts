/** Checks the workspace: its folder, its tools' names, and that nothing else is called like it. */
import { isPattern, parseToolId, WORKSPACE_SERVER, WORKSPACE_TOOLS } from "../../core/index.ts";
import { didYouMean } from "../document/near-miss.ts";
import { quote, quoteAll } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, isText } from "../document/tree.ts";
import type { Declared, DeclaredWorkspace } from "./declared.ts";

/** What is wrong with a folder, as the end of a sentence about it, or null. */
export type FolderCheck = (path: string) => string | null;

const NAMES = Object.keys(WORKSPACE_TOOLS);

export function checkWorkspace(declared: Declared, problemWith: FolderCheck, report: Report): void {
  const { workspace } = declared;
  if (workspace === null) return;
  checkRoot(workspace, problemWith, report);
  for (const { key, at } of workspace.tools) if (!isTool(key)) report.add(at, ...unknownTool(key));
  for (const { key, at } of declared.servers) {
    if (key === WORKSPACE_SERVER) {
      const message = "`workspace` is the server of the workspace's own tools, so no other can be called so.";
      report.add(at, message, "Give the server another name.");
    }
  }
  for (const { id, at, server } of declared.tools) {
    const parts = parseToolId(id);
    if (server !== null || parts.server !== WORKSPACE_SERVER || isPattern(parts.tool)) continue;
    if (!isTool(parts.tool)) report.add(at, ...unknownTool(parts.tool));
    else report.add(at, `${quote(id)} is declared by \`workspace\` already.`, UNDER_WORKSPACE);
  }
}

const UNDER_WORKSPACE = "Say what is to hold for it under the `tools` of `workspace`.";

const isTool = (name: string): boolean => Object.hasOwn(WORKSPACE_TOOLS, name);

function unknownTool(name: string): readonly [message: string, fix?: string] {
  if (isPattern(name)) {
    return ["The tools of the workspace are named one by one, without `*`.", `They are ${quoteAll(NAMES)}.`];
  }
  const end = didYouMean(name, NAMES);
  const message = `The workspace has no tool ${quote(name)}${end}`;
  return end === "." ? [message, `It has ${quoteAll(NAMES)}.`] : [message];
}

function checkRoot({ value }: DeclaredWorkspace, problemWith: FolderCheck, report: Report): void {
  const root = child(value, "root");
  if (!isText(root) || root.value === "") return;
  const problem = problemWith(root.value);
  if (problem === null) return;
  report.add(
    root.at,
    `The \`root\` of the workspace, ${quote(root.written)}, ${problem}.`,
    "Name a folder, relative to the policy file.",
  );
}
