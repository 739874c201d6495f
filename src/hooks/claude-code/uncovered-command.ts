/** Commands of which the policy's condition on their arguments says too little. */
import type { CalledTool } from "../../adapters/claude-code/file-call.ts";
import { type AskCause, approvalInRole, lookUp } from "../../core/index.ts";
import { pathWithin } from "../../providers/workspace/internal.ts";
import type { Session } from "../../runtime/index.ts";
import { canonicalFolder } from "./file-facts.ts";
import type { HookGate } from "./hook-gate.ts";

/** Arguments that change neither what a command may do nor where. */
const PLAIN_ARGUMENTS: ReadonlySet<string> = new Set([
  ...["command", "description", "timeout", "run_in_background"],
]);

interface UncoveredQuestion {
  readonly gate: HookGate["gate"];
  readonly session: Session;
  /** The tool of the policy. */
  readonly tool: string;
  readonly call: CalledTool;
  /** The workspace's folder; null if the policy has none. */
  readonly root: string | null;
}

/**
 * Why a condition that lets a command pass doesn't count. THREAT: the agent chooses its folder, and with
 * `dangerouslyDisableSandbox` leaves its own sandbox; a condition on the command sees neither. `approval: never`
 * covers every call, and `always` none.
 */
export async function uncoveredBy(question: UncoveredQuestion): Promise<readonly AskCause[]> {
  const { call, root } = question;
  if (call.tool !== "Bash" || typeof approvalOf(question) === "string") return [];
  const isUsual = Object.entries(call.arguments).every(
    ([name, value]) => PLAIN_ARGUMENTS.has(name) || (name === "dangerouslyDisableSandbox" && value === false),
  );
  const isInside = root === null || pathWithin(root, await canonicalFolder(call.cwd)) !== null;
  return isUsual && isInside ? [] : ["condition-unclear"];
}

function approvalOf({ gate: { policy }, session, tool: name }: UncoveredQuestion) {
  const { tool } = lookUp(policy, name);
  if (tool === null) return "always";
  const role = session.role === null ? null : policy.roles.get(session.role);
  const inRole = role?.approval ? approvalInRole(role.approval, tool, policy.names) : null;
  return inRole ?? tool.approval;
}
