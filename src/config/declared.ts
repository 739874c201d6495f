/** What a document declares by name, as far as it can be read: whatever else is wrong with it. */
import {
  DEFAULT_LATTICE,
  isPattern,
  type KnownTools,
  namesOf,
  toToolId,
  WORKSPACE_SERVER,
  WORKSPACE_TOOLS,
} from "../core/index.ts";
import { child, type Entry, entriesOf, entryOf, type Tree, textsOf } from "./tree.ts";

/** A tool or a pattern for tools, with its place in the file. */
export interface DeclaredTool extends Entry {
  /** The tool's identity, or a pattern for identities. */
  readonly id: string;
  /** The server under which it stands; null at the top. */
  readonly server: string | null;
}

/**
 * Names with how each is written in the file, which is what a message may tell. Undefined where they can't be
 * read, so that nothing can be said of them.
 */
export type DeclaredNames = ReadonlyMap<string, string> | undefined;

export interface DeclaredWorkspace extends Entry {
  /** What is said of its tools, by their own names. */
  readonly tools: readonly Entry[];
}

export interface Declared {
  readonly levels: DeclaredNames;
  readonly trust: DeclaredNames;
  readonly categories: DeclaredNames;
  readonly roles: DeclaredNames;
  readonly servers: readonly Entry[];
  /** The ids of all servers, the workspace's among them. */
  readonly serverIds: readonly string[];
  readonly workspace: DeclaredWorkspace | null;
  readonly tools: readonly DeclaredTool[];
  /** What the tool names of a role may refer to. */
  readonly known: KnownTools;
}

export function readDeclared(root: Tree): Declared {
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
  const serverIds = [...servers.map(({ key }) => key), ...(workspace ? [WORKSPACE_SERVER] : [])];
  const workspaceIds = workspace
    ? Object.keys(WORKSPACE_TOOLS).map((tool) => toToolId(WORKSPACE_SERVER, tool))
    : [];
  const named = [...tools.map(({ id }) => id), ...workspaceIds].filter((id) => !isPattern(id));
  return {
    levels: namesIn(root, "levels", DEFAULT_LATTICE.levels),
    trust: namesIn(root, "trust", DEFAULT_LATTICE.trust),
    categories: keysIn(root, "categories"),
    roles: keysIn(root, "roles"),
    servers,
    serverIds,
    workspace: workspace ? { ...workspace, tools: entriesOf(child(workspace.value, "tools")) } : null,
    tools,
    known: { servers: serverIds, declared: [...new Set(named.flatMap(namesOf))] },
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
