/**
 * The tools of a workspace, as a policy classifies them: what each does to the files under its root, and what
 * stands where a policy leaves something open. Pure data; the tools themselves are somebody else's.
 */
import { DEFAULT_LATTICE } from "../label/label.ts";
import type { ServerDeclaration } from "../policy/policy.ts";
import type { LabelDeclaration, ToolDeclaration } from "./tool.ts";

/** The server whose tools they are: their identities begin with `mcp__workspace__`. */
export const WORKSPACE_SERVER = "workspace";

/** What a tool does: it reads, changes files, or runs a program. */
export type WorkspaceToolKind = "read" | "write" | "process";

/** Every tool of a workspace, by its own name. */
export const WORKSPACE_TOOLS: Readonly<Record<string, WorkspaceToolKind>> = Object.freeze({
  read_text_file: "read",
  count_text_file_lines: "read",
  list_dir: "read",
  list_working_tree: "read",
  search_by_regex: "read",
  write_text_file: "write",
  edit_text_file: "write",
  create_dir: "write",
  delete_file: "write",
  rename: "write",
  run_command: "process",
  Read: "read",
  Glob: "read",
  Grep: "read",
  Write: "write",
  Edit: "write",
  Bash: "process",
});

/** What a policy may say of one of its tools in place of the default. */
export type WorkspaceToolDeclaration = Pick<
  ToolDeclaration,
  "source" | "sink" | "tags" | "approval" | "onViolation" | "approvers"
>;

/** A workspace as a policy declares it. */
export interface WorkspaceDeclaration {
  /** The label of the files; by default the least. */
  readonly source?: LabelDeclaration;
  /** By their own names. */
  readonly tools?: Readonly<Record<string, WorkspaceToolDeclaration>>;
}

/**
 * The workspace's tools as a server's declaration, with their defaults. Every tool brings in the label of the files:
 * one that writes or runs something shows of them as well. What changes files takes data as high as they are, and a
 * program only the lowest; both ask a person for each call, and for a release where the session's label doesn't fit.
 */
export function toWorkspaceDeclaration(
  { source, tools = {} }: WorkspaceDeclaration = {},
  levels: readonly string[] = DEFAULT_LATTICE.levels,
): ServerDeclaration {
  const [lowest = ""] = levels;
  const declared = Object.entries(WORKSPACE_TOOLS).map(([name, kind]) => {
    const own = Object.hasOwn(tools, name) ? tools[name] : undefined;
    return [name, { ...byDefault(kind, source, lowest), ...own }] as const;
  });
  return { ...(source && { source }), tools: Object.fromEntries(declared) };
}

function byDefault(
  kind: WorkspaceToolKind,
  source: LabelDeclaration | undefined,
  lowest: string,
): ToolDeclaration {
  const bringing = source && { source };
  switch (kind) {
    case "read":
      return { permissions: ["read"], ...bringing };
    case "write":
      return { permissions: ["read", "write"], ...bringing, sink: [toSink(source, lowest)], ...ASKING };
    case "process":
      return { permissions: ["read", "write", "connect"], ...bringing, sink: [{ level: lowest }], ...ASKING };
  }
}

const ASKING = { approval: "always", onViolation: "ask" } as const;

/** What may be written to files: what reads them will declare. Trust is asked for where it is named. */
const toSink = (source: LabelDeclaration | undefined, lowest: string): LabelDeclaration => ({
  level: source?.level ?? lowest,
  ...(source?.categories && { categories: source.categories }),
  ...(source?.trust !== undefined && { trust: source.trust }),
});
