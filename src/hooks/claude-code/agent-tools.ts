/** What Claude Code's own tools are where a policy says nothing of them: those that bring nothing in and send nothing out. */
import {
  definePolicy,
  type LabelDeclaration,
  lookUp,
  type Policy,
  type ToolDeclaration,
} from "../../core/index.ts";

/** By these the agent asks its person, in a dialog of its own that a hook's yes would leave out. */
const DIALOGS: ReadonlySet<string> = new Set(["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"]);

/** Whether a yes is the agent's person's to give, in the agent's own dialog. */
export const isDialog = (tool: string): boolean => DIALOGS.has(tool);

/** They keep to the conversation: what a subagent calls is decided by itself, and its tools' descriptions are no data. */
const HARMLESS: readonly string[] = [
  ...DIALOGS,
  ...["TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"],
  ...["Task", "ToolSearch", "KillShell", "TaskStop"],
];

/** What a command that was decided before says later. */
const OUTPUTS: readonly string[] = ["BashOutput", "TaskOutput"];

/** Instructions out of files, which may run commands as they are loaded. */
const INSTRUCTIONS: readonly string[] = ["Skill", "SlashCommand"];

/** Whether a tool loads instructions out of files that are searched for from the folder that the agent works in. */
export const loadsInstructions = (tool: string): boolean => INSTRUCTIONS.includes(tool);

/** The same policy under the same version, with the agent's own tools that no name or pattern of it means. */
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

/** What a tool of the policy brings in; null for one that it doesn't have. */
function sourceOf(policy: Policy, name: string): { readonly source?: LabelDeclaration } | null {
  const { tool } = lookUp(policy, name);
  if (tool === null) return null;
  return tool.source === null ? {} : { source: tool.source };
}
