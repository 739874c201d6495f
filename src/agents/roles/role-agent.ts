/**
 * An agent of one role: a fixed set of tools, a prompt that says no more than the set, and a way to run a task with all
 * that it needs. Each run is a planner's run in a session of its gate, which decides every call where it is executed.
 */
import { relative } from "node:path";
import type { LanguageModel } from "ai";
import { type LabelDeclaration, quoteName, type ToolSet } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { type Gate, type Session, unknownRun } from "../../runtime/index.ts";
import { assertOptions } from "../option-shapes.ts";
import { createPlanner, type Planner } from "../planner.ts";
import type { PlannerResult } from "../planner-result.ts";
import { changedOf } from "./file-state.ts";
import { createRoleHost, type RoleAgentOptions, type RoleHost } from "./role-host.ts";
import { failureOf, type RolePause, type RoleResult, toFailure, toRoleResult } from "./role-result.ts";
import { type WatchedWorkspace, watchWorkspace } from "./watched-workspace.ts";

/** What a role is, whoever has it. */
export interface RoleDefinition {
  readonly name: string;
  /** The tools that an agent of the role has at most, but for those of `servers`. */
  readonly set: ToolSet;
  /** What the role is for, told to the model. Names no tool: those are added as the agent has them. */
  readonly purpose: string;
  /** Answers of the model in one run, where the host says nothing else. */
  readonly maxSteps: number;
}

/** What goes with one run. */
export interface RoleRunOptions {
  /** Ends the run: what was done stays, and nothing more is. */
  readonly signal?: AbortSignal;
  /** Called for the model's words as they come. */
  readonly onText?: (text: string) => void;
  /** The label of what the context holds: the session has it from the beginning. Left out: the lowest. */
  readonly label?: LabelDeclaration;
}

/** A task, made ready for the model. */
export interface Brief {
  readonly prompt: string;
  /** The user's own words in it. */
  readonly words?: string;
  /** The only file that may be changed, canonical. */
  readonly only?: string;
  /** What lay in files when the task was given: SHA-256 (hex), by canonical path. */
  readonly before?: Readonly<Record<string, string | null>>;
  /** The text of the only file, when the task was given. */
  readonly was?: string;
}

/** A run that is over, for what a role makes of it. */
export interface RoleRun {
  readonly result: RoleResult;
  /** Whether a call of its own has changed something, before a pause too. */
  readonly wrote: boolean;
  /** Its task; null where it didn't begin. What it says of a file's text is left out after a pause. */
  readonly brief: Brief | null;
}

const hosts = new WeakMap<object, RoleHost>();

/** Where an agent works, for who checks it. */
export function hostOf(agent: RoleAgent<never>): RoleHost {
  const host = hosts.get(agent);
  if (host !== undefined) return host;
  throw new SluicegateError("invalid-request", "This is no role agent.", {
    why: "It wasn't made by a class of a role.",
    fix: "Give an agent that was.",
  });
}

/** An agent with the tools of its role and no others. Immutable, and safe to share: each run has a session of its own. */
export abstract class RoleAgent<Context, Result extends RoleResult = RoleResult> {
  readonly #definition: RoleDefinition;
  readonly #options: RoleAgentOptions;
  readonly #host: RoleHost;
  readonly #systemPrompt: string;

  /**
   * @throws InvalidToolError for a tool that nothing knows; SluicegateError `invalid-tool` for one that the role can't
   * have, `invalid-request` for options that can't go together.
   */
  constructor(definition: RoleDefinition, options: RoleAgentOptions) {
    assertOptions("agent", options);
    this.#definition = definition;
    this.#options = { ...options };
    this.#host = createRoleHost(definition.name, definition.set, this.#options);
    hosts.set(this, this.#host);
    this.#systemPrompt = options.systemPrompt ?? toSystemPrompt(definition.purpose, this.#host.tools);
    // A budget that is none is told now.
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

  /** The gate of its sessions, where its approvals are answered; null where it works in a session of the host's. */
  get gate(): Gate | null {
    return this.#host.gate;
  }

  /**
   * Runs a task. What the model does, or doesn't, is told in the result.
   * @throws SluicegateError `invalid-request` for a context that says too little, and what the gate throws.
   */
  async execute(context: Context, options: RoleRunOptions = {}): Promise<Result> {
    assertOptions("agentRun", options);
    const brief = await this.brief(context);
    if (typeof brief === "string") return this.conclude(toNothing(brief));
    const watched = this.#watch(brief, brief.before ?? {});
    const session = await this.#host.open(brief.words, watched);
    return this.#run({ brief, options, watched, session, wroteBefore: false }, async (planner, given) => {
      if (options.label !== undefined) await session.addDataset(`${this.name}-context`, options.label);
      // The brief holds files as well as the user's words, which the host has said.
      return planner.run({ ...given, messages: [{ role: "user", content: brief.prompt }] });
    });
  }

  /**
   * Goes on with a paused run, with the context that it began with.
   * @throws SluicegateError `run-not-found` for a pause that is unknown, used, expired or another agent's.
   */
  async resume(
    pause: RolePause,
    context: Context,
    options: Omit<RoleRunOptions, "label"> = {},
  ): Promise<Result> {
    assertOptions("agentRun", options);
    // THREAT: another agent's limits, such as to one file, aren't this one's; sessions and gates may be shared.
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
   * The task for the model; or a sentence that says why there is nothing to begin with.
   * @throws SluicegateError `invalid-request` for a context that says too little.
   */
  protected abstract brief(context: Context): Promise<Brief | string>;

  /** What a run comes to in this role. */
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
      // INVARIANT: whatever its gate's policy says, a run sees these tools and no others, and a gate runs what a run sees.
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

/** A pause tells what lay in the file; a context about another file belongs to another run. */
function assertSameFiles({ only }: Brief, { before }: RolePause): void {
  if (only === undefined || Object.hasOwn(before, only)) return;
  throw new SluicegateError("invalid-request", "The paused run can't go on with this context.", {
    why: "It is about another file than the one that the run began with.",
    fix: "Resume it with the context that it was given.",
  });
}

/** What the model is told about its role: what it is for, and its tools as it has them. */
function toSystemPrompt(purpose: string, tools: ToolSet): string {
  const names = [...tools].map(quoteName).join(", ");
  const have =
    names === "" ? "You have no tools: all that you need is in the task." : `Your tools: ${names}.`;
  return `${purpose}\n\n${have} You can't run commands, tests or builds.`;
}
