/**
 * One run: an immutable view of a session, the tools that it sees, and the SDK's loop over them. Every call is
 * decided on when it is executed; the list for the model doesn't protect anything.
 */
import type { JSONSchema7, ModelMessage, StepResult, ToolSet } from "ai";
import { approvalIdOf, type Guarded, guard } from "../adapters/ai-sdk.ts";
import type { ToolPolicy } from "../core/index.ts";
import { isJsonObject, type JsonObject } from "../json/json-object.ts";
import { REPORT_IMPOSSIBLE, report_impossible, type Session } from "../runtime/index.ts";
import { askModel } from "./ask-model.ts";
import { type PausedRun, VERSION, type WaitingCall, writePaused } from "./paused-run.ts";
import {
  CHECK_PLAN,
  isRefused,
  PLAN_NOTE,
  type PlanProgress,
  planQuestion,
  START,
  toPlanTool,
} from "./plan-step.ts";
import type { PlannerParts } from "./planner.ts";
import {
  type Ended,
  isDeniedByPerson,
  type PlannerResult,
  type PlannerStep,
  type StopReason,
  toOutcome,
  toStep,
} from "./planner-result.ts";
import { toolsFor } from "./planner-tools.ts";

/** The parts of one run, in addition to its planner's. */
interface RunParts {
  readonly planner: PlannerParts;
  /** What it may see and call. */
  readonly view: Session;
  readonly policies: readonly ToolPolicy[];
  readonly messages: readonly ModelMessage[];
  /** The paused run that it continues. */
  readonly paused: PausedRun | null;
  readonly maxSteps: number;
  readonly maxTokens: number;
  readonly signal: AbortSignal | undefined;
  readonly onText: ((text: string) => void) | undefined;
}

export class PlannerRun {
  readonly #parts: RunParts;
  readonly #steps: { readonly step: StepResult<ToolSet>; readonly ended: ReadonlyMap<string, Ended> }[] = [];
  readonly #plan: PlanProgress;
  readonly #resumed: readonly WaitingCall[];
  /** Outcomes of the present step's calls by id, which models may reuse in the next step. */
  #ended = new Map<string, Ended>();
  /** Outcomes of the calls that had waited. */
  #endedBefore: ReadonlyMap<string, Ended> | null = null;
  #seen: readonly string[] = [];
  #isDenied = false;
  #impossible: string | null = null;

  constructor(parts: RunParts) {
    const { planner, paused } = parts;
    this.#parts = parts;
    this.#plan = { ...(paused?.plan ?? START), ...(!planner.plan && { isDone: true }) };
    this.#resumed = paused?.waiting ?? [];
  }

  /** Runs until the model has finished, waits, reports that it can't continue, or is stopped. */
  async run(): Promise<PlannerResult> {
    const { view, signal } = this.#parts;
    const governed = await toolsFor(this.#parts.planner.toolbox, view);
    this.#seen = Object.keys(governed).flatMap((name) => view.tool(name)?.id ?? []);
    const { answers, waiting } = await this.#answers(governed);
    if (waiting !== null) return this.#pause([...this.#parts.messages], waiting);
    const messages = [...this.#parts.messages, ...answers];
    try {
      signal?.throwIfAborted();
      return await this.#end([...messages, ...(await this.#loop(governed, messages))]);
    } catch (cause) {
      if (!signal?.aborted) throw cause;
      return this.#result({ status: "stopped", stopped: "aborted", messages });
    }
  }

  /**
   * Answers for the SDK about the calls that waited: always approvals, since the decision is made when they are
   * executed. If some still wait, returns those instead, each with its present approval.
   */
  async #answers(governed: ToolSet): Promise<Answered> {
    if (this.#resumed.length === 0) return { answers: [], waiting: null };
    const { view } = this.#parts;
    const found = await Promise.all(
      this.#resumed.map(async (call) => {
        if (call.tool === CHECK_PLAN && this.#parts.planner.plan) return this.#askAgain(call);
        if (!Object.hasOwn(governed, call.tool)) return { call, effect: "gone" } as const;
        const { effect, reasons, approval } = await view.preview({
          tool: call.tool,
          arguments: toArguments(call.arguments),
        });
        const isDenied = reasons.some(({ code }) => code === "approval-denied");
        // A void approval was requested again.
        const now = approval ? { ...call, approval: approval.id } : call;
        return { call: now, effect: isDenied ? "denied" : effect } as const;
      }),
    );
    this.#isDenied = found.some(({ effect }) => effect === "denied");
    if (!this.#isDenied && found.some(({ effect }) => effect === "ask"))
      return { answers: [], waiting: found.map(({ call }) => call) };
    const content = found.map(({ call, effect }) => ({
      type: "tool-approval-response" as const,
      approvalId: call.request,
      ...(effect === "gone" ? { approved: false, reason: GONE } : { approved: true }),
    }));
    return { answers: [{ role: "tool", content }], waiting: null };
  }

  /** A plan that was submitted to a person: it still waits, or is decided when it is checked again. */
  async #askAgain(call: WaitingCall) {
    const { view, planner } = this.#parts;
    const question = await planQuestion(view, call.arguments, planner.questions);
    if (question === null) return { call, effect: "allow" } as const;
    return { call: { ...call, approval: question.approval }, effect: "ask" } as const;
  }

  /** Pauses as the guarded tools do, and for a plan that needs approval. */
  #pausing(pause: Guarded<ToolSet>["toolApproval"]): Guarded<ToolSet>["toolApproval"] {
    const { view, planner } = this.#parts;
    return async (call) => {
      if (call.toolCall.toolName !== CHECK_PLAN || !planner.plan) return pause(call);
      // An error is reported by the check of the plan, which fails then.
      const question = await planQuestion(view, call.toolCall.input, planner.questions).catch(() => null);
      return question === null
        ? { type: "not-applicable" }
        : { type: "user-approval", reason: question.reason };
    };
  }

  async #loop(governed: ToolSet, messages: readonly ModelMessage[]): Promise<readonly ModelMessage[]> {
    const { planner, view, signal, onText } = this.#parts;
    const { tools, toolApproval, prepareStep } = guard(view, governed);
    const own = await this.#ownTools();
    return askModel({
      model: planner.model,
      settings: planner.settings,
      messages,
      tools: { ...tools, ...own },
      toolApproval: this.#pausing(toolApproval),
      signal,
      onText,
      prepareStep: async () => {
        this.#endedBefore ??= this.#takeEnded();
        const { activeTools } = await prepareStep();
        return { activeTools: this.#offered(activeTools), instructions: this.#instructions() };
      },
      stopWhen: () => this.#impossible !== null || this.#spent() !== null,
      onStep: (step) => void this.#steps.push({ step, ended: this.#takeEnded() }),
      onCall: (id, _, ended) => {
        this.#ended.set(id, ended);
        if (isDeniedByPerson(ended)) this.#isDenied = true;
      },
    });
  }

  /** Tools without a policy: they affect only the run itself. */
  async #ownTools(): Promise<ToolSet> {
    const { jsonSchema } = await import("ai");
    const { view, planner } = this.#parts;
    const giveUp = {
      description: REPORT_IMPOSSIBLE.description,
      inputSchema: jsonSchema<{ reason: string }>(REPORT_IMPOSSIBLE.inputSchema as JSONSchema7),
      execute: async ({ reason }: { readonly reason: unknown }) => {
        const said = typeof reason === "string" ? reason : "";
        const answer = await report_impossible(view, { reason: said });
        this.#impossible = said;
        return answer;
      },
    };
    return {
      [REPORT_IMPOSSIBLE.name]: giveUp,
      ...(planner.plan && { [CHECK_PLAN]: await toPlanTool(view, this.#plan, planner.questions) }),
    };
  }

  #offered(seen: readonly string[]): string[] {
    if (this.#isDenied || isRefused(this.#plan)) return [REPORT_IMPOSSIBLE.name];
    const plan = this.#parts.planner.plan ? [CHECK_PLAN] : [];
    return [...(this.#plan.isDone ? seen : []), ...plan, REPORT_IMPOSSIBLE.name];
  }

  #instructions(): string {
    const { planner, view } = this.#parts;
    const told = planner.tell(view.listing());
    return this.#plan.isDone ? told : `${told}\n\n${PLAN_NOTE[planner.questions]}`;
  }

  /** Which budget is used up. A run that continues after a person's answer has at least one more step. */
  #spent(): StopReason | null {
    const { maxSteps, maxTokens, paused } = this.#parts;
    if ((paused?.used.steps ?? 0) + this.#steps.length >= maxSteps) return "steps";
    return this.#tokens() >= maxTokens ? "tokens" : null;
  }

  #takeEnded(): ReadonlyMap<string, Ended> {
    const ended = this.#ended;
    this.#ended = new Map();
    return ended;
  }

  #tokens(): number {
    const before = this.#parts.paused?.used.tokens ?? 0;
    return this.#steps.reduce((sum, { step }) => sum + (step.usage.totalTokens ?? 0), before);
  }

  async #end(messages: readonly ModelMessage[]): Promise<PlannerResult> {
    if (this.#impossible !== null)
      return this.#result({ status: "impossible", text: this.#impossible, messages });
    const last = this.#steps.at(-1)?.step;
    const waiting = last === undefined ? [] : waitingIn(last);
    if (waiting.length > 0) return this.#pause(messages, waiting);
    switch (last?.finishReason) {
      case "stop":
        return this.#result({ status: "done", messages });
      case "tool-calls":
        return this.#result({ status: "stopped", stopped: this.#spent() ?? "model", messages });
      case "length":
        return this.#result({ status: "stopped", stopped: "tokens", messages });
      default:
        return this.#result({ status: "stopped", stopped: "model", messages });
    }
  }

  async #pause(messages: readonly ModelMessage[], waiting: readonly WaitingCall[]): Promise<PlannerResult> {
    const { view, planner, paused, policies } = this.#parts;
    const kept: PausedRun = {
      version: VERSION,
      principal: view.principal,
      messages,
      waiting,
      visible: this.#seen,
      granted: await view.granted(),
      policies,
      used: { steps: (paused?.used.steps ?? 0) + this.#steps.length, tokens: this.#tokens() },
      plan: this.#plan,
    };
    const { token, expiresAt } = await view.pauseRun(writePaused(kept), planner.pauseSeconds);
    const shown = waiting.map(({ tool, approval }) => ({ tool, approval }));
    const [first] = shown;
    return {
      ...this.#result({ status: "paused", messages }),
      token,
      expiresAt,
      ...(first && { approval: first.approval }),
      waiting: shown,
    };
  }

  #result(
    ended: Pick<PlannerResult, "status" | "messages"> & Partial<Pick<PlannerResult, "text" | "stopped">>,
  ): PlannerResult {
    const text = this.#steps.at(-1)?.step.text ?? "";
    const steps = this.#steps.map(({ step, ended: of }) => toStep(step, of));
    return {
      text,
      ...ended,
      session: this.#parts.view.id,
      steps: [...this.#resumedStep(ended.status), ...steps],
      tokens: this.#tokens(),
    };
  }

  #resumedStep(status: PlannerResult["status"]): readonly PlannerStep[] {
    if (this.#resumed.length === 0) return [];
    const none = status === "paused" && this.#steps.length === 0 ? "waiting" : "stopped";
    const calls = this.#resumed.map(({ id, tool }) => {
      const ended = (this.#endedBefore ?? this.#ended).get(id);
      return { id, tool, outcome: ended ? toOutcome(ended) : none } as const;
    });
    return [{ text: "", calls, tokens: 0 }];
  }
}

/** Outcomes of the calls that waited; `waiting` is null if the run continues. */
interface Answered {
  readonly answers: readonly ModelMessage[];
  readonly waiting: readonly WaitingCall[] | null;
}

const GONE = "This tool is not available any more.";

/** The calls of a step for which the SDK paused, each with its approval. */
function waitingIn({ content }: StepResult<ToolSet>): readonly WaitingCall[] {
  return content.flatMap((part) => {
    if (part.type !== "tool-approval-request") return [];
    const { toolCallId: id, toolName: tool, input } = part.toolCall;
    // A pause by the gate always names its approval; without one, no answer could reach the call.
    const approval = approvalIdOf(part) ?? "";
    return [{ id, tool, arguments: input, request: part.approvalId, approval }];
  });
}

/** As passed to the gate when the call is executed. */
const toArguments = (input: unknown): JsonObject =>
  isJsonObject(input) ? { ...input } : { input: input ?? null };
