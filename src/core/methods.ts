/**
 * What a server offers besides tools: resources, prompts, completions, notices, and its own questions. Each is
 * decided on like a tool of its server, named by its MCP method (`mcp__mail__resources/read`), with the server's
 * label and clearance. No tool can have such a name: tools' names hold no `/`.
 */
import { join, type Label, type Lattice, lowestClearance, topLabel } from "./label.ts";
import { meetClearances } from "./meet-clearances.ts";
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
      clearances: sink ? sink.map((one) => toClearance(lattice, one)) : meetClearances(lattice, known),
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
    sourceBound: "least",
    onViolation: "deny",
  } as const;
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
