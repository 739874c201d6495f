/**
 * How tools are called: every tool's identity, `server__tool`, and short name, and what each name means.
 * An identity always means itself; any other name means a tool only while no other tool could be meant.
 */
import { parseToolId } from "./tool.ts";

/** What a name means: a tool's identity, or several that it could mean, or nothing. */
export interface Meaning {
  readonly id: string | null;
  /** The identities that it could mean, where there are several. */
  readonly candidates: readonly string[];
}

export interface ToolNames {
  /** What a name means. */
  resolve(name: string): Meaning;
  /** Every name that could be meant for the tool with this identity. */
  of(id: string): readonly string[];
  /** The shortest name that means this tool alone. */
  shown(id: string): string;
  /** Every name that means some tool or several. */
  all(): IterableIterator<string>;
}

const NOTHING: Meaning = Object.freeze({ id: null, candidates: Object.freeze([]) });

/** Every name of the tool with this identity, shortest first. */
export function namesOf(id: string): readonly string[] {
  const { server, tool } = parseToolId(id);
  if (server === null) return [id];
  // THREAT: a server chooses its tools' names, and one that reads like an identity must not be taken for it.
  return [...[tool, `${server}__${tool}`].filter((name) => !name.startsWith("mcp__")), id];
}

/**
 * The names of all tools. Tools that nobody classified never make the name of a classified one ambiguous: a
 * server can't take a name over by offering it. Nor can it take one that `isOwn` keeps for the agent's own tools.
 */
export function createToolNames(
  classified: Iterable<string>,
  unclassified: Iterable<string>,
  isOwn: (name: string) => boolean = () => false,
): ToolNames {
  const meanings = new Map<string, Meaning>();
  const claim = (ids: readonly string[]): void => {
    const aliases = ids.flatMap((id) => namesOf(id).map((name) => ({ id, name })));
    const claims = Map.groupBy(
      aliases.filter(({ id, name }) => name === id || !isOwn(name)),
      ({ name }) => name,
    );
    for (const [name, claimed] of claims) {
      if (!meanings.has(name)) meanings.set(name, toMeaning(claimed.map(({ id }) => id)));
    }
  };
  const known = [...classified];
  const unknown = [...unclassified];
  for (const id of [...known, ...unknown])
    meanings.set(id, Object.freeze({ id, candidates: Object.freeze([]) }));
  claim(known);
  claim(unknown);
  const shown = new Map<string, string>();
  for (const id of [...known, ...unknown]) {
    shown.set(id, namesOf(id).find((name) => meanings.get(name)?.id === id) ?? id);
  }
  return Object.freeze({
    resolve: (name: string) => meanings.get(name) ?? NOTHING,
    of: namesOf,
    shown: (id: string) => shown.get(id) ?? id,
    all: () => meanings.keys(),
  });
}

function toMeaning(candidates: readonly string[]): Meaning {
  const [only] = candidates;
  return candidates.length === 1 && only !== undefined
    ? Object.freeze({ id: only, candidates: Object.freeze([]) })
    : Object.freeze({ id: null, candidates: Object.freeze([...candidates]) });
}
