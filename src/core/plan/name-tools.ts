/** Describes tools briefly: by name if they are few, otherwise by server. */
import { joinWords, listNames, quoteName } from "../decision/quote-name.ts";
import type { Tool } from "../tools/tool.ts";

/** At most this many tools are named one by one. */
const FEW = 4;
/** At most this many servers are named for a long list. */
const MAX_SERVERS = 3;
/** At most this many tools of one server are named. */
const FEW_OF_SERVER = 2;

interface Wording {
  readonly conjunction?: "and" | "or";
  /** A tool of the list to leave out. */
  readonly but?: Tool | null;
}

export function nameTools(tools: readonly Tool[], { conjunction = "and", but = null }: Wording = {}): string {
  let left = tools.length - (but === null ? 0 : 1);
  if (left <= FEW) {
    const names = tools.filter((tool) => tool !== but).map(({ name }) => name);
    return listNames(names, conjunction);
  }
  const parts: string[] = [];
  for (const { server, first, size } of groupsOf(tools).slice(0, MAX_SERVERS)) {
    const count = size - (but !== null && but.server === server ? 1 : 0);
    if (server !== null && count > FEW_OF_SERVER) {
      parts.push(`${count} tools of ${quoteName(server)}`);
      left -= count;
      continue;
    }
    const named = first.filter((tool) => tool !== but).slice(0, FEW_OF_SERVER);
    parts.push(...named.map(({ name }) => quoteName(name)));
    left -= named.length;
  }
  if (left > 0) parts.push(`${left} more`);
  return joinWords(parts, conjunction);
}

/** The tools of one server, or those that agents run themselves. */
interface Group {
  readonly server: string | null;
  /** Up to one more than are named. */
  readonly first: readonly Tool[];
  readonly size: number;
}

// INVARIANT: lists of tools are immutable; many tools share one.
const knownGroups = new WeakMap<readonly Tool[], readonly Group[]>();

function groupsOf(tools: readonly Tool[]): readonly Group[] {
  const known = knownGroups.get(tools);
  if (known !== undefined) return known;
  const groups = [...Map.groupBy(tools, ({ server }) => server)].map(([server, of]) => ({
    server,
    first: of.slice(0, FEW_OF_SERVER + 1),
    size: of.length,
  }));
  knownGroups.set(tools, groups);
  return groups;
}
