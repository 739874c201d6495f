/** What a document declares by name, as far as it can be read: whatever else is wrong with it. */
import {
  DEFAULT_LATTICE,
  definePolicy,
  isPattern,
  type KnownTools,
  namesOf,
  type Policy,
  type ToolPolicy,
  toToolId,
  WORKSPACE_SERVER,
  WORKSPACE_TOOLS,
} from "../../core/index.ts";
import { child, type Entry, entriesOf, entryOf, type Tree, textsOf } from "../document/tree.ts";
import type { ApiFiles } from "./api-document.ts";

/** The tools that every database has, by their own names. */
export const DATABASE_TOOLS: readonly string[] = Object.freeze([
  "query",
  "list_tables",
  "describe_table",
  "get_row",
]);

/** A tool or a pattern for tools, with its place in the file. */
export interface DeclaredTool extends Entry {
  /** The tool's identity, or a pattern for identities. */
  readonly id: string;
  /** The server under which it stands; null at the top. */
  readonly server: string | null;
}

/**
 * Names with how each is written in the file, which is what a message may tell. Undefined if they can't be
 * read, so that nothing can be said of them.
 */
export type DeclaredNames = ReadonlyMap<string, string> | undefined;

export interface DeclaredApi extends Entry {
  /** The names of all operations of its document; null if that couldn't be read, which was reported. */
  readonly names: readonly string[] | null;
  /** Those of them that are offered. */
  readonly offered: readonly string[];
}

export interface Declared {
  readonly levels: DeclaredNames;
  readonly trust: DeclaredNames;
  readonly categories: DeclaredNames;
  readonly roles: DeclaredNames;
  readonly servers: readonly Entry[];
  readonly databases: readonly Entry[];
  readonly apis: readonly DeclaredApi[];
  /** The ids of all servers: databases, APIs and the workspace among them. */
  readonly serverIds: readonly string[];
  readonly workspace: Entry | null;
  readonly tools: readonly DeclaredTool[];
  /** What the tool names of a role may refer to. */
  readonly known: KnownTools;
}

/** What is said of each tool: by name or pattern, of the workspace, a database or an operation of an API. */
export const toolTrees = ({ tools, workspace, databases, apis }: Declared): readonly Tree[] =>
  [
    ...tools,
    ...[...(workspace ? [workspace] : []), ...databases].flatMap(({ value }) =>
      entriesOf(child(value, "tools")),
    ),
    ...apis.flatMap(({ value }) => entriesOf(child(value, "operations"))),
  ].map(({ value }) => value);

export function readDeclared(root: Tree, documents: ApiFiles = new Map()): Declared {
  const servers = entriesOf(child(root, "servers"));
  const tools = [
    ...servers.flatMap((server) =>
      entriesOf(child(server.value, "tools")).map((entry) => ({
        ...entry,
        id: toToolId(server.key, entry.key),
        server: server.key,
      })),
    ),
    ...entriesOf(child(root, "tools")).map((entry) => ({ ...entry, id: entry.key, server: null })),
  ];
  const workspace = entryOf(root, "workspace");
  const databases = entriesOf(child(root, "databases"));
  const apis = entriesOf(child(root, "apis")).map((api) => readApi(api, documents));
  const ownTools = new Map<string, readonly string[]>([
    ...(workspace ? [[WORKSPACE_SERVER, Object.keys(WORKSPACE_TOOLS)] as const] : []),
    ...databases.map(({ key }) => [key, DATABASE_TOOLS] as const),
    ...apis.map(({ key, offered }) => [key, offered] as const),
  ]);
  const ownIds = [...ownTools].flatMap(([server, names]) => names.map((name) => toToolId(server, name)));
  const named = [...tools.map(({ id }) => id), ...ownIds].filter((id) => !isPattern(id));
  const serverIds = [...new Set([...servers.map(({ key }) => key), ...ownTools.keys()])];
  return {
    levels: namesIn(root, "levels", DEFAULT_LATTICE.levels),
    trust: namesIn(root, "trust", DEFAULT_LATTICE.trust),
    categories: keysIn(root, "categories"),
    roles: keysIn(root, "roles"),
    servers,
    databases,
    apis,
    serverIds,
    workspace: workspace ?? null,
    tools,
    known: { servers: serverIds, declared: [...new Set(named.flatMap(namesOf))] },
  };
}

function readApi(api: Entry, documents: ApiFiles): DeclaredApi {
  const names = documents.get(api.key)?.operations.map(({ name }) => name) ?? null;
  const only = child(api.value, "only");
  const chosen = new Set(textsOf(only).map(({ value }) => value));
  return {
    ...api,
    names,
    offered: (names ?? []).filter((name) => only === undefined || chosen.has(name)),
  };
}

const asWritten = (names: readonly string[]): DeclaredNames => new Map(names.map((name) => [name, name]));

function keysIn(root: Tree, key: string): DeclaredNames {
  const map = child(root, key);
  if (map !== undefined && map.kind !== "map") return undefined;
  return asWritten(entriesOf(map).map((entry) => entry.key));
}

function namesIn(root: Tree, key: string, missing: readonly string[]): DeclaredNames {
  const list = child(root, key);
  if (list === undefined) return asWritten(missing);
  const names = textsOf(list);
  return names.length === 0 ? undefined : new Map(names.map(({ value, written }) => [value, written]));
}

/** A policy beside the document that it was built from, for warnings of what was probably not meant. */
export interface Loaded {
  readonly root: Tree;
  readonly declared: Declared;
  readonly policy: Policy;
}

/** The identities of the tools that one limit alone would take away: what the core says, not what we think. */
export function takenAwayBy({ policy }: Loaded, limit: ToolPolicy): ReadonlySet<string> {
  const { removed } = definePolicy({ ...policy.origin.declaration, roles: {}, policy: limit });
  return new Set(removed.keys());
}
