/** Sentences that tell the approver exactly what an approval permits. */

import type { Label, Lattice } from "../label/label.ts";
import { parseToolId, type Tool } from "../tools/tool.ts";
import { WORKSPACE_SERVER, WORKSPACE_TOOLS } from "../tools/workspace-tools.ts";
import { describeClearances, describeLabel } from "./explain.ts";
import { quoteName } from "./quote-name.ts";

/** A call that waits for a person. */
export interface Wish {
  readonly principal: string;
  /** The identity of its tool. */
  readonly id: string;
  /** Null if the policy doesn't have it now. */
  readonly tool: Tool | null;
  /** Whether an approval is a release. */
  readonly release: boolean;
  /** The session's label when it was requested. */
  readonly label: Label;
}

/** The request as a sentence for the approver. */
export function explainWish(lattice: Lattice, { principal, id, tool, release, label }: Wish): string {
  const agent = `${quoteName(principal)}'s agent wants to`;
  if (tool === null) return `${agent} call ${quoteName(id)}, which isn't there now.`;
  const named = `${quoteName(tool.name)} of ${placeOf(tool)}`;
  const { clearances } = tool;
  const limit = clearances && `, which may receive ${describeClearances(lattice, clearances)}`;
  if (release)
    return `${agent} release what its session holds, ${describeLabel(label)}, to ${named}${limit}.`;
  if (!tool.classified)
    return `${agent} call ${named}. Nobody has said what that does: it may read, write and send data outside.`;
  return `${agent} ${listEffects(tool)} with ${named}${limit ?? ""}.`;
}

/** The request to run a plan, as a sentence for its approver. */
export const explainPlanWish = (principal: string, steps: number, asking: number): string =>
  `${quoteName(principal)}'s agent wants to run a plan of ${steps === 1 ? "one call" : `${steps} calls`}, of which ${asking} may run unasked by your yes, once each. Steps count from 0.`;

const placeOf = ({ server }: Tool): string =>
  server === null
    ? "its own"
    : server === WORKSPACE_SERVER
      ? "the workspace"
      : `the server ${quoteName(server)}`;

/** The effects of a tool's call, the most severe last. */
function listEffects(tool: Tool): string {
  if (isProgram(tool)) return "run a program";
  const { permissions, clearances } = tool;
  const writes = permissions.includes("write");
  const sends = permissions.includes("connect") || (clearances !== null && !writes);
  const deeds = [
    ...(permissions.includes("read") ? ["read"] : []),
    ...(writes ? ["write"] : []),
    ...(sends ? ["send data outside"] : []),
  ];
  const last = deeds.pop() ?? "do something";
  return deeds.length === 0 ? last : `${deeds.join(", ")} and ${last}`;
}

const isProgram = ({ id, server }: Tool): boolean => {
  const name = parseToolId(id).tool;
  return (
    server === WORKSPACE_SERVER && Object.hasOwn(WORKSPACE_TOOLS, name) && WORKSPACE_TOOLS[name] === "process"
  );
};
