/**
 * Defaults for Claude Code's own tools that bring no data in and send none out. They apply unless the policy names
 * the tool.
 */
import {
  definePolicy,
  type LabelDeclaration,
  lookUp,
  type Policy,
  type ToolDeclaration,
} from "../../core/index.ts";

/** The agent's own dialogs with its user. If a hook allowed them, the dialog would be skipped. */
const DIALOGS: ReadonlySet<string> = new Set(["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"]);

/** Whether the agent's own dialog asks its user, whatever a hook says. */
export const isDialog = (tool: string): boolean => DIALOGS.has(tool);

/**
 * These stay within the conversation: a subagent's calls are decided separately, and descriptions of tools aren't
 * data.
 */
const HARMLESS: readonly string[] = [
  ...DIALOGS,
  ...["TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"],
  ...["Task", "ToolSearch", "KillShell", "TaskStop"],
];

/** These return the output of a command that was decided before. */
const OUTPUTS: readonly string[] = ["BashOutput", "TaskOutput"];

/** Instructions from files, which may run commands when they load. */
const INSTRUCTIONS: readonly string[] = ["Skill", "SlashCommand"];

/** Whether a tool loads instructions from files that are searched for from the agent's working folder. */
export const loadsInstructions = (tool: string): boolean => INSTRUCTIONS.includes(tool);

/** Adds the agent's own tools that the policy doesn't name, and keeps the policy's version. */
export function withAgentTools(policy: Policy): Policy {
  const { declaration } = policy.origin;
  const read = sourceOf(policy, "Read");
  const tools: readonly (readonly [string, ToolDeclaration])[] = [
    ...HARMLESS.map((name) => [name, { permissions: [] }] as const),
    ...OUTPUTS.map((name) => [name, { permissions: [], ...sourceOf(policy, "Bash") }] as const),
    ...INSTRUCTIONS.flatMap((name) =>
      read === null ? [] : [[name, { permissions: ["read"], approval: "always", ...read }] as const],
    ),
  ];
  const added = tools.filter(([name]) => {
    const { tool, candidates } = lookUp(policy, name);
    return tool === null && candidates.length === 0;
  });
  const all = { ...Object.fromEntries(added), ...declaration.tools };
  return definePolicy({ ...declaration, tools: all }, { version: policy.version });
}

/** The source of a tool of the policy; null if the policy doesn't have the tool. */
function sourceOf(policy: Policy, name: string): { readonly source?: LabelDeclaration } | null {
  const { tool } = lookUp(policy, name);
  if (tool === null) return null;
  return tool.source === null ? {} : { source: tool.source };
}
