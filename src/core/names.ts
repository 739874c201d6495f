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
  return server === null ? [id] : [tool, `${server}__${tool}`, id];
}

/**
 * The names of all tools. Tools that nobody classified never make the name of a classified one ambiguous: a
 * server can't take a name over by offering it.
 */
export function createToolNames(classified: Iterable<string>, unclassified: Iterable<string>): ToolNames {
  const meanings = new Map<string, Meaning>();
  const claim = (ids: readonly string[]): void => {
    const claims = new Map<string, string[]>();
    for (const id of ids) {
      for (const name of namesOf(id)) {
        const held = claims.get(name);
        if (held) held.push(id);
        else claims.set(name, [id]);
      }
    }
    for (const [name, candidates] of claims) {
      if (!meanings.has(name)) meanings.set(name, toMeaning(candidates));
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
