/** Tools in a few words, however many they are: by their names where those are few, else by their servers. */
import { joinWords, listNames, quoteName } from "../decision/quote-name.ts";
import type { Tool } from "../tools/tool.ts";

/** So many tools are named each. */
const FEW = 4;
/** Servers that are told about a long list. */
const MAX_SERVERS = 3;
/** So many tools of a server are named each. */
const FEW_OF_SERVER = 2;

interface Wording {
  readonly conjunction?: "and" | "or";
  /** One of the list that isn't meant. */
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
  /** One more than are named. */
  readonly first: readonly Tool[];
  readonly size: number;
}

// INVARIANT: a list of tools is never changed, and many tools share one.
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
