/**
 * Where a role agent works: a gate of its own with a policy made for its role, or the host's own gate or session. Owns
 * who opens what, and nothing of what the agent does there.
 */
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

/** How a role agent is made. */
export interface RoleAgentOptions {
  /** A model of the AI SDK. */
  readonly model: LanguageModel;
  /** The working directory. An agent without file tools needs none. */
  readonly root?: string;
  /** Fewer tools than the role's set, or tools of `servers` besides it. */
  readonly allowedTools?: Iterable<string>;
  /** Servers whose tools may be named, as `mcp__{server}__{tool}` or `mcp__{server}__*`. A policy has to classify them. */
  readonly servers?: readonly ToolProvider[];
  /** Lets the agent change files without a person's yes, where its policy is the one that is made for the role. */
  readonly unattended?: boolean;
  /** The operator's own policy, in place of the one that is made for the role. */
  readonly policy?: Policy;
  /** A role of the policy, where it isn't called like the agent. */
  readonly role?: string;
  /** Where sessions and approvals are kept; by default in memory. */
  readonly store?: Store;
  /** Keep it with the store: an approval that was asked for under another key reaches no call. By default random. */
  readonly digestKey?: Uint8Array;
  /** A gate of the host's: each run has a session of it. Needs `workspace`. */
  readonly gate?: Gate;
  /** A session of the host's, for all runs. Needs `workspace`. */
  readonly session?: Session;
  /** The workspace that the host's gate was told about, by `facts: examineCalls([workspace])`; over `root`. */
  readonly workspace?: ToolProvider;
  /** What the agent may not touch, whoever says yes, besides what every workspace keeps from agents. */
  readonly protect?: readonly string[];
  /** Who it works for; `operator` by default. */
  readonly principal?: string;
  /** Has the model say its plan before it has any other tool. */
  readonly plan?: boolean;
  /** Where its plan asks: a person once, for the whole plan (the default), or for each call. */
  readonly questions?: PlanQuestions;
  /** In place of the role's own system prompt. */
  readonly systemPrompt?: string;
  /** Answers of the model in one run. */
  readonly maxSteps?: number;
  /** Tokens of one run; no bound by default. */
  readonly maxTokens?: number;
  readonly settings?: ModelSettings;
}

/** A role, and where its agent works. */
export interface RoleHost {
  readonly tools: ToolSet;
  /** The identities and patterns of its tools. */
  readonly identities: readonly string[];
  /** Canonical; null where it has no file tools. */
  readonly root: string | null;
  readonly workspace: ToolProvider | null;
  readonly servers: readonly ToolProvider[];
  readonly gate: Gate | null;
  /** The role of its sessions; null where its policy has none for it. */
  readonly role: string | null;
  /** The session of all its runs, where the host gave one. */
  readonly shared: Session | null;
  /** Opens the session of one run. */
  open(task: string | undefined, watched: WatchedWorkspace | null): Promise<Session>;
  /** Finds the session of a paused run. @throws SluicegateError `run-not-found` */
  reopen(session: string, watched: WatchedWorkspace | null): Promise<Session>;
  /** Says that a run of a session is over. */
  leave(session: string): void;
  close(): Promise<void>;
}

/** @throws SluicegateError for options that can't go together, InvalidToolError for a tool that nothing knows. */
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
  /** The workspace as each session's run has it now. */
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

/** The policy of an agent that is given none: the workspace's own, with a role that has these tools and no other. */
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
