/**
 * A gate over a gateway's store, for the calls that a coding agent runs itself. Both write their decisions by the
 * same appends.
 */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { lookUp, type Policy, parseToolId, withAllOffered } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { Workspace } from "../../providers/workspace/index.ts";
import { type Place, toProtected } from "../../providers/workspace/internal.ts";
import { createGate, type Gate, type InspectResult, type Store } from "../../runtime/index.ts";
import { withAgentTools } from "./agent-tools.ts";

export interface HookGate {
  readonly gate: Gate;
  readonly store: Store;
  /** The policy's file, as it was named. */
  readonly file: string;
  /** The workspace, if the policy has one. It protects these settings and all that were named before. */
  workspace(settings: string | null): HookWorkspace | null;
  /** Declares a tool that the policy doesn't name as unclassified, and returns its identity. */
  unclassified(name: string): string;
  /** Replaces the policy. */
  usePolicy(policy: Policy): void;
  /** Ends the gate. The store stays open for its owner. */
  close(): void;
}

/** Where the agent's own tools work. */
export interface HookWorkspace {
  readonly workspace: Workspace;
  readonly place: Place;
  /** Protected files that hold no secret. */
  readonly searchable: readonly string[];
}

export interface HookGateOptions {
  readonly policy: Policy;
  /** The policy's file. */
  readonly file: string;
  /** Where the agent works; null if the policy has no workspace. */
  readonly root: string | null;
  /** Files that the agent may not touch. */
  readonly protect: readonly string[];
  /** Those of `protect` that hold no secret. */
  readonly plain: readonly string[];
  readonly store: Store;
  /** Keys the digests of arguments; the same key as that of the gateway on this store. */
  readonly key: Uint8Array;
  /** Inspects the results of the agent's tools. Left out, nothing is inspected. */
  readonly inspect?: InspectResult;
  readonly onFault: (cause: unknown) => void;
}

/** @throws SluicegateError `usage` if the workspace's folder doesn't exist. */
export async function createHookGate(options: HookGateOptions): Promise<HookGate> {
  const { file, store, key, inspect, onFault } = options;
  let policy = withAgentTools(options.policy);
  const gate = createGate({
    policy,
    store,
    digestKey: key,
    ...(inspect && { inspect }),
    onFault,
  });
  const workspaces = await openHookWorkspaces(options);
  const seen = new Map<string, Set<string>>();
  return {
    gate,
    store,
    file,
    workspace: (settings) => workspaces?.having(settings) ?? null,
    unclassified: (name) => {
      const id = toIdentity(gate.policy, name);
      if (lookUp(gate.policy, id).tool === null) learn(gate, policy, seen, id);
      // INVARIANT: an unlisted tool is never decided as a tool of the policy.
      if (lookUp(gate.policy, id).tool?.classified) throw new Error(`${id} is a tool of the policy.`);
      return id;
    },
    usePolicy: (next) => {
      policy = withAgentTools(next);
      useLearnt(gate, policy, seen);
    },
    close: () => workspaces?.close(),
  };
}

interface HookWorkspaces {
  having(settings: string | null): HookWorkspace;
  close(): void;
}

/** How many settings files may have hooks that ask one gateway. */
const MAX_SETTINGS_FILES = 100;

async function openHookWorkspaces({ root, ...options }: HookGateOptions): Promise<HookWorkspaces | null> {
  if (root === null) return null;
  const { createWorkspace } = await import("../../providers/workspace/index.ts");
  const named = new Set<string>();
  const open = (): HookWorkspace => {
    const settings = [...usualSettings(root), ...named];
    const protect = [...options.protect, ...settings].map((path) => resolve(path));
    const workspace = createWorkspace({ root, protect });
    const place = { root: workspace.root, protect: toProtected(root, protect) };
    const plain = [...options.plain, ...settings].map((path) => resolve(path));
    return { workspace, place, searchable: toProtected(root, plain) };
  };
  const opened = [open()];
  return {
    having: (settings) => {
      if (settings !== null && !named.has(settings)) {
        if (named.size >= MAX_SETTINGS_FILES) throw tooManySettings();
        named.add(settings);
        opened.unshift(open());
      }
      return opened[0] ?? open();
    },
    close: () => {
      for (const { workspace } of opened) workspace.close();
    },
  };
}

/** They may be links to files of other names. */
const usualSettings = (root: string): readonly string[] =>
  [root, homedir()].flatMap((folder) =>
    ["settings.json", "settings.local.json"].map((file) => join(folder, ".claude", file)),
  );

const tooManySettings = (): SluicegateError =>
  new SluicegateError("usage", "This gateway answers the hooks of too many settings files.", {
    why: `Agents may touch none of them, and ${MAX_SETTINGS_FILES} are protected already.`,
    fix: "Start the gateway again.",
  });

/** The server in the identities of the agent's own tools. */
const OWN_SERVER = "claude-code";

/** An identity that no tool of the policy has: the agent may use a server's id for another server. */
function toIdentity(policy: Policy, name: string): string {
  const { origin } = policy;
  if (name.startsWith("mcp__") && lookUp(policy, name).tool?.classified !== true) return name;
  const isTaken = Object.hasOwn(origin.declaration.servers ?? {}, OWN_SERVER);
  return `mcp__${OWN_SERVER}${isTaken ? ".own" : ""}__${name}`;
}

/** THREAT: the agent's servers choose names. Tools beyond this number stay unknown, and are refused. */
const MAX_LEARNT = 1000;

/** Adds the tool to the policy as unclassified, so that it is withheld or needs approval. */
function learn(gate: Gate, base: Policy, seen: Map<string, Set<string>>, id: string): void {
  const { server, tool } = parseToolId(id);
  if (server === null || [...seen.values()].reduce((sum, { size }) => sum + size, 0) >= MAX_LEARNT) return;
  seen.set(server, (seen.get(server) ?? new Set()).add(tool));
  useLearnt(gate, base, seen);
}

function useLearnt(gate: Gate, base: Policy, seen: ReadonlyMap<string, ReadonlySet<string>>): void {
  const lists = [...seen].map(([of, tools]) => ({ server: of, tools: [...declaredFor(base, of), ...tools] }));
  gate.usePolicy(withAllOffered(base, lists));
}

/** A server's listing replaces the earlier one, so the declared tools are repeated. */
const declaredFor = ({ tools }: Policy, server: string): readonly string[] =>
  [...tools.values()].flatMap((tool) => (tool.server === server ? [parseToolId(tool.id).tool] : []));
