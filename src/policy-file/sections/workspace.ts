/** The workspace: the folder that the agent works in, and the settings of its tools. */
import type { z } from "zod";
import {
  toWorkspaceDeclaration as declareWorkspace,
  isPattern,
  type Policy,
  parseToolId,
  type ServerDeclaration,
  toToolId,
  WORKSPACE_SERVER,
  WORKSPACE_TOOLS,
  type WorkspaceToolKind,
} from "../../core/index.ts";
import { didYouMean, quote, quoteAll } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, type Entry, entriesOf, isText, type Tree } from "../document/tree.ts";
import type { Declared, Loaded } from "./declared.ts";
import { checkSourceAndSink, sink, source, toSourceAndSink } from "./labels.ts";
import { byName, described, map, name, names } from "./shape.ts";
import { approval, approvers, type Making, mapValues, onViolation, toRest } from "./tools.ts";

const workspaceToolSchema = map(
  "A tool of the workspace",
  {
    source: described(source, "The label of what the tool brings in. Left out: the workspace's."),
    sink: described(
      sink,
      "What the tool may take. Left out: what changes files takes data as high as the workspace's `source`, and a program only the lowest level.",
    ),
    tags: described(names, "Words that `require_tags` can ask for."),
    approval: described(
      approval,
      "Whether a person must approve a call, as on any tool. Left out: `never` for what reads, `always` for the rest.",
    ),
    on_violation: described(
      onViolation,
      "What happens to a call that the session's label may not go to. Left out: `ask` for what changes files or runs a program.",
    ),
    approvers,
  },
  { later: ["requires", "once"] },
);

const workspaceSchema = map(
  "`workspace`",
  {
    root: name.meta({
      description: "The folder, relative to the policy file. Outside of it a person is asked.",
    }),
    source: described(source, "The label of the files. Left out: the least."),
    tools: described(
      byName(workspaceToolSchema, "a map of the workspace's tools by name"),
      "Settings of its tools in place of the defaults, by their own names.",
    ),
  },
  { error: "a map with `root`" },
);

export const workspaceKeys = {
  workspace: described(
    workspaceSchema,
    "A folder whose files the agent works in: the tools of the server `workspace`. What git tracks or doesn't ignore is read freely; all else asks.",
  ),
};

/** Where an agent works on files. */
export interface WorkspaceConfig {
  /** Absolute, and not yet followed where it is a link. */
  readonly root: string;
}

type WorkspaceDocument = z.infer<typeof workspaceSchema>;

/** What is wrong with a folder, as the end of a sentence about it, or null. */
export type FolderCheck = (path: string) => string | null;

/** What is said of its tools, by their own names. */
const toolsIn = (workspace: Tree | undefined): readonly Entry[] => entriesOf(child(workspace, "tools"));

const NAMES = Object.keys(WORKSPACE_TOOLS);

export function checkWorkspace(declared: Declared, problemWith: FolderCheck, report: Report): void {
  const { workspace } = declared;
  if (workspace === null) return;
  checkRoot(workspace.value, problemWith, report);
  checkSourceAndSink(workspace.value, declared, report);
  for (const { key, at, value } of toolsIn(workspace.value)) {
    if (!isTool(key)) report.add(at, ...unknownTool(key));
    checkSourceAndSink(value, declared, report);
  }
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

const UNDER_WORKSPACE = "Declare it under the `tools` of `workspace`.";

const isTool = (name: string): boolean => Object.hasOwn(WORKSPACE_TOOLS, name);

function unknownTool(name: string): readonly [message: string, fix?: string] {
  if (isPattern(name)) {
    return ["The tools of the workspace are named one by one, without `*`.", `They are ${quoteAll(NAMES)}.`];
  }
  const end = didYouMean(name, NAMES);
  const message = `The workspace has no tool ${quote(name)}${end}`;
  return end === "." ? [message, `It has ${quoteAll(NAMES)}.`] : [message];
}

function checkRoot(workspace: Tree, problemWith: FolderCheck, report: Report): void {
  const root = child(workspace, "root");
  if (!isText(root) || root.value === "") return;
  const problem = problemWith(root.value);
  if (problem === null) return;
  report.add(
    root.at,
    `The \`root\` of the workspace, ${quote(root.written)}, ${problem}.`,
    "Name a folder, relative to the policy file.",
  );
}

/** Warns of what lets an agent act unasked. */
export function warnAboutWorkspace({ declared, policy }: Loaded, report: Report): void {
  for (const tool of toolsIn(declared.workspace?.value)) warnAboutTool(tool, policy, report);
}

function warnAboutTool({ key, value }: Entry, policy: Policy, report: Report): void {
  const approval = child(value, "approval");
  const isGone = policy.removed.has(toToolId(WORKSPACE_SERVER, key));
  if (isGone || !isText(approval) || approval.value !== "never" || workspaceToolKind(key) === "read") return;
  report.add(approval.at, `${quote(key)} has \`approval: never\`, so an agent can ${whatIn([key])} unasked.`);
}

export function workspaceToolKind(name: string): WorkspaceToolKind {
  return (Object.hasOwn(WORKSPACE_TOOLS, name) ? WORKSPACE_TOOLS[name] : undefined) ?? "process";
}

/** What tools do that no person sees. */
export function whatIn(names: readonly string[]): string {
  const kinds = new Set(names.map(workspaceToolKind));
  if (!kinds.has("process")) return "change files";
  return kinds.has("write") ? "change files and run programs" : "run programs";
}

export const toWorkspaceDeclaration = (
  { tools = {}, ...workspace }: WorkspaceDocument,
  making: Making,
): ServerDeclaration =>
  declareWorkspace(
    {
      ...toSourceAndSink(workspace),
      tools: mapValues(tools, ({ source, ...rest }) => ({
        ...toSourceAndSink({ source }),
        ...toRest(rest, making),
      })),
    },
    making.lattice.levels,
  );
