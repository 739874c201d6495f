/** Which tools an agent of a role has: its set, or fewer, and of configured servers what it is given by name. */
import {
  assertKnownTools,
  createToolSet,
  isPattern,
  listNames,
  parseToolId,
  quoteName,
  type ToolSet,
  toToolId,
} from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";

/** What the names of a role's tools can mean. */
export interface RoleTools {
  readonly role: string;
  /** What the role has at most of the workspace. */
  readonly set: ToolSet;
  /** Ids of the configured servers. */
  readonly servers: readonly string[];
  /** Names that the policy declares. */
  readonly declared: Iterable<string>;
}

/**
 * The tools that are given to an agent, checked.
 * @throws InvalidToolError for a name that means nothing; SluicegateError `invalid-tool` for one that the role
 * doesn't have.
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

/** The identities and patterns of an agent's tools, by which a gate knows them. */
export const toIdentities = (tools: Iterable<string>, workspace: string): readonly string[] =>
  [...tools].map((name) => (parseToolId(name).server === null ? toToolId(workspace, name) : name));
