/**
 * What a server offers besides tools: resources, prompts, completions, notices, and its own questions. Each is
 * decided on like a tool of its server, named by its MCP method (`mcp__mail__resources/read`), with the server's
 * label and clearance. No tool can have such a name: tools' names hold no `/`.
 */
import {
  ANY,
  createLabel,
  flowsTo,
  join,
  type Label,
  type Lattice,
  lowestClearance,
  topLabel,
} from "./label.ts";
import type { PolicyDeclaration } from "./policy.ts";
import { defineTool, parseToolId, type Tool, toClearance, toSource, toToolId } from "./tool.ts";

/** What a client asks a server for. */
const READING = [
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "prompts/list",
  "prompts/get",
  "completion/complete",
] as const;

/** What a server sends or asks by itself while a call of it runs: no tool set need name it. */
const UNASKED = [
  "elicitation/create",
  "sampling/createMessage",
  "roots/list",
  "notifications/message",
] as const;

export type Method = (typeof READING)[number] | (typeof UNASKED)[number];

const METHODS: ReadonlySet<string> = new Set<string>([...READING, ...UNASKED]);
const PART_OF_CALL: ReadonlySet<string> = new Set<string>(UNASKED);

/** Whether this is the identity of a server's method, and not of a tool. */
export const isMethodId = (id: string): boolean => METHODS.has(parseToolId(id).tool);

/** Whether what it names happens within a call, which was decided on by itself. */
export const isPartOfCall = (id: string): boolean => PART_OF_CALL.has(parseToolId(id).tool);

/** The identity under which a method of a server is decided on. */
export const toMethodId = (server: string, method: Method): string => toToolId(server, method);

/** The methods of every configured server, by identity. `tools` are the tools that the servers have. */
export function toMethods(
  lattice: Lattice,
  declaration: PolicyDeclaration,
  tools: Iterable<Tool>,
): ReadonlyMap<string, Tool> {
  const classified = Map.groupBy(
    [...tools].filter((tool) => tool.classified && tool.server !== null),
    ({ server }) => server,
  );
  const methods = new Map<string, Tool>();
  for (const [server, { source, sink, tools: own = {} }] of Object.entries(declaration.servers ?? {})) {
    const known = classified.get(server) ?? [];
    const labels = {
      source: source ? toSource(lattice, source) : sourceOf(lattice, known),
      clearances: sink ? sink.map((one) => toClearance(lattice, one)) : clearancesOf(lattice, known),
    };
    const isClassified = source !== undefined || known.length > 0;
    for (const method of METHODS) {
      const id = toToolId(server, method);
      const declared = own[method] ?? declaration.tools?.[id];
      methods.set(
        id,
        declared
          ? defineTool(lattice, id, id, declared)
          : toMethod(lattice, id, server, isClassified, labels),
      );
    }
  }
  return methods;
}

function toMethod(
  lattice: Lattice,
  id: string,
  server: string,
  classified: boolean,
  { source, clearances }: { readonly source: Label; readonly clearances: readonly Label[] | null },
): Tool {
  const shared = {
    id,
    name: id,
    server,
    permissions: Object.freeze(["read"] as const),
    tags: Object.freeze([]),
  };
  return classified
    ? Object.freeze({ ...shared, source, clearances, approval: "never" as const, classified })
    : Object.freeze({
        ...shared,
        source: topLabel(lattice),
        clearances: Object.freeze([lowestClearance(lattice)]),
        approval: "always" as const,
        classified,
      });
}

/** The join of what a server's tools bring in. */
const sourceOf = (lattice: Lattice, tools: readonly Tool[]): Label =>
  tools.reduce((sum, { source }) => (source ? join(lattice, sum, source) : sum), toSource(lattice, {}));

/** Clearances that a server's may come down to; more are taken for the lowest one. */
const MOST_CLEARANCES = 16;

/** The meet of what a server's tools may receive; null where none of them sends anything out. */
function clearancesOf(lattice: Lattice, tools: readonly Tool[]): readonly Label[] | null {
  let meets: readonly Label[] | null = null;
  for (const { clearances } of tools) {
    if (clearances === null) continue;
    const all: readonly Label[] =
      meets === null
        ? clearances
        : meets.flatMap((one) => clearances.map((other) => meet(lattice, one, other)));
    meets = all.filter((one, index) => !all.some((other, at) => isWider(lattice, other, at, one, index)));
    if (meets.length > MOST_CLEARANCES) return Object.freeze([lowestClearance(lattice)]);
  }
  return meets && Object.freeze([...meets]);
}

/** Whether another clearance receives all that this one does, so that this one says nothing more. */
function isWider(lattice: Lattice, other: Label, at: number, one: Label, index: number): boolean {
  if (at === index || !covers(lattice, one, other)) return false;
  return !covers(lattice, other, one) || at < index;
}

const covers = (lattice: Lattice, narrow: Label, wide: Label): boolean =>
  flowsTo(
    lattice,
    { ...narrow, trust: lattice.trust.at(-1) ?? "" },
    { ...wide, trust: lattice.trust[0] ?? "" },
  ) && lattice.trust.indexOf(wide.trust) <= lattice.trust.indexOf(narrow.trust);

/** The clearance that receives what both would: the lower level, the categories of both, the higher demand on trust. */
function meet(lattice: Lattice, left: Label, right: Label): Label {
  const rank = ({ level }: Label): number =>
    level === ANY ? lattice.levels.length : lattice.levels.indexOf(level);
  const categories = left.categories.includes(ANY)
    ? right.categories
    : right.categories.includes(ANY)
      ? left.categories
      : left.categories.filter((category) => right.categories.includes(category));
  return createLabel(
    rank(left) <= rank(right) ? left.level : right.level,
    categories,
    lattice.trust.indexOf(left.trust) >= lattice.trust.indexOf(right.trust) ? left.trust : right.trust,
  );
}
