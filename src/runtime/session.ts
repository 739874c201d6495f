/**
 * One session as its host and its agents hold it: an immutable view of what may be seen and called, over the
 * session's ledger. A run is a narrower view of the same session; nothing on a view ever changes, so runs that
 * overlap can't disturb each other.
 */
import {
  type AnswerDecision,
  type Call,
  checkPlan,
  type Decision,
  datasetsOf,
  decideAnswer,
  type HeldDataset,
  hidesTool,
  holdsPrivateData,
  type Label,
  type LabelDeclaration,
  lookUp,
  type Manifest,
  type Permission,
  type PlanCheck,
  type PlannedCall,
  type SessionState,
  type Tool,
} from "../core/index.ts";
import { type AppealGiven, appealRefusal } from "./appeals.ts";
import { type PlanDecision, requestPlan } from "./approvals/plan-approval.ts";
import { type CallDecision, prepareCall } from "./calls/admission.ts";
import { type CallOptions, type CallOutcome, CallPipeline } from "./calls/call-pipeline.ts";
import { digestOf } from "./calls/decide-asked.ts";
import { examinePlan, nextPlanTurn } from "./calls/examine-plan.ts";
import { inspectResult, isWithinLabel } from "./calls/inspect-result.ts";
import { raiseSession } from "./calls/raise-label.ts";
import { type CallContext, type Report, reportCall } from "./calls/run-call.ts";
import { withSession } from "./current-session.ts";
import { sayWords } from "./endorsement/say.ts";
import type { GateContext } from "./gate-context.ts";
import { type Grant, intersectGrants } from "./grant.ts";
import type { Ledger } from "./journal/ledger.ts";
import { assertGiven } from "./option-shapes.ts";
import { toTimestamp } from "./ports/clock.ts";
import type { JournalEntry } from "./ports/store.ts";
import { type ForkOptions, forkSession } from "./runs/fork-session.ts";
import { type PausedRunToken, pauseRun, resumeRun } from "./runs/paused-runs.ts";
import { IMPOSSIBLE_KEY, proposeImpossible } from "./seed-api/report-impossible.ts";
import { listingOf, type ToolListing } from "./tool-listing.ts";
import { assertToolNames } from "./tool-names.ts";
import { type RunOptions, visibleInRun } from "./visibility.ts";

/** What a view is narrowed to. */
export interface Scope {
  readonly permissions?: Grant;
  readonly visible?: ReadonlySet<string>;
}

export class Session {
  readonly #gate: GateContext;
  readonly #ledger: Ledger;
  readonly #scope: Scope;
  readonly #pipeline: CallPipeline;

  constructor(gate: GateContext, ledger: Ledger, scope: Scope = {}) {
    this.#gate = gate;
    this.#ledger = ledger;
    this.#scope = scope;
    this.#pipeline = new CallPipeline({ gate, ledger, scope, session: this });
    Object.freeze(this);
  }

  get id(): string {
    return this.#ledger.session;
  }

  /** The session that holds its label: itself, or the one whose label it shares. Fair shares are counted by it. */
  get labelHolder(): string {
    return this.#ledger.labelHolder;
  }

  /** The state as of the last entry that this process knows of. */
  get state(): SessionState {
    return this.#ledger.state;
  }

  get principal(): string {
    return this.state.principal;
  }

  get role(): string | null {
    return this.state.role;
  }

  get label(): Label {
    return this.state.label;
  }

  /** Whether it holds a level above the lowest, or a category. */
  get private(): boolean {
    return holdsPrivateData(this.state);
  }

  /** Whether results are inspected before they are released. */
  get inspects(): boolean {
    return this.#gate.inspect !== null;
  }

  /** The private data sets that it holds. */
  get datasets(): readonly HeldDataset[] {
    return datasetsOf(this.state);
  }

  /** The tools that this view sees. */
  get tools(): readonly Tool[] {
    return this.listing().tools;
  }

  /** The tool that a name means here, whether it is listed or matches a pattern; null if this view sees none. */
  tool(name: string): Tool | null {
    const { tool, reasons } = this.judge(name);
    return reasons.some(hidesTool) ? null : tool;
  }

  /** What a call of a tool would come to now, as far as the tool's name alone tells. It authorises nothing. */
  judge(name: string): Decision {
    return this.#pipeline.judge({ tool: name });
  }

  /** For hosts that guard tools by name. @throws SluicegateError `invalid-tool` for a name that is misspelt. */
  assertToolNames(names: readonly string[]): void {
    assertToolNames(this.#gate.policy(), names, this.#gate.onFault);
  }

  /** What this view is told, as of now. Changes whenever it sees other tools, or its label does. */
  listing(): ToolListing {
    return listingOf(this.#gate.policy(), this.state, this.#pipeline.standing());
  }

  /** What the agent should know before it starts, as of now. */
  manifest(): Manifest {
    return this.listing().manifest();
  }

  /** The planning constraint for the agent's system prompt. */
  planningPrompt(): string {
    return this.listing().prompt();
  }

  /** Whether the session's final answer may be given to whoever reads it, by the `clearance` of its role. */
  mayAnswer(): AnswerDecision {
    return decideAnswer(this.#gate.policy(), this.state);
  }

  /** Checks a plan from the present state. It authorises nothing. */
  checkPlan(calls: readonly PlannedCall[]): PlanCheck {
    return checkPlan(this.#gate.policy(), this.state, calls, this.#pipeline.standing());
  }

  /**
   * Checks a plan as `checkPlan` does, and asks providers first what the calls would bring in whose arguments are
   * given: a query that reads public columns alone is known to. Runs nothing.
   */
  async examinePlan(calls: readonly PlannedCall[]): Promise<PlanCheck> {
    const examined = await examinePlan(this.#gate, this, calls);
    await nextPlanTurn(this.labelHolder);
    const check = this.checkPlan(examined.map(({ planned }) => planned));
    // What is made of the answer has a turn of its own too.
    await nextPlanTurn(this.labelHolder);
    return check;
  }

  /** Checks a plan and, where it needs a person, asks once for all of it. The same plan again gets the same answer. */
  plan(calls: readonly PlannedCall[]): Promise<PlanDecision> {
    return requestPlan(this.#gate, this.#ledger, this, calls, this.#pipeline.standing());
  }

  /** Brings this view up to what other processes wrote, and to what those were raised by that share its label. */
  async refresh(): Promise<this> {
    await this.#ledger.refresh();
    await this.#ledger.share();
    return this;
  }

  /**
   * Decides calls in the order given, each on what the ones before it left, and admits what is allowed. The
   * answer is durable when it comes. What asks may be held for a person.
   * @throws SluicegateError `unsupported-value` for arguments that have no canonical form, `store-failed` where
   * the journal can't be written; then nothing may run.
   */
  async decide(calls: readonly Call[], options: CallOptions = {}): Promise<readonly CallDecision[]> {
    assertGiven("wait", options);
    const prepared = calls.map((call) => prepareCall(call, options.facts));
    const admitted = await this.#pipeline.decideAll(prepared, options);
    return admitted.map(({ decision }) => decision);
  }

  /**
   * What a call would come to now, for an SDK that pauses before it runs a tool. Nothing is admitted or refused by it:
   * all that is written is the approval that the call asks for. Whoever runs the call decides again, by `call`.
   * @throws SluicegateError as `decide` does.
   */
  async preview(
    call: Call,
    options: Pick<CallOptions, "facts"> = {},
  ): Promise<Pick<CallDecision, "effect" | "class" | "reasons" | "faults" | "approval">> {
    assertGiven("wait", options);
    const { decision } = await this.#pipeline.preview(prepareCall(call, options.facts));
    const { effect, class: refusal, reasons, faults, approval } = decision;
    return { effect, ...(refusal && { class: refusal }), reasons, faults, approval };
  }

  /**
   * Decides a call and, where it is allowed, runs it with the canonical copy of its arguments. An error of the
   * tool is thrown as it came; the session keeps the raise. A call that asks may be held for a person.
   */
  async call<Result, Arguments extends Readonly<Record<string, unknown>>>(
    call: Call & { readonly arguments?: Arguments },
    run: (args: Arguments, context: CallContext) => Result | Promise<Result>,
    options: CallOptions = {},
  ): Promise<CallOutcome<Result>> {
    const prepared = prepareCall(call, options.facts);
    assertGiven("function", run, "run");
    assertGiven("wait", options);
    // A canonical copy of what was given, or what a person made of it: the tool's own schema says what it takes.
    return this.#pipeline.call(prepared, (args, context) => run(args as Arguments, context), options);
  }

  /**
   * Tells how a call ended that the agent ran by itself; what was found in its result only raises.
   * @throws SluicegateError `call-not-found` for a call that this session never admitted, or that has ended; a label
   * that came with it has been raised all the same; `invalid-request` for a label that the policy has no names for.
   */
  async report(report: Report): Promise<void> {
    await reportCall({ gate: this.#gate, ledger: this.#ledger }, report);
  }

  /**
   * The oldest call of this tool with these arguments that was admitted and hasn't ended, for a host that is told
   * what ended and not which call that was; null if there is none.
   * @throws SluicegateError `unsupported-value` for arguments that have no canonical form.
   */
  async runningCall(call: Call): Promise<string | null> {
    await this.#ledger.refresh();
    const { tool } = lookUp(this.#gate.policy(), call.tool);
    const digest = digestOf(this.#gate.admission.digestKey, prepareCall(call).canonical);
    const found = [...this.state.running].find(
      ([, running]) => running.tool === (tool?.id ?? call.tool) && running.arguments === digest,
    );
    return found?.[0] ?? null;
  }

  /**
   * Whether a text that came unasked, such as a server's notice, may be passed on: it raises nothing, so nothing may be
   * found in it that this session's label doesn't cover.
   */
  mayReceiveNotice(text: unknown, tool: string): Promise<boolean> {
    return isWithinLabel({ gate: this.#gate, ledger: this.#ledger }, text, tool);
  }

  /**
   * Looks into a result that came in by another way, of a tool by its identity, and raises the session by what is
   * found. Durable when it resolves.
   */
  async inspect(result: unknown, tool: string): Promise<void> {
    await inspectResult({ gate: this.#gate, ledger: this.#ledger }, result, { callId: null, tool });
  }

  /**
   * Adds what the user said, which endorses what the agent does: for the host that the user talks to, never for an agent
   * or a tool. Durable when it resolves.
   * @throws SluicegateError `session-closed`, `invalid-request` for a fork, `limit-reached`.
   */
  async say(text: string): Promise<void> {
    assertGiven("words", text, "text");
    await sayWords({ gate: this.#gate, ledger: this.#ledger }, text);
  }

  /** Adds a data set that came in by another way. Durable when it resolves. */
  async addDataset(id: string, sensitivity: string | LabelDeclaration): Promise<void> {
    assertGiven("dataset", id, "id");
    const label = typeof sensitivity === "string" ? { level: sensitivity } : sensitivity;
    await raiseSession({ gate: this.#gate, ledger: this.#ledger }, { label, dataset: id, callId: null });
  }

  /**
   * The agent says that its task can't be done: what waits for a person in this session is cancelled. The reason is
   * kept beside the journal. Durable when it resolves.
   */
  async reportImpossible(reason: string): Promise<void> {
    await this.#ledger.commit((state, now) => proposeImpossible(this.id, state, reason, toTimestamp(now)));
  }

  /**
   * The agent says in one sentence why a refused call should run. A person sees it; it grants nothing. Durable when it
   * resolves.
   * @throws SluicegateError `call-not-found` for a call that this session wasn't refused lately, `invalid-request` for a
   * text that isn't one short visible sentence, or the second one on a call, `limit-reached`, `session-closed`.
   */
  async appeal(given: AppealGiven): Promise<void> {
    await appealRefusal({ ledger: this.#ledger }, given);
  }

  /** What the agent gave as the reason that its task can't be done; null if it said no such thing. */
  async impossible(): Promise<string | null> {
    return this.state.impossible === null ? null : this.#gate.store.kept(this.id, IMPOSSIBLE_KEY);
  }

  /** Runs with a narrower view: what its visibility policy leaves, and what it is granted. */
  async run<Result, Context = unknown>(
    options: RunOptions<Context>,
    run: (view: Session) => Result | Promise<Result>,
  ): Promise<Result> {
    assertGiven("run", options);
    assertGiven("function", run, "run");
    const { permissions } = options;
    const visible = (await visibleInRun(this.#gate.policy(), this, options)) ?? this.#scope.visible;
    const granted =
      permissions === undefined
        ? this.#scope.permissions
        : intersectGrants(this.#scope.permissions, permissions);
    const view = new Session(this.#gate, this.#ledger, {
      ...(visible && { visible }),
      ...(granted && { permissions: granted }),
    });
    return withSession(view, () => run(view));
  }

  /**
   * Opens a fork: a new session of the same principal and role that starts with this one's label, and has no tool
   * that this view hasn't. Durable when it resolves.
   * @throws SluicegateError `policy-invalid` for a tool policy that can't be, `session-closed`.
   */
  async fork(options: ForkOptions = {}): Promise<Session> {
    const { permissions, visible } = this.#scope;
    const granted = permissions && [...(await this.#resolve(permissions))];
    const ledger = await forkSession({ gate: this.#gate, ledger: this.#ledger, visible, granted }, options);
    return new Session(this.#gate, ledger, permissions ? { permissions } : {});
  }

  /** What this view is granted at this moment; null if nothing but its role and its session say so. */
  async granted(): Promise<readonly Permission[] | null> {
    const { permissions } = this.#scope;
    if (permissions === undefined) return null;
    // One that throws grants nothing, as when a call is decided.
    return this.#resolve(permissions).then(
      (granted) => [...granted],
      () => [],
    );
  }

  async #resolve(grant: Grant): Promise<Iterable<Permission>> {
    return typeof grant === "function" ? withSession(this, grant) : grant;
  }

  /**
   * Keeps what a paused run needs to go on, beside the journal, and gives the token that resumes it once. By default
   * for twice as long as an approval waits, since an approval can be used for as long again.
   * @throws SluicegateError `limit-reached` for more than is kept.
   */
  pauseRun(kept: string, seconds?: number): Promise<PausedRunToken> {
    const { admission, policy } = this.#gate;
    const waits = admission.approvalSeconds ?? policy().approvals.expiresSeconds;
    return pauseRun(this.#gate, this.#ledger, kept, seconds ?? 2 * waits);
  }

  /** Uses a token up and gives what was kept. @throws SluicegateError `run-not-found` */
  resumeRun(token: string): Promise<string> {
    return resumeRun(this.#gate, this.#ledger, token);
  }

  /** Entries of the session's journal after `after` (0: from the first), at most `limit`. */
  async journal(after = 0, limit = 1000): Promise<readonly JournalEntry[]> {
    await this.flush();
    return this.#gate.store.read(this.id, after, limit);
  }

  /** Resolves when all that was queued is durable. */
  async flush(): Promise<void> {
    await this.#ledger.commit(() => ({ events: [], value: undefined }));
  }
}
