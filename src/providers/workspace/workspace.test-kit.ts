/** Workspaces over real repositories in temporary folders. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Examination, JsonObject, ToolResult } from "../../runtime/index.ts";
import type { WorkspaceTool } from "./tools/workspace-tool.ts";
import { createWorkspace, type Workspace } from "./workspace.ts";
import "./kept-runner.test-kit.ts";

export interface TestWorkspace {
  /** A folder that holds the root and what lies outside of it. */
  readonly base: string;
  readonly root: string;
  readonly workspace: Workspace;
  readonly at: (name: string) => string;
  readonly put: (name: string, content: string | Buffer) => void;
  readonly get: (name: string) => string;
  readonly has: (name: string) => boolean;
  readonly git: (...args: readonly string[]) => string;
  readonly tool: (name: string) => WorkspaceTool;
  readonly examine: (name: string, args: JsonObject) => Promise<Examination>;
  /** Runs a tool without anybody's yes. */
  readonly call: (name: string, args: JsonObject) => Promise<string>;
  /** Runs a tool as if a person had said yes; `meanwhile` happens between the two. */
  readonly granted: (name: string, args: JsonObject, meanwhile?: () => void) => Promise<string>;
  readonly close: () => void;
}

/** With files by their names as seen from the root; an ignore file that ignores `*.key` and `build/` is there. */
export function openTestWorkspace(
  files: Readonly<Record<string, string | Buffer>> = {},
  protect: readonly string[] = [],
): TestWorkspace {
  const base = realpathSync.native(mkdtempSync(join(tmpdir(), "sluicegate-workspace-")));
  const root = join(base, "root");
  const at = (name: string): string => join(root, name);
  const put = (name: string, content: string | Buffer): void => {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), content);
  };
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  put(".gitignore", "*.key\nbuild/\n");
  for (const [name, content] of Object.entries(files)) put(name, content);
  git("init", "-q");
  const workspace = createWorkspace({ root, protect: protect.map(at) });
  const tool = (name: string): WorkspaceTool => {
    const found = workspace.tools.get(name);
    if (found === undefined) throw new Error(`There is no tool ${name}.`);
    return found;
  };
  return {
    base,
    root,
    workspace,
    at,
    put,
    git,
    tool,
    get: (name) => readFileSync(at(name), "utf8"),
    has: (name) => existsSync(at(name)),
    examine: (name, args) => tool(name).examine(args),
    call: async (name, args) => textOf(await tool(name).execute(args)),
    granted: async (name, args, meanwhile) => {
      const examined = await tool(name).examine(args);
      meanwhile?.();
      return textOf(await tool(name).execute(args, examined));
    },
    close: () => {
      workspace.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

export const textOf = ({ content }: ToolResult): string =>
  content.map(({ text }) => (typeof text === "string" ? text : "")).join("\n");
