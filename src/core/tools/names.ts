/**
 * How tools are called: every tool's identity, `server__tool`, and short name, and what each name means.
 * An identity always means itself; any other name means a tool only while no other tool could be meant, and
 * never one that comes after another in rank: declared by name, classified by a pattern, unclassified.
 */
import { parseToolId } from "./tool.ts";

/** What a name means: a tool's identity, or several that it could mean, or nothing. */
interface Meaning {
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
  /** Every name that is some tool's, or was kept from one. */
  all(): IterableIterator<string>;
}

/** The identities of all tools by rank, and what keeps names from them. */
interface NamedTools {
  /** Declared by name, whether or not their servers offer them now: they keep their names for that. */
  readonly declared: Iterable<string>;
  /** Those of them that are unavailable now. */
  readonly missing?: ReadonlySet<string>;
  /** Offered, and classified by a pattern alone. */
  readonly byPattern?: Iterable<string>;
  readonly unclassified?: Iterable<string>;
  /** Ids of servers whose `server__` begins no other server's tool. */
  readonly servers?: Iterable<string>;
  /** Which names are kept for the agent's own tools. */
  readonly isOwn?: (name: string) => boolean;
}

const NOTHING: Meaning = Object.freeze({ id: null, candidates: Object.freeze([]) });

/** What upstream tools' names may not begin with: identities, and the gateway's own tools. */
const RESERVED = ["mcp__", "sluicegate_", "report_impossible"] as const;

/** Every name of the tool with this identity, shortest first. */
export function namesOf(id: string): readonly string[] {
  const { server, tool } = parseToolId(id);
  if (server === null) return [id];
  // THREAT: a server chooses its tools' names, and one that reads like an identity must not be taken for it.
  return [...[tool, `${server}__${tool}`].filter((name) => !name.startsWith("mcp__")), id];
}

/**
 * The names of all tools. A tool of a lower rank never takes a name from one of a higher rank, nor makes it
 * ambiguous, nor has one that looks like another server's; in one rank, two that are equal or look alike lose it
 * both. So no server can take a name over, whatever it offers.
 */
export function createToolNames(tools: NamedTools): ToolNames {
  const ranks = [[...tools.declared], [...(tools.byPattern ?? [])], [...(tools.unclassified ?? [])]];
  const ids = ranks.flat();
  const meanings = new Map<string, Meaning>();
  for (const id of ids) meanings.set(id, Object.freeze({ id, candidates: NOTHING.candidates }));
  claimAll(meanings, ranks, createAliases(tools));
  const shown = new Map<string, string>();
  for (const id of ids) shown.set(id, namesOf(id).find((name) => meanings.get(name)?.id === id) ?? id);
  for (const [name, { id }] of meanings) {
    if (id !== null && tools.missing?.has(id)) meanings.set(name, NOTHING);
  }
  return Object.freeze({
    resolve: (name: string) => meanings.get(name) ?? NOTHING,
    of: namesOf,
    shown: (id: string) => shown.get(id) ?? id,
    all: () => meanings.keys(),
  });
}

/** The names that a tool claims beside `mcp__server__tool`; which of them it gets, the others' claims decide. */
function createAliases({ servers = [], isOwn = () => false }: NamedTools): (id: string) => readonly string[] {
  const byPrefix = Map.groupBy(servers, skeleton);
  const isAnothers = (tool: string, server: string): boolean =>
    tool.includes("__") &&
    (byPrefix.get(skeleton(tool.slice(0, tool.indexOf("__")))) ?? []).some((other) => other !== server);
  return (id) => {
    const { server, tool } = parseToolId(id);
    if (server === null) return [id];
    // THREAT: a server chooses its tools' names, so one may be made to look like a name that it isn't.
    if (!isVisibleAscii(tool)) return [];
    const isShort = !RESERVED.some((beginning) => beginsLike(tool, beginning)) && !isAnothers(tool, server);
    const full = `${server}__${tool}`;
    const isFull = !RESERVED.some((beginning) => full.startsWith(beginning));
    return [...(isShort ? [tool] : []), ...(isFull ? [full] : [])].filter((name) => !isOwn(name));
  };
}

interface Claim {
  readonly name: string;
  readonly id: string;
  readonly server: string | null;
}

function claimAll(
  meanings: Map<string, Meaning>,
  ranks: readonly (readonly string[])[],
  aliasesOf: (id: string) => readonly string[],
): void {
  /** The servers that have claimed a name with this skeleton, the agent itself among them as null. */
  const holders = new Map<string, ReadonlySet<string | null>>();
  for (const ids of ranks) {
    const claims = ids.flatMap((id): readonly Claim[] => {
      const { server } = parseToolId(id);
      return aliasesOf(id).map((name) => ({ name, id, server }));
    });
    for (const [like, all] of Map.groupBy(claims, ({ name }) => skeleton(name))) {
      const held = holders.get(like) ?? NOBODY;
      give(
        meanings,
        all.filter(({ server }) => held.size === 0 || (held.size === 1 && held.has(server))),
      );
      for (const { name } of all) if (!meanings.has(name)) meanings.set(name, NOTHING);
      holders.set(like, new Set([...held, ...all.map(({ server }) => server)]));
    }
  }
}

const NOBODY: ReadonlySet<string | null> = new Set();

/** Gives out names that look alike, in one rank: those of one server to each as it is, those of several to none. */
function give(meanings: Map<string, Meaning>, claims: readonly Claim[]): void {
  const isShared = new Set(claims.map(({ server }) => server)).size > 1;
  const groups = isShared ? [claims] : Map.groupBy(claims, ({ name }) => name).values();
  for (const group of groups) {
    const meaning = toMeaning([...new Set(group.map(({ id }) => id))]);
    for (const { name } of group) if (!meanings.has(name)) meanings.set(name, meaning);
  }
}

function toMeaning(candidates: readonly string[]): Meaning {
  const [only] = candidates;
  return candidates.length === 1 && only !== undefined
    ? Object.freeze({ id: only, candidates: NOTHING.candidates })
    : Object.freeze({ id: null, candidates: Object.freeze([...candidates]) });
}

const VISIBLE = /^[!-~]+$/;

/** Whether a name is written in visible ASCII alone; another is like itself alone, and gets no short form. */
export const isVisibleAscii = (name: string): boolean => VISIBLE.test(name);

/**
 * For names that look alike to a model or a person: what is left of a name when everything is taken out that is easily overlooked: case, `_`, `-`, `.` and all
 * other punctuation, and which of `l`, `1`, `I`, `|`, of `o`, `0`, of `m`, `rn` and of `w`, `vv` stands there. Two
 * names look alike if their skeletons are equal.
 */
export function skeleton(name: string): string {
  return isVisibleAscii(name) ? fold(name.replaceAll(/[^A-Za-z0-9|]/g, "")) || name : name;
}

/** Whether a name begins so, or with something that looks like it: `Sluicegate-x` begins like `sluicegate_`. */
export const beginsLike = (name: string, beginning: string): boolean =>
  isVisibleAscii(name) && fold(name).startsWith(fold(beginning));

/** One character for all that look alike, and one `_` for each run of what is no letter and no digit. */
function fold(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[i1|]/g, "l")
    .replaceAll("0", "o")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")
    .replaceAll(/[^a-z0-9]+/g, "_");
}
