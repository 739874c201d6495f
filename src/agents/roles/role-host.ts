/** Where a role agent works: in its own gate with a policy made for its role, or in the host's gate or session. */
import { realpathSync } from "node:fs";
import type { LanguageModel } from "ai";
import {
  definePolicy,
  listNames,
  type Policy,
  quoteName,
  type RoleApprovalDeclaration,
  type ToolSet,
  toWorkspaceDeclaration,
  WORKSPACE_SERVER,
} from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { createWorkspace, createWorkspaceProvider } from "../../providers/workspace/index.ts";
import {
  createGate,
  examineCalls,
  type Gate,
  type Session,
  type Store,
  type ToolProvider,
  unknownRun,
} from "../../runtime/index.ts";
import { sayPrompt } from "../../runtime/internal.ts";
import { createMemoryStore } from "../../stores/index.ts";
import type { ModelSettings } from "../ask-model.ts";
import type { PlanQuestions } from "../plan-step.ts";
import { assertTogether, cantBeMade, chooseTools, toIdentities } from "./role-options.ts";
import type { WatchedWorkspace } from "./watched-workspace.ts";

/** Options of a role agent. */
export interface RoleAgentOptions {
  /** A model of the AI SDK. */
  readonly model: LanguageModel;
  /** The working directory. An agent without file tools needs none. */
  readonly root?: string;
  /** Fewer tools than the role's set, or tools of `servers` in addition. */
  readonly allowedTools?: Iterable<string>;
  /**
   * Servers whose tools may be named, as `mcp__{server}__{tool}` or `mcp__{server}__*`. A policy must classify them.
   */
  readonly servers?: readonly ToolProvider[];
  /** Lets the agent change files without approval; only with the policy that is made for the role. */
  readonly unattended?: boolean;
  /** The operator's own policy, instead of the one that is made for the role. */
  readonly policy?: Policy;
  /** A role of the policy, if it isn't named like the agent. */
  readonly role?: string;
  /** Where sessions and approvals are stored; by default in memory. */
  readonly store?: Store;
  /** Store it with the store: approvals requested under another key have no effect. Default: random. */
  readonly digestKey?: Uint8Array;
  /** A gate of the host: each run opens a session in it. Needs `workspace`. */
  readonly gate?: Gate;
  /** A session of the host, for all runs. Needs `workspace`. */
  readonly session?: Session;
  /** The workspace of the host's gate, as in `facts: examineCalls([workspace])`; over `root`. */
  readonly workspace?: ToolProvider;
  /** What the agent may not touch, even with an approval, in addition to what every workspace protects; relative to `root`. */
  readonly protect?: readonly string[];
  /** The principal; `operator` by default. */
  readonly principal?: string;
  /** Requires a plan from the model before it has other tools. */
  readonly plan?: boolean;
  /** If calls of its plan need approval: ask once for the whole plan (the default), or for each call. */
  readonly questions?: PlanQuestions;
  /** Replaces the role's system prompt. */
  readonly systemPrompt?: string;
  /** The model's answers in one run. */
  readonly maxSteps?: number;
  /** Tokens of one run; no limit by default. */
  readonly maxTokens?: number;
  readonly settings?: ModelSettings;
}

/** A role, and where its agent works. */
export interface RoleHost {
  readonly tools: ToolSet;
  /** The identities and patterns of its tools. */
  readonly identities: readonly string[];
  /** Canonical; null without file tools. */
  readonly root: string | null;
  readonly workspace: ToolProvider | null;
  readonly servers: readonly ToolProvider[];
  readonly gate: Gate | null;
  /** The role of its sessions; null if its policy has none for it. */
  readonly role: string | null;
  /** The session of all its runs, if the host gave one. */
  readonly shared: Session | null;
  /** Opens the session of one run. */
  open(task: string | undefined, watched: WatchedWorkspace | null): Promise<Session>;
  /** Finds the session of a paused run. @throws SluicegateError `run-not-found` */
  reopen(session: string, watched: WatchedWorkspace | null): Promise<Session>;
  /** Ends a run of a session. */
  leave(session: string): void;
  close(): Promise<void>;
}

/** @throws SluicegateError for incompatible options, InvalidToolError for an unknown tool. */
export function createRoleHost(name: string, set: ToolSet, options: RoleAgentOptions): RoleHost {
  assertTogether(name, set.size > 0, options);
  const { gate, session, servers = [] } = options;
  const given = gate?.policy ?? options.policy;
  const tools = chooseTools(options.allowedTools, {
    role: name,
    set,
    servers: servers.map(({ id }) => id),
    declared: given === undefined ? [] : declaredIn(given),
  });
  const needsFiles = [...tools].some((tool) => set.has(tool));
  const opened = needsFiles && options.workspace === undefined ? openWorkspace(options) : null;
  const workspace = opened ?? (needsFiles ? (options.workspace ?? null) : null);
  const watching = new Map<string, ToolProvider>();
  const own = gate ?? (session === undefined ? ownGate({ name, tools, options, workspace, watching }) : null);
  const role = session ? session.role : roleIn(own?.policy, name, options.role);
  const root = needsFiles ? canonicalRoot(name, options.root) : null;
  return {
    tools,
    identities: toIdentities(tools, workspace?.id ?? WORKSPACE_SERVER),
    root,
    workspace,
    servers,
    gate: own,
    role,
    shared: session ?? null,
    open: async (task, watched) => {
      const { principal } = options;
      const found =
        session ??
        (await own?.open({
          ...(role !== null && { role }),
          ...(principal !== undefined && { principal }),
          ...(task !== undefined && { task }),
        }));
      if (found === undefined) throw nowhere();
      if (session && task !== undefined) await sayPrompt(session, task);
      if (watched) watching.set(found.id, watched.provider);
      return found;
    },
    reopen: async (id, watched) => {
      const found = session ?? (await own?.session(id)) ?? null;
      if (found === null || found.id !== id) throw unknownRun();
      if (watched) watching.set(id, watched.provider);
      return found;
    },
    leave: (id) => void watching.delete(id),
    close: async () => {
      if (opened) await opened.close();
      if (own !== null && gate === undefined && options.store === undefined) await own.close();
    },
  };
}

function canonicalRoot(name: string, root = ""): string {
  try {
    return realpathSync.native(root);
  } catch {
    throw cantBeMade(name, "Its `root` isn't there.", "Name a folder that is there.");
  }
}

function openWorkspace({ root, protect }: RoleAgentOptions): ToolProvider {
  return createWorkspaceProvider(createWorkspace({ root: root ?? "", ...(protect && { protect }) }));
}

interface OwnGate {
  readonly name: string;
  readonly tools: ToolSet;
  readonly options: RoleAgentOptions;
  readonly workspace: ToolProvider | null;
  /** The workspace of each session's present run. */
  readonly watching: ReadonlyMap<string, ToolProvider>;
}

function ownGate({ name, tools, options, workspace, watching }: OwnGate): Gate {
  const { servers = [], store = createMemoryStore(), digestKey, unattended = false } = options;
  return createGate({
    policy: options.policy ?? toRolePolicy(name, tools, unattended),
    store,
    ...(digestKey && { digestKey }),
    facts: (call, view) => {
      const files = watching.get(view.session) ?? workspace;
      return examineCalls(files === null ? servers : [files, ...servers])(call, view);
    },
  });
}

/** The policy of an agent without one: the workspace's own, with a role that has only these tools. */
function toRolePolicy(name: string, tools: ToolSet, unattended: boolean): Policy {
  const workspace = toWorkspaceDeclaration();
  const identities = toIdentities(tools, WORKSPACE_SERVER);
  const needed = [...tools].flatMap((tool) => workspace.tools?.[tool]?.permissions ?? []);
  const unasked: RoleApprovalDeclaration = Object.fromEntries(identities.map((id) => [id, "never"]));
  return definePolicy(
    {
      servers: { [WORKSPACE_SERVER]: workspace },
      roles: {
        [name]: {
          tools: identities,
          permissions: [...new Set(needed)],
          ...(unattended && { approval: unasked }),
        },
      },
    },
    { version: `role:${name}${unattended ? ":unattended" : ""}` },
  );
}

function roleIn(policy: Policy | undefined, name: string, wanted: string | undefined): string | null {
  if (policy?.roles.has(wanted ?? name)) return wanted ?? name;
  if (wanted === undefined) return null;
  const known = [...(policy?.roles.keys() ?? [])];
  throw cantBeMade(
    name,
    `Its policy has no role ${quoteName(wanted)}.`,
    known.length === 0 ? "Leave `role` out." : `Name one of ${listNames(known, "or")}.`,
  );
}

const declaredIn = (policy: Policy): readonly string[] =>
  [...policy.tools.values()].flatMap(({ id, name }) => [id, name]);

const nowhere = (): SluicegateError =>
  new SluicegateError("internal", "The agent has no gate.", {
    why: "Neither a gate nor a session was given, and none was made.",
    fix: "Report this as a bug.",
  });
