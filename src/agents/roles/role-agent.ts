/**
 * An agent of one role: a fixed set of tools, a prompt that matches the set, and a way to run a task. Each run is a
 * planner's run in a session of its gate, which decides every call when it is executed.
 */
import { relative } from "node:path";
import type { LanguageModel } from "ai";
import { type LabelDeclaration, quoteName, type ToolSet } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { type Gate, type Session, unknownRun } from "../../runtime/index.ts";
import { assertOptions } from "../option-shapes.ts";
import { createPlanner, type Planner } from "../planner.ts";
import type { PlannerResult } from "../planner-result.ts";
import { createRoleHost, type RoleAgentOptions, type RoleHost } from "./role-host.ts";
import { failureOf, type RolePause, type RoleResult, toFailure, toRoleResult } from "./role-result.ts";
import { changedOf, type WatchedWorkspace, watchWorkspace } from "./watched-workspace.ts";

/** What a role is. */
export interface RoleDefinition {
  readonly name: string;
  /** The most tools that an agent of the role may have, except those of `servers`. */
  readonly set: ToolSet;
  /** The role's purpose, for the model. It names no tools: these are added as the agent has them. */
  readonly purpose: string;
  /** The model's answers in one run, by default. */
  readonly maxSteps: number;
}

/** Options of one run. */
export interface RoleRunOptions {
  /** Ends the run: earlier changes stay, and nothing more runs. */
  readonly signal?: AbortSignal;
  /** Called with the model's text as it comes. */
  readonly onText?: (text: string) => void;
  /** The label of the context, with which the session starts. Left out: the lowest. */
  readonly label?: LabelDeclaration;
}

/** A task for the model. */
export interface Brief {
  readonly prompt: string;
  /** The user's own words in it. */
  readonly words?: string;
  /** The only file that may be changed, canonical. */
  readonly only?: string;
  /** The hashes (SHA-256, hex) of files at the start, by canonical path. */
  readonly before?: Readonly<Record<string, string | null>>;
  /** The text of the only file at the start. */
  readonly was?: string;
}

/** A finished run, for the role's result. */
export interface RoleRun {
  readonly result: RoleResult;
  /** Whether one of its calls has changed something, also before a pause. */
  readonly wrote: boolean;
  /** Its task; null if it didn't start. After a pause it lacks the file's text. */
  readonly brief: Brief | null;
}

const hosts = new WeakMap<object, RoleHost>();

/** The host of an agent, for checks. */
export function hostOf(agent: RoleAgent<never>): RoleHost {
  const host = hosts.get(agent);
  if (host !== undefined) return host;
  throw new SluicegateError("invalid-request", "This is no role agent.", {
    why: "It wasn't made by a class of a role.",
    fix: "Give an agent that was.",
  });
}

/** An agent with the tools of its role and no others. Immutable, and safe to share: each run has its own session. */
export abstract class RoleAgent<Context, Result extends RoleResult = RoleResult> {
  readonly #definition: RoleDefinition;
  readonly #options: RoleAgentOptions;
  readonly #host: RoleHost;
  readonly #systemPrompt: string;

  /**
   * @throws InvalidToolError for an unknown tool; SluicegateError `invalid-tool` for one that the role can't have,
   *   `invalid-request` for incompatible options.
   */
  constructor(definition: RoleDefinition, options: RoleAgentOptions) {
    assertOptions("agent", options);
    this.#definition = definition;
    this.#options = { ...options };
    this.#host = createRoleHost(definition.name, definition.set, this.#options);
    hosts.set(this, this.#host);
    this.#systemPrompt = options.systemPrompt ?? toSystemPrompt(definition.purpose, this.#host.tools);
    // Reports an invalid budget now.
    this.#planner(null);
  }

  get name(): string {
    return this.#definition.name;
  }

  get systemPrompt(): string {
    return this.#systemPrompt;
  }

  get model(): LanguageModel {
    return this.#options.model;
  }

  /** Names of its tools; a new list each time. */
  get allowedTools(): string[] {
    return this.#host.tools.toArray();
  }

  /** The gate of its sessions, where its approvals are answered; null if it works in a host's session. */
  get gate(): Gate | null {
    return this.#host.gate;
  }

  /**
   * Runs a task. Failures of the model are in the result.
   * @throws SluicegateError `invalid-request` for an incomplete context, and what the gate throws.
   */
  async execute(context: Context, options: RoleRunOptions = {}): Promise<Result> {
    assertOptions("agentRun", options);
    const brief = await this.brief(context);
    if (typeof brief === "string") return this.conclude(toNothing(brief));
    const watched = this.#watch(brief, brief.before ?? {});
    const session = await this.#host.open(brief.words, watched);
    return this.#run({ brief, options, watched, session, wroteBefore: false }, async (planner, given) => {
      if (options.label !== undefined) await session.addDataset(`${this.name}-context`, options.label);
      // The brief contains files as well as the user's words, so it isn't passed as the user's words.
      return planner.run({ ...given, messages: [{ role: "user", content: brief.prompt }] });
    });
  }

  /**
   * Continues a paused run, with the context of its start.
   * @throws SluicegateError `run-not-found` for a pause that is unknown, used, expired or another agent's.
   */
  async resume(
    pause: RolePause,
    context: Context,
    options: Omit<RoleRunOptions, "label"> = {},
  ): Promise<Result> {
    assertOptions("agentRun", options);
    // THREAT: sessions and gates may be shared, and another agent's limits, such as to one file, differ.
    if (pause.agent !== this.name) throw unknownRun();
    const brief = await this.brief(context);
    if (typeof brief === "string") return this.conclude(toNothing(brief));
    assertSameFiles(brief, pause);
    const watched = this.#watch(brief, pause.before);
    const session = await this.#host.reopen(pause.session, watched);
    const { was: _, ...resumed } = brief;
    const running = { brief: resumed, options, watched, session, wroteBefore: pause.wrote };
    return this.#run(running, (planner, given) => planner.resume(pause.token, given));
  }

  /** Closes what it opened. */
  close(): Promise<void> {
    return this.#host.close();
  }

  /**
   * The task for the model; or a sentence that says why the run can't start.
   * @throws SluicegateError `invalid-request` for an incomplete context.
   */
  protected abstract brief(context: Context): Promise<Brief | string>;

  /** The result of a run in this role. */
  protected abstract conclude(run: RoleRun): Promise<Result>;

  #watch({ only }: Brief, before: Readonly<Record<string, string | null>>): WatchedWorkspace | null {
    const { workspace, tools } = this.#host;
    if (workspace === null) return null;
    return watchWorkspace(workspace, { tools, only: only ?? null, before: new Map(Object.entries(before)) });
  }

  #planner(watched: WatchedWorkspace | null): Planner {
    const { model, plan, questions, maxTokens, settings } = this.#options;
    const { maxSteps = this.#definition.maxSteps } = this.#options;
    const { servers, identities } = this.#host;
    return createPlanner({
      model,
      tools: watched === null ? servers : [watched.provider, ...servers],
      // INVARIANT: whatever its gate's policy says, a run sees only these tools, and a gate runs only what a run
      // sees.
      policy: { allowedTools: identities },
      instructions: this.#systemPrompt,
      maxSteps,
      ...(plan !== undefined && { plan }),
      ...(questions !== undefined && { questions }),
      ...(maxTokens !== undefined && { maxTokens }),
      ...(settings && { settings }),
    });
  }

  async #run(running: Running, run: RunPlanner): Promise<Result> {
    const { brief, options, watched, session, wroteBefore } = running;
    const { signal, onText } = options;
    const given = { session, ...(signal && { signal }), ...(onText && { onText }) };
    const hasWritten = (): boolean => wroteBefore || watched?.wrote === true;
    try {
      const result = await run(this.#planner(watched), given);
      const wrote = hasWritten();
      const before = Object.fromEntries(watched?.before ?? []);
      const seen = { filesModified: await this.#modified(watched), before, wrote };
      return await this.conclude({ result: toRoleResult(this.name, result, seen), wrote, brief });
    } catch (cause) {
      const failure = failureOf(cause);
      if (failure === null) throw cause;
      const seen = { session: session.id, filesModified: await this.#modified(watched) };
      return await this.conclude({ result: toFailure(failure, seen), wrote: hasWritten(), brief });
    } finally {
      this.#host.leave(session.id);
    }
  }

  async #modified(watched: WatchedWorkspace | null): Promise<readonly string[]> {
    const { root } = this.#host;
    if (watched === null || root === null) return [];
    const changed = await changedOf(root, watched.before);
    return changed.map((path) => relative(root, path));
  }
}

const toNothing = (why: string): RoleRun => ({ result: toFailure(why), wrote: false, brief: null });

interface Running {
  readonly brief: Brief;
  readonly options: RoleRunOptions;
  readonly watched: WatchedWorkspace | null;
  readonly session: Session;
  readonly wroteBefore: boolean;
}

type RunPlanner = (
  planner: Planner,
  given: {
    readonly session: Session;
    readonly signal?: AbortSignal;
    readonly onText?: (text: string) => void;
  },
) => Promise<PlannerResult>;

/** The pause has the hash of its file; a context about another file belongs to another run. */
function assertSameFiles({ only }: Brief, { before }: RolePause): void {
  if (only === undefined || Object.hasOwn(before, only)) return;
  throw new SluicegateError("invalid-request", "The paused run can't go on with this context.", {
    why: "It is about another file than the one that the run began with.",
    fix: "Resume it with the context that it was given.",
  });
}

/** The role for the model: its purpose, and the tools that the agent has. */
function toSystemPrompt(purpose: string, tools: ToolSet): string {
  const names = [...tools].map(quoteName).join(", ");
  const have =
    names === "" ? "You have no tools: all that you need is in the task." : `Your tools: ${names}.`;
  return `${purpose}\n\n${have} You can't run commands, tests or builds.`;
}
