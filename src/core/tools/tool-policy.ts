/**
 * The seed's tool policy: deny list, then allow list, then tags. A policy holds a stack of them, all of which
 * must let a tool pass; so to tighten is to push one, and nothing in the stack can widen another.
 */
import { SluicegateError } from "../../errors/index.ts";
import { quoteName } from "../decision/quote-name.ts";
import { lock } from "../policy/frozen.ts";
import { assertShape, listOf, name, record, type Shape } from "../policy/shape.ts";
import type { ToolNames } from "./names.ts";
import { isPattern, matchesToolId, matchesWildcard } from "./pattern.ts";
import { parseToolId, type Tool } from "./tool.ts";

/** Hard limits on tools, by name, by pattern and by tag. */
export interface ToolPolicy {
  /** Only these. Left out: all; empty: none. */
  readonly allowedTools?: readonly string[];
  readonly deniedTools?: readonly string[];
  /** Tags that a tool must all have. */
  readonly requireTags?: readonly string[];
}

export const TOOL_POLICY_FIELDS = Object.freeze({
  allowedTools: listOf(name),
  deniedTools: listOf(name),
  requireTags: listOf(name),
});
export const TOOL_POLICY_SHAPE: Shape = record<ToolPolicy>(TOOL_POLICY_FIELDS);

/** The same text for the same rules, whatever their order and repetition. */
export function textOf({ allowedTools, deniedTools, requireTags }: ToolPolicy): string {
  const lists = [allowedTools ?? null, deniedTools ?? [], requireTags ?? []];
  return JSON.stringify(lists.map((list) => list && [...new Set(list)].sort()));
}

/** Why a tool policy takes a tool away. */
export type Removal = "denied-by-policy" | "missing-tag";

interface EntryLists {
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly string[];
}

/** Entries of a list, sorted into names and patterns. */
export interface Entries extends EntryLists {
  /** The same in lower case. */
  readonly ignoringCase: EntryLists;
}

/**
 * The entries of a list of tools.
 * @throws SluicegateError `policy-invalid` for one that begins with `mcp__` and has no second `__`: it could
 * never match, so what it was to deny would be let through.
 */
export function toEntries(list: Iterable<string>): Entries {
  const all = [...list];
  for (const entry of all) {
    if (entry.startsWith("mcp__") && parseToolId(entry).server === null) throw malformed(entry);
  }
  return Object.freeze({
    ...toLists(all),
    ignoringCase: toLists(all.map((entry) => entry.toLowerCase())),
  });
}

const toLists = (entries: readonly string[]): EntryLists =>
  Object.freeze({
    names: lock(new Set(entries.filter((entry) => !isPattern(entry)))),
    patterns: Object.freeze(entries.filter(isPattern)),
  });

const malformed = (entry: string): SluicegateError =>
  new SluicegateError("policy-invalid", `The entry ${quoteName(entry)} matches no tool.`, {
    why: "A tool's identity is `mcp__{server}__{tool}`, and this one has no second `__`.",
    fix: "Write the server and the tool, such as `mcp__mail__search_email` or `mcp__mail__*`.",
  });

const has = (entries: EntryLists, name: string): boolean =>
  entries.names.has(name) || entries.patterns.some((pattern) => matchesEntry(pattern, name));

/**
 * Whether a deny list takes a tool: it does by any name that anybody could call it, in capitals or not.
 * THREAT: a server names its tools, and may offer `Delete_All` where `delete_*` is denied.
 */
export const isDenied = ({ ignoringCase }: Entries, tool: Tool, names: ToolNames): boolean =>
  names.of(tool.id).some((name) => has(ignoringCase, name.toLowerCase()));

/** Whether an allow list has a tool: only by a name that means this tool and no other. */
export const isAllowed = (entries: Entries, tool: Tool, names: ToolNames): boolean =>
  names.of(tool.id).some((name) => means(names, name, tool) && has(entries, name));

/** Whether a name means this tool and no other. A tool that only a pattern declares is in no list of names. */
function means(names: ToolNames, name: string, tool: Tool): boolean {
  const { id, candidates } = names.resolve(name);
  return id === tool.id || (id === null && candidates.length === 0 && name === tool.id);
}

const matchesEntry = (entry: string, name: string): boolean =>
  entry.startsWith("mcp__") || name.startsWith("mcp__")
    ? matchesToolId(entry, name)
    : matchesWildcard(entry, name);

/** A tool policy ready to be asked about many tools. */
export interface Limit {
  readonly allowed: Entries | null;
  readonly denied: Entries;
  readonly tags: readonly string[];
}

/** @throws SluicegateError `policy-invalid` for what is no tool policy: what it was to deny would be let through. */
export function toLimit(policy: ToolPolicy): Limit {
  const subject = {
    code: "policy-invalid",
    message: "The tool policy can't be used.",
    path: "toolPolicy",
  } as const;
  assertShape(TOOL_POLICY_SHAPE, policy, subject);
  const { allowedTools, deniedTools, requireTags } = policy;
  return Object.freeze({
    allowed: allowedTools ? toEntries(allowedTools) : null,
    denied: toEntries(deniedTools ?? []),
    tags: Object.freeze([...(requireTags ?? [])]),
  });
}

/** Why a stack of limits takes a tool away: every reason, in a fixed order, however the stack is ordered. */
export function removalsOf(stack: readonly Limit[], tool: Tool, names: ToolNames): readonly Removal[] {
  const denied = stack.some(
    ({ allowed, denied: list }) =>
      isDenied(list, tool, names) || (allowed !== null && !isAllowed(allowed, tool, names)),
  );
  const untagged = stack.some(({ tags }) => tags.some((tag) => !tool.tags.includes(tag)));
  return [
    ...(denied ? (["denied-by-policy"] as const) : []),
    ...(untagged ? (["missing-tag"] as const) : []),
  ];
}

/** A limit as people write it. */
export const fromLimit = ({ allowed, denied, tags }: Limit): ToolPolicy => ({
  ...(allowed && { allowedTools: entriesIn(allowed) }),
  ...(entriesIn(denied).length > 0 && { deniedTools: entriesIn(denied) }),
  ...(tags.length > 0 && { requireTags: tags }),
});

const entriesIn = ({ names, patterns }: Entries): readonly string[] => [...names, ...patterns];

/** Whether a stack of limits leaves a tool. */
export const isLeft = (stack: readonly Limit[], tool: Tool, names: ToolNames): boolean =>
  removalsOf(stack, tool, names).length === 0;

/** How many patterns a stack of limits has: each is compared with each tool, where a name is looked up. */
export const countPatterns = (stack: readonly Limit[]): number =>
  stack.reduce(
    (sum, { allowed, denied }) => sum + (allowed?.patterns.length ?? 0) + denied.patterns.length,
    0,
  );
