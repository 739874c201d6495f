/** Which options of a role agent can't go together, and why. */
import { WORKSPACE_SERVER } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { RoleAgentOptions } from "./role-host.ts";

interface Conflict {
  readonly is: (given: Given) => boolean;
  readonly why: string;
  readonly fix: string;
}

interface Given extends RoleAgentOptions {
  /** It works in a gate or a session of the host's. */
  readonly isHosted: boolean;
  readonly hasFiles: boolean;
}

const CONFLICTS: readonly Conflict[] = [
  {
    is: ({ gate, session }) => gate !== undefined && session !== undefined,
    why: "Both `gate` and `session` were given.",
    fix: "Give one of them.",
  },
  {
    is: ({ session, role, principal }) =>
      session !== undefined && (role !== undefined || principal !== undefined),
    why: "The session has a role and a principal already.",
    fix: "Leave `role` and `principal` out.",
  },
  {
    is: ({ isHosted, policy, store, digestKey }) =>
      isHosted && [policy, store, digestKey].some((given) => given !== undefined),
    why: "The host's gate has a policy, a store and a key already.",
    fix: "Leave `policy`, `store` and `digestKey` out.",
  },
  {
    is: ({ unattended, isHosted, policy }) => unattended === true && (isHosted || policy !== undefined),
    why: "`unattended` is for the policy that is made for the role, and another one was given.",
    fix: "Say in that policy which of the role's tools have `approval: never`.",
  },
  {
    is: ({ servers = [], isHosted, policy }) => servers.length > 0 && !isHosted && policy === undefined,
    why: "`servers` were given, and no policy that says what their tools do.",
    fix: "Give a `policy` that classifies them and the workspace.",
  },
  {
    is: ({ servers = [], workspace }) =>
      servers.some(({ id }) => id === (workspace?.id ?? WORKSPACE_SERVER)) ||
      new Set(servers.map(({ id }) => id)).size < servers.length,
    why: "Two of its servers, or one of them and the workspace, have the same id.",
    fix: "Give each an id of its own.",
  },
  {
    is: ({ hasFiles, root }) => hasFiles && (typeof root !== "string" || root === ""),
    why: "It has file tools, and no `root` was given.",
    fix: "Name its working directory.",
  },
  {
    is: ({ hasFiles, isHosted, workspace }) => hasFiles && isHosted && workspace === undefined,
    why: "The host's gate must look at the agent's calls before it decides them.",
    fix: "Give as `workspace` the provider that the gate was opened with, by `facts: examineCalls([workspace])`.",
  },
  {
    is: ({ isHosted, workspace }) => !isHosted && workspace !== undefined,
    why: "`workspace` belongs to a gate of the host's, and none was given.",
    fix: "Leave it out, or give the `gate` or the `session` too.",
  },
];

/** @throws SluicegateError `invalid-request` */
export function assertTogether(name: string, hasFiles: boolean, options: RoleAgentOptions): void {
  const isHosted = options.gate !== undefined || options.session !== undefined;
  const found = CONFLICTS.find(({ is }) => is({ ...options, isHosted, hasFiles }));
  if (found) throw cantBeMade(name, found.why, found.fix);
}

export const cantBeMade = (name: string, why: string, fix: string): SluicegateError =>
  new SluicegateError("invalid-request", `The agent \`${name}\` can't be made of this.`, { why, fix });
