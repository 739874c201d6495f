/**
 * The methods of servers as tools that can be decided on, with the labels that the policy declares.
 *
 * INVARIANT: they are made from the declaration alone. THREAT: a server changes its list of tools whenever it likes, so
 * what it lists must not change what its resources bring in or where their URIs may go.
 */

import { join, type Lattice, lowestClearance, topLabel } from "../label/label.ts";
import { meetClearances } from "../label/meet-clearances.ts";
import type { PolicyDeclaration } from "../policy/policy.ts";
import { patternsFor } from "./declared-tools.ts";
import { isForMethods, isPartOfCall, METHODS } from "./methods.ts";
import { matchesToolId } from "./pattern.ts";
import {
  type Approval,
  defineTool,
  parseToolId,
  type Tool,
  type ToolDeclaration,
  toClearance,
  toSource,
  toToolId,
} from "./tool.ts";

/** The methods of every configured server, by identity. `declared` is what is declared by name, by identity. */
export function toMethods(
  lattice: Lattice,
  declaration: PolicyDeclaration,
  declared: ReadonlyMap<string, ToolDeclaration>,
): ReadonlyMap<string, Tool> {
  const named = Map.groupBy(declared, ([id]) => parseToolId(id).server);
  const methods = new Map<string, Tool>();
  for (const server of Object.keys(declaration.servers ?? {})) {
    const patterns = patternsFor(declaration, server);
    const forTools = [...(named.get(server) ?? []), ...patterns].filter(([key]) => !isForMethods(key));
    const standard = toStandard(lattice, declaration, server, forTools);
    for (const method of METHODS) {
      const id = toToolId(server, method);
      const matching = patterns.filter(([pattern]) => matchesToolId(pattern, id));
      const own = declared.get(id) ?? matching.find(([pattern]) => isForMethods(pattern))?.[1];
      const asks = isPartOfCall(id) ? undefined : matching[0]?.[1].approval;
      methods.set(id, own ? defineTool(lattice, id, id, own) : toMethod(standard, id, asks));
    }
  }
  return methods;
}

type Standard = Omit<Tool, "id" | "name">;

/** What a method of a server is that isn't declared by itself; `forTools` is all that is declared of its tools. */
function toStandard(
  lattice: Lattice,
  { servers = {} }: PolicyDeclaration,
  server: string,
  forTools: readonly (readonly [string, ToolDeclaration])[],
): Standard {
  const { source, sink } = servers[server] ?? {};
  const shared = {
    server,
    permissions: Object.freeze(["read"] as const),
    tags: Object.freeze([]),
    sourceBound: "least",
    onViolation: "deny",
    approvers: 1,
    to: null,
    critical: Object.freeze([]),
    payload: Object.freeze([]),
    isDestructive: true,
  } as const;
  if (source === undefined && forTools.length === 0)
    return {
      ...shared,
      source: topLabel(lattice),
      clearances: Object.freeze([lowestClearance(lattice)]),
      approval: "always",
      classified: false,
    };
  const tools = forTools.map(([key, tool]) => defineTool(lattice, key, key, tool));
  return {
    ...shared,
    source: source
      ? toSource(lattice, source)
      : tools.reduce(
          (sum, tool) => (tool.source ? join(lattice, sum, tool.source) : sum),
          toSource(lattice, {}),
        ),
    clearances: sink ? sink.map((one) => toClearance(lattice, one)) : meetClearances(lattice, tools),
    approval: "never",
    classified: true,
  };
}

/** `asks` is what a pattern for tools says of whatever is called so. */
const toMethod = (standard: Standard, id: string, asks: Approval | undefined): Tool =>
  Object.freeze({
    id,
    name: id,
    ...standard,
    approval: standard.classified ? (asks ?? standard.approval) : standard.approval,
  });
