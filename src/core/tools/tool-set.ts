/**
 * Immutable sets of tool names, and the five that coding roles use. A set is no `Set`: nothing can add to it,
 * at run time either. Names are checked where an agent or a role is built, not where a set is.
 */
import { SluicegateError } from "../../errors/index.ts";
import { listNames, quoteName } from "../decision/quote-name.ts";
import { isPattern, matchesToolId, matchesWildcard } from "./pattern.ts";
import { parseToolId } from "./tool.ts";

/** An immutable set of tool names and `mcp__{server}__*` patterns, in the order given. */
export interface ToolSet extends Iterable<string> {
  readonly size: number;
  has(name: string): boolean;
  /** A new array at each call. */
  toArray(): string[];
}

/** A frozen tool set; repeats are dropped. */
export function createToolSet(names: Iterable<string>): ToolSet {
  const held = new Set(typeof names === "string" ? [names] : names);
  return Object.freeze({
    size: held.size,
    has: (name: string) => held.has(name),
    toArray: () => [...held],
    [Symbol.iterator]: () => [...held][Symbol.iterator](),
  });
}

/** Every tool that coding agents bring along. */
export const BUILTIN_TOOLS: ToolSet = createToolSet([
  "Read",
  "Write",
  "Edit",
  "Bash",
  "Glob",
  "Grep",
  "NotebookEdit",
  "WebFetch",
  "WebSearch",
  "TodoWrite",
  "Task",
  "ExitPlanMode",
]);

/** Reads code, changes nothing. */
export const REVIEWER_TOOLS: ToolSet = createToolSet(["Read", "Glob", "Grep"]);
/** Changes code, runs nothing. */
export const IMPLEMENTER_TOOLS: ToolSet = createToolSet(["Read", "Write", "Edit", "Glob", "Grep"]);
/** Fixes files that it was pointed to. */
export const FIXER_TOOLS: ToolSet = createToolSet(["Read", "Write", "Edit"]);
/** Resolves an issue, with search. */
export const ISSUE_FIXER_TOOLS: ToolSet = createToolSet(["Read", "Write", "Edit", "Glob", "Grep"]);
/** Writes text and has no tool. */
export const GENERATOR_TOOLS: ToolSet = createToolSet([]);

/** A tool name that nothing declares. `details` holds `tool` and `known`. */
export class InvalidToolError extends SluicegateError {
  constructor(tool: string, known: readonly string[]) {
    super("invalid-tool", `There is no tool ${quoteName(tool)}.`, {
      why: "It is no built-in tool, no tool of a configured server, and nothing in the policy declares it.",
      fix: `Declare it, or use one of ${listNames(known, "or")}.`,
      details: { tool, known },
    });
    this.name = "InvalidToolError";
  }
}

/** What tool names can refer to. */
export interface KnownTools {
  /** Ids of the configured servers. */
  readonly servers: Iterable<string>;
  /** Names and patterns that the policy declares: of the servers' tools and of the agent's own. */
  readonly declared: Iterable<string>;
}

/**
 * Checks that each name is built in, matches `mcp__{server}__*` of a configured server by its parsed parts, or
 * is declared.
 * @throws InvalidToolError for the first that isn't, with everything that is known.
 */
export function assertKnownTools(names: Iterable<string>, known: KnownTools): void {
  const servers = [...known.servers];
  const declared = new Set(known.declared);
  for (const name of names) {
    if (!isKnownTool(name, servers, declared)) {
      const patterns = servers.map((server) => `mcp__${server}__*`);
      throw new InvalidToolError(name, [...new Set([...BUILTIN_TOOLS, ...patterns, ...declared])].sort());
    }
  }
}

function isKnownTool(name: string, servers: readonly string[], declared: ReadonlySet<string>): boolean {
  if (name === "*" || BUILTIN_TOOLS.has(name) || declared.has(name)) return true;
  if ([...declared].some((pattern) => isPattern(pattern) && matchesToolId(pattern, name))) return true;
  const { server } = parseToolId(name);
  if (server === null) return isPattern(name) && [...declared].some((known) => matchesWildcard(name, known));
  return servers.some((id) => matchesWildcard(server, id));
}
