/**
 * The planner: an agent's loop on the AI SDK, behind a session of the gate. One planner serves any number of
 * simultaneous runs: it is immutable, and each run has its own view.
 */
import type { LanguageModel, ModelMessage } from "ai";
import { type Manifest, type ToolPolicy, toLimit } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import {
  createRunOrder,
  type Grant,
  type RunOrder,
  runInOrder,
  type Session,
  type ToolListing,
  type ToolVisibilityPolicy,
  unknownRun,
  unknownSession,
} from "../runtime/index.ts";
import { sayPrompt } from "../runtime/internal.ts";
import type { ModelSettings } from "./ask-model.ts";
import { assertOptions } from "./option-shapes.ts";
import { type PausedRun, parsePaused } from "./paused-run.ts";
import type { PlanQuestions } from "./plan-step.ts";
import type { PlannerResult } from "./planner-result.ts";
import { PlannerRun } from "./planner-run.ts";
import { type PlannerTools, type Toolbox, toToolbox } from "./planner-tools.ts";
import { idsOf } from "./provider-tools.ts";

/** What the model is told about a run's tools. */
export interface PromptContext {
  readonly manifest: Manifest;
  /** The planning constraints, in plain language. */
  readonly prompt: string;
}

export interface PlannerOptions {
  readonly model: LanguageModel;
  readonly tools: PlannerTools;
  /** Hard limits: tools that it removes are in no listing, lookup or prompt of any run. */
  readonly policy?: ToolPolicy;
  /**
   * The system prompt. A text comes before the planning constraints; a function makes the whole prompt, once per set
   * of visible tools and label.
   */
  readonly instructions?: string | ((told: PromptContext) => string);
  /** Requires a plan from the model, which is checked, before it has other tools. */
  readonly plan?: boolean;
  /**
   * If calls of its plan need approval: ask once for the whole plan (the default), or for each call when it is made.
   */
  readonly questions?: PlanQuestions;
  /** The model's answers in one run, including its pauses; 20 by default. */
  readonly maxSteps?: number;
  /** Tokens of one run, including its pauses; no limit by default. */
  readonly maxTokens?: number;
  /** How long a paused run can be resumed; by default twice as long as an approval can be answered. */
  readonly pauseSeconds?: number;
  readonly settings?: ModelSettings;
  /** The order of runs in a session; by default within this process. */
  readonly order?: RunOrder;
}

interface Narrowing<Context> {
  /** The caller's principal, if known; another one than the session's is refused. */
  readonly principal?: string;
  /** Which tools this run sees; it can only narrow. */
  readonly visibility?: ToolVisibilityPolicy<Context>;
  readonly context?: Context;
  /** What this run is granted; it can only narrow. */
  readonly permissions?: Grant;
  readonly toolPolicy?: ToolPolicy;
  /** Ends the run: admitted calls keep their raise, and nothing more runs. */
  readonly signal?: AbortSignal;
  /** Called with the model's text as it comes. */
  readonly onText?: (text: string) => void;
}

export interface PlannerRunOptions<Context = unknown> extends Narrowing<Context> {
  readonly session: Session;
  /** The user's words, which endorse calls of the session. Generated text belongs in `messages`. */
  readonly prompt?: string;
  /** Earlier messages of the conversation, before `prompt`. They endorse nothing. */
  readonly messages?: readonly ModelMessage[];
}

export interface PlannerResumeOptions<Context = unknown> extends Narrowing<Context> {
  /** The session in which the run was paused. */
  readonly session: Session;
}

/** An agent's loop. Immutable, and safe to share. */
export interface Planner {
  /**
   * Runs a task. Runs of one session come one after the other, those of different sessions at the same time.
   * @throws SluicegateError `visibility-failed`, `upstream-failed` if the model fails, `store-failed`.
   */
  run<Context = unknown>(options: PlannerRunOptions<Context>): Promise<PlannerResult>;
  /**
   * Continues a paused run, in any process with its store. It has the tools and permissions of that time, narrowed by
   * these options.
   * @throws SluicegateError `run-not-found` for a token that is unknown, used, expired or another session's.
   */
  resume<Context = unknown>(token: string, options: PlannerResumeOptions<Context>): Promise<PlannerResult>;
  /** A planner with at most this one's tools: denied tools and tags are added, allow lists intersected. */
  fork(options?: { readonly toolPolicy?: ToolPolicy }): Planner;
}

/** The planner's parts that a run needs. */
export interface PlannerParts {
  readonly model: LanguageModel;
  readonly toolbox: Toolbox;
  readonly policies: readonly ToolPolicy[];
  readonly plan: boolean;
  readonly questions: PlanQuestions;
  readonly maxSteps: number;
  readonly maxTokens: number;
  readonly settings: ModelSettings;
  readonly order: RunOrder;
  readonly tell: (catalogue: ToolListing) => string;
  readonly pauseSeconds: number | undefined;
}

/** One order for all planners of the process, since they may share sessions. */
const processOrder = createRunOrder();

/**
 * Creates a planner.
 * @throws SluicegateError `invalid-tool` for tools that can't be guarded, `policy-invalid`, `invalid-request` for an
 *   invalid budget and for unknown options.
 */
export function createPlanner(options: PlannerOptions): Planner {
  assertOptions("planner", options);
  const { maxSteps = 20, maxTokens = Number.POSITIVE_INFINITY, pauseSeconds } = options;
  for (const [name, value] of Object.entries({ maxSteps, maxTokens, pauseSeconds: pauseSeconds ?? 1 }))
    if (!(value > 0)) throw badBudget(name);
  const policies = options.policy === undefined ? [] : [checked(options.policy)];
  return toPlanner({
    model: options.model,
    toolbox: toToolbox(options.tools),
    policies,
    plan: options.plan ?? false,
    questions: options.questions ?? "per-plan",
    maxSteps,
    maxTokens,
    settings: options.settings ?? {},
    order: options.order ?? processOrder,
    tell: createTeller(options.instructions),
    pauseSeconds,
  });
}

function toPlanner(parts: PlannerParts): Planner {
  const planner: Planner = {
    run: async (options) => {
      assertOptions("plannerRun", options);
      if (isForeign(options)) throw unknownSession();
      return inTurn({
        parts,
        options,
        messages: toMessages(options),
        said: options.prompt ?? "",
        take: null,
      });
    },
    resume: async (token, options) => {
      assertOptions("plannerResume", options);
      if (isForeign(options)) throw unknownRun();
      const take = async (): Promise<PausedRun> => parsePaused(await options.session.resumeRun(token));
      return inTurn({ parts, options, messages: [], said: "", take });
    },
    fork: (options = {}) => {
      assertOptions("plannerFork", options);
      const { toolPolicy } = options;
      return toPlanner(toolPolicy ? { ...parts, policies: [...parts.policies, checked(toolPolicy)] } : parts);
    },
  };
  return Object.freeze(planner);
}

interface Turn<Context> {
  readonly parts: PlannerParts;
  readonly options: Narrowing<Context> & { readonly session: Session };
  readonly messages: readonly ModelMessage[];
  /** The user's words in it. */
  readonly said: string;
  /** Uses the token of a run that continues. */
  readonly take: (() => Promise<PausedRun>) | null;
}

/** Waits for the session's turn. For a caller that leaves meanwhile, nothing runs and no token is used. */
async function inTurn<Context>(turn: Turn<Context>): Promise<PlannerResult> {
  const { parts, options, messages } = turn;
  const { session, signal } = options;
  try {
    return await runInOrder(parts.order, session.id, signal, (lost) => {
      const ends = [signal, lost].filter((one) => one !== undefined && one !== null);
      return begin(turn, ends.length === 0 ? undefined : AbortSignal.any(ends));
    });
  } catch (cause) {
    if (!signal?.aborted) throw cause;
    const stopped = { status: "stopped", stopped: "aborted", text: "" } as const;
    return { ...stopped, session: session.id, steps: [], tokens: 0, messages };
  }
}

/** The run's own view, narrowed by the planner, the caller, and the paused run. */
async function begin<Context>(
  { parts, options, messages, said, take }: Turn<Context>,
  signal: AbortSignal | undefined,
): Promise<PlannerResult> {
  const { session, visibility, context, permissions, toolPolicy, onText } = options;
  const { toolbox, maxSteps, maxTokens } = parts;
  const policies = [...parts.policies, ...(toolPolicy === undefined ? [] : [checked(toolPolicy)])];
  const run = { planner: parts, maxSteps, maxTokens, signal, onText };
  await session.refresh();
  await sayPrompt(session, said);
  return session.run(
    {
      tools: [...Object.keys(toolbox.own), ...idsOf(toolbox.providers)],
      toolPolicies: policies,
      ...(visibility && { visibility }),
      ...(context !== undefined && { context }),
      ...(permissions && { permissions }),
    },
    async (view) => {
      if (take === null) return new PlannerRun({ ...run, view, policies, messages, paused: null }).run();
      // INVARIANT: nothing that can be refused comes after this, because the token is used now.
      const paused = await take();
      if (paused.principal !== session.principal) throw unknownRun();
      const all = distinct([...paused.policies, ...policies]);
      return view.run(
        {
          tools: paused.visible,
          toolPolicies: paused.policies,
          ...(paused.granted && { permissions: paused.granted }),
        },
        (narrower) =>
          new PlannerRun({ ...run, view: narrower, policies: all, messages: paused.messages, paused }).run(),
      );
    },
  );
}

const distinct = (policies: readonly ToolPolicy[]): readonly ToolPolicy[] => [
  ...new Map(policies.map((policy) => [JSON.stringify(policy), policy])).values(),
];

interface Claimed {
  readonly principal?: string;
  readonly session: Session;
}

const isForeign = ({ principal, session }: Claimed): boolean =>
  principal !== undefined && principal !== session.principal;

/** @throws SluicegateError `policy-invalid` for a tool policy that could never match */
function checked(policy: ToolPolicy): ToolPolicy {
  toLimit(policy);
  return structuredClone(policy);
}

function toMessages({ prompt, messages = [] }: Pick<PlannerRunOptions, "prompt" | "messages">) {
  const asked = prompt === undefined ? [] : [{ role: "user", content: prompt } as const];
  if (messages.length + asked.length > 0) return [...messages, ...asked];
  throw new SluicegateError("invalid-request", "The run has no task.", {
    why: "Neither `prompt` nor `messages` was given.",
    fix: "Give the user's words as `prompt`.",
  });
}

/** Makes the system prompt once per set of tools and label. */
function createTeller(instructions: PlannerOptions["instructions"]): PlannerParts["tell"] {
  const known = new WeakMap<ToolListing, string>();
  const make = (catalogue: ToolListing): string => {
    const prompt = catalogue.prompt();
    if (typeof instructions === "function") return instructions({ manifest: catalogue.manifest(), prompt });
    return instructions === undefined ? prompt : `${instructions}\n\n${prompt}`;
  };
  return (catalogue) => {
    const told = known.get(catalogue) ?? make(catalogue);
    known.set(catalogue, told);
    return told;
  };
}

const badBudget = (name: string): SluicegateError =>
  new SluicegateError("invalid-request", `The planner's \`${name}\` isn't a valid budget.`, {
    why: "It has to be a number above 0.",
    fix: "Leave it out, or give another one.",
  });
