/** Which options of a role agent are incompatible, and why. */
import {
  assertKnownTools,
  createToolSet,
  isPattern,
  listNames,
  parseToolId,
  quoteName,
  type ToolSet,
  toToolId,
  WORKSPACE_SERVER,
} from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { RoleAgentOptions } from "./role-host.ts";

interface Conflict {
  readonly is: (given: Given) => boolean;
  readonly why: string;
  readonly fix: string;
}

interface Given extends RoleAgentOptions {
  /** It works in a gate or a session of the host. */
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

/** What the names of a role's tools can mean. */
interface RoleTools {
  readonly role: string;
  /** The most tools of the workspace that the role may have. */
  readonly set: ToolSet;
  /** Ids of the configured servers. */
  readonly servers: readonly string[];
  /** Names that the policy declares. */
  readonly declared: Iterable<string>;
}

/**
 * The tools given to an agent, checked.
 * @throws InvalidToolError for an unknown name; SluicegateError `invalid-tool` for one that the role doesn't have.
 */
export function chooseTools(given: Iterable<string> | undefined, tools: RoleTools): ToolSet {
  const { role, set, servers, declared } = tools;
  const chosen = createToolSet(given ?? set);
  assertKnownTools(chosen, { servers, declared });
  const foreign = [...chosen].filter((name) => !set.has(name) && !isOfServer(name, servers));
  if (foreign.length === 0) return chosen;
  const own = set.size === 0 ? "no tool" : listNames([...set]);
  throw new SluicegateError("invalid-tool", `The role ${quoteName(role)} can't have ${listNames(foreign)}.`, {
    why: `Its set is ${own}. Besides, an agent can be given tools of its own \`servers\`, each server written out.`,
    fix: "Leave them out, or give the task to an agent of another role.",
    details: { tools: foreign },
  });
}

/** Whether a name or a pattern means tools of one configured server, by its parsed parts. */
function isOfServer(name: string, servers: readonly string[]): boolean {
  const { server } = parseToolId(name);
  return server !== null && !isPattern(server) && servers.includes(server);
}

/** The identities and patterns of an agent's tools, for a gate. */
export const toIdentities = (tools: Iterable<string>, workspace: string): readonly string[] =>
  [...tools].map((name) => (parseToolId(name).server === null ? toToolId(workspace, name) : name));
