/** What a declaration says of tools: by name, by pattern, and of those that servers really offer. */
import { SluicegateError } from "../../errors/index.ts";
import { quoteName } from "../decision/quote-name.ts";
import type { PolicyDeclaration, PolicyOrigin } from "../policy/policy.ts";
import { assertMethodKey, isForMethods, isMethodId } from "./methods.ts";
import { isPattern, matchesToolId, matchesWildcard, specificity } from "./pattern.ts";
import { type Permission, parseToolId, type ToolDeclaration, toToolId } from "./tool.ts";
import { toEntries } from "./tool-policy.ts";

/**
 * Which names are kept for the agent's own tools: those that a pattern for them matches. `*` keeps none; it stands
 * for whatever nothing else names.
 */
export function ownNames({ tools = {} }: PolicyDeclaration): (name: string) => boolean {
  const patterns = Object.keys(tools).filter(
    (key) => isPattern(key) && key !== "*" && !key.startsWith("mcp__"),
  );
  return (name) => patterns.some((pattern) => matchesWildcard(pattern, name));
}

export const patternsOf = ({ tools = {}, servers = {} }: PolicyDeclaration): readonly string[] => [
  ...Object.keys(tools).filter(isPattern),
  ...Object.values(servers).flatMap((server) => Object.keys(server.tools ?? {}).filter(isPattern)),
];

/** The tools that there are, each with its declaration, and the ranks in which they claim their names. */
interface OfferedTools {
  readonly classified: ReadonlyMap<string, ToolDeclaration>;
  /** Of the classified ones, those that no declaration names: a pattern alone says what they are. */
  readonly byPattern: readonly string[];
  readonly unclassified: readonly string[];
  /** Declared by name, and not offered by their servers. */
  readonly missing: ReadonlySet<string>;
}

/** The permissions that tools need by what their servers say of them. */
export type ToolHints = ReadonlyMap<string, readonly Permission[]>;

/** What is left of the declared tools, and what the servers offer besides. */
export function classifyOffered(
  declared: ReadonlyMap<string, ToolDeclaration>,
  origin: Pick<PolicyOrigin, "declaration" | "offered" | "hints">,
): OfferedTools {
  const { offered } = origin;
  const missing = new Set([...declared.keys()].filter((id) => !isOffered(id, offered)));
  const classified = new Map([...declared].filter(([id]) => !missing.has(id)));
  const byPattern: string[] = [];
  const unclassified: string[] = [];
  for (const [server, tools] of offered) {
    for (const tool of tools) {
      const id = toToolId(server, tool);
      if (parseToolId(id).tool !== tool || isMethodId(id) || classified.has(id)) continue;
      const found = classifyAlone(origin, id);
      (found ? byPattern : unclassified).push(id);
      if (found) classified.set(id, found);
    }
  }
  return { classified, byPattern, unclassified, missing };
}

/** If only a pattern declares a tool, what its server says of it can make it stricter. */
function classifyAlone(
  { declaration, hints }: Pick<PolicyOrigin, "declaration" | "hints">,
  id: string,
): ToolDeclaration | undefined {
  const found = classifyByPattern(declaration, id);
  const isBeyond = hints.get(id)?.some((permission) => !found?.permissions.includes(permission));
  return isBeyond ? undefined : found;
}

/** The servers that a declaration knows: those configured, and those whose tools it names. */
export const serversOf = (
  { servers = {} }: PolicyDeclaration,
  declared: ReadonlyMap<string, ToolDeclaration>,
): ReadonlySet<string> =>
  new Set([
    ...Object.keys(servers),
    ...[...declared.keys()].map((id) => parseToolId(id).server).filter((server) => server !== null),
  ]);

/** Tools declared by name, under their server or at the top, by identity. */
export function declaredTools(declaration: PolicyDeclaration): Map<string, ToolDeclaration> {
  const under = Object.entries(declaration.servers ?? {}).flatMap(([server, { tools }]) =>
    Object.entries(tools ?? {}).map(([name, tool]) => [toToolId(server, name), tool] as const),
  );
  toEntries(under.map(([id]) => id));
  const declared = new Map(under);
  for (const [id, tool] of Object.entries(declaration.tools ?? {})) {
    if (declared.has(id)) throw declaredTwice(id);
    toEntries([id]);
    declared.set(id, tool);
  }
  for (const id of declared.keys()) assertMethodKey(id);
  return new Map([...declared].filter(([id]) => !isPattern(id)));
}

function declaredTwice(id: string): SluicegateError {
  return new SluicegateError("policy-invalid", `The tool ${quoteName(id)} is declared twice.`, {
    why: "It stands under its server and again, with its whole identity, under the top-level tools.",
    fix: "Take one of the two out.",
    details: { tool: id },
  });
}

function isOffered(id: string, offered: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const { server, tool } = parseToolId(id);
  const list = server === null ? undefined : offered.get(server);
  return list === undefined || list.has(tool);
}

/** What the most specific pattern says of a tool that isn't declared by name. */
export function classifyByPattern(declaration: PolicyDeclaration, id: string): ToolDeclaration | undefined {
  const candidates = candidatesFor(declaration, parseToolId(id).server);
  return mostSpecificFirst(candidates.filter(([pattern]) => matchesToolId(pattern, id)))[0]?.[1];
}

/**
 * The patterns that may say what something of a server is, the most specific first. Those for tools are left out that
 * can't, since a more specific one matches every tool of the server.
 */
export function patternsFor(declaration: PolicyDeclaration, server: string): Patterns {
  const isForServer = (pattern: string): boolean => {
    const parts = parseToolId(pattern);
    return pattern === "*" || (parts.server !== null && matchesWildcard(parts.server, server));
  };
  const patterns = mostSpecificFirst(
    candidatesFor(declaration, server).filter(([pattern]) => isForServer(pattern)),
  );
  const last = patterns.findIndex(([pattern]) => /^\*+$/.test(parseToolId(pattern).tool));
  return patterns.filter(([pattern], index) => last < 0 || index <= last || isForMethods(pattern));
}

/** By identity: all patterns at the top, and those that stand under the server. */
function candidatesFor(declaration: PolicyDeclaration, server: string | null): Patterns {
  const configured = server !== null && isConfigured(declaration, server);
  const underServer = configured ? (declaration.servers?.[server]?.tools ?? {}) : {};
  return [
    ...patternsAmong(declaration.tools ?? {}),
    ...patternsAmong(underServer).map(([name, tool]) => [toToolId(server ?? "", name), tool] as const),
  ];
}

const mostSpecificFirst = (patterns: Patterns): Patterns =>
  patterns.toSorted(([left], [right]) => specificity(right) - specificity(left) || (left < right ? -1 : 1));

type Declarations = Readonly<Record<string, ToolDeclaration>>;
type Patterns = readonly (readonly [pattern: string, tool: ToolDeclaration])[];

const knownPatterns = new WeakMap<Declarations, Patterns>();

/** THREAT: an agent may call names that nobody has declared, as often as it likes, and of tools there are thousands. */
function patternsAmong(tools: Declarations): Patterns {
  const known = knownPatterns.get(tools);
  if (known) return known;
  const patterns = Object.entries(tools).filter(([name]) => isPattern(name));
  // INVARIANT: what a policy was made of never changes; anything else may.
  if (Object.isFrozen(tools)) knownPatterns.set(tools, patterns);
  return patterns;
}

// THREAT: the name comes from an agent, and `constructor` is a valid-looking one.
export const isConfigured = (declaration: PolicyDeclaration, server: string): boolean =>
  Object.hasOwn(declaration.servers ?? {}, server);
