/**
 * A session for its host and its agents: an immutable view of what can be seen and called, over the session's ledger.
 * A run is a narrower view of the same session. Views never change, so overlapping runs can't disturb each other.
 */
import {
  type AnswerDecision,
  type Call,
  checkInStages,
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
import { inTurns } from "../threads/index.ts";
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
import { closedSession, type ForkOptions, forkSession } from "./runs/fork-session.ts";
import { type PausedRunToken, pauseRun, resumeRun } from "./runs/paused-runs.ts";
import { IMPOSSIBLE_KEY, proposeImpossible } from "./seed-api/report-impossible.ts";
import { listingOf, type ToolListing } from "./tool-listing.ts";
import { assertToolNames } from "./tool-names.ts";
import { type RunOptions, visibleInRun } from "./visibility.ts";

/** The restrictions of a view. */
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

  /** The session that holds its label: itself, or the one whose label it shares. Limits count by it. */
  get labelHolder(): string {
    return this.#ledger.labelHolder;
  }

  /** The state as of the last entry known to this process. */
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

  /** The private data sets that the session holds. */
  get datasets(): readonly HeldDataset[] {
    return datasetsOf(this.state);
  }

  /** The tools that this view sees. */
  get tools(): readonly Tool[] {
    return this.listing().tools;
  }

  /** The tool that a name means in this view, listed or matched by a pattern; null if there is none. */
  tool(name: string): Tool | null {
    const { tool, reasons } = this.judge(name);
    return reasons.some(hidesTool) ? null : tool;
  }

  /**
   * The decision that a call of a tool would get now, as far as it depends on the tool alone. It authorises nothing.
   */
  judge(name: string): Decision {
    return this.#pipeline.judge({ tool: name });
  }

  /** Whether an operator has frozen calls of a tool or method, by its identity. @throws SluicegateError `store-failed` */
  isFrozen(id: string): Promise<boolean> {
    return this.#pipeline.isFrozen(id);
  }

  /** For hosts that guard tools by name. @throws SluicegateError `invalid-tool` for a misspelt name. */
  assertToolNames(names: readonly string[]): void {
    assertToolNames(this.#gate.policy(), names, this.#gate.onFault);
  }

  /** What this view's agent is told now. It changes with the visible tools and the label. */
  listing(): ToolListing {
    return listingOf(this.#gate.policy(), this.state, this.#pipeline.standing());
  }

  /** What the agent should know before it starts, as of now. */
  manifest(): Manifest {
    return this.listing().manifest();
  }

  /** The constraints for the agent's system prompt. */
  planningPrompt(): string {
    return this.listing().prompt();
  }

  /** Whether the session's final answer may be passed on, by the `clearance` of its role. */
  mayAnswer(): AnswerDecision {
    return decideAnswer(this.#gate.policy(), this.state);
  }

  /** Checks a plan from the present state. It authorises nothing. */
  checkPlan(calls: readonly PlannedCall[]): PlanCheck {
    return checkPlan(this.#gate.policy(), this.state, calls, this.#pipeline.present());
  }

  /**
   * Checks a plan as `checkPlan` does, and first asks providers about the calls with arguments: so a query that reads
   * only public columns is known to be public. Runs nothing.
   */
  async examinePlan(calls: readonly PlannedCall[]): Promise<PlanCheck> {
    const examined = await examinePlan(this.#gate, this, calls);
    await this.#pipeline.readFreezes();
    await nextPlanTurn(this);
    const planned = examined.map((call) => call.planned);
    return inTurns(this, checkInStages(this.#gate.policy(), this.state, planned, this.#pipeline.present()));
  }

  /**
   * Checks a plan and, if it needs approval, requests one for all of it. The same plan again gets the same answer.
   */
  async plan(calls: readonly PlannedCall[]): Promise<PlanDecision> {
    await this.#pipeline.readFreezes();
    return requestPlan(this.#gate, this.#ledger, this, calls, () => this.#pipeline.present());
  }

  /** Loads what other processes wrote, and raises of sessions that share the label. */
  async refresh(): Promise<this> {
    await this.#ledger.refresh();
    await this.#ledger.share();
    return this;
  }

  /**
   * Decides calls in the given order, each on the state that the earlier ones left, and admits those that are
   * allowed. The decisions are durable when it resolves. A call may wait for its approval.
   * @throws SluicegateError `unsupported-value` for arguments that have no canonical form, `store-failed` if the
   *   journal can't be written; then nothing may run.
   */
  async decide(calls: readonly Call[], options: CallOptions = {}): Promise<readonly CallDecision[]> {
    assertGiven("wait", options);
    const prepared = calls.map((call) => prepareCall(call, options.facts));
    const admitted = await this.#pipeline.decideAll(prepared, options);
    return admitted.map(({ decision }) => decision);
  }

  /**
   * The decision that a call would get now, for an SDK that pauses before it runs a tool. It admits and refuses
   * nothing, and writes only the approval that it requests. To run the call, use `call`, which decides again.
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
   * Decides a call and, if it is allowed, runs it with the canonical copy of its arguments. An error of the tool is
   * thrown unchanged; the session keeps the raise. A call may wait for its approval.
   */
  async call<Result, Arguments extends Readonly<Record<string, unknown>>>(
    call: Call & { readonly arguments?: Arguments },
    run: (args: Arguments, context: CallContext) => Result | Promise<Result>,
    options: CallOptions = {},
  ): Promise<CallOutcome<Result>> {
    const prepared = prepareCall(call, options.facts);
    assertGiven("function", run, "run");
    assertGiven("wait", options);
    // A canonical copy, possibly changed by a person: the tool's own schema validates it.
    return this.#pipeline.call(prepared, (args, context) => run(args as Arguments, context), options);
  }

  /**
   * Reports the end of a call that the agent ran itself. Its result can only raise the label.
   * @throws SluicegateError `call-not-found` for a call that this session never admitted, or that has ended (the
   *   label is raised nevertheless); `invalid-request` for a label that the policy doesn't have.
   */
  async report(report: Report): Promise<void> {
    await reportCall({ gate: this.#gate, ledger: this.#ledger }, report);
  }

  /**
   * The oldest running call of this tool with these arguments, for a host that learns what ended but not which call
   * that was; null if there is none.
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
   * Whether an unsolicited text, such as a server's notice, may be passed on: it must not raise the label, so the
   * label must cover all findings in it.
   */
  mayReceiveNotice(text: unknown, tool: string): Promise<boolean> {
    return isWithinLabel({ gate: this.#gate, ledger: this.#ledger }, text, tool);
  }

  /**
   * Inspects a result that came from elsewhere, for a tool by its identity, and raises the session by the findings.
   * Durable when it resolves.
   */
  async inspect(result: unknown, tool: string): Promise<void> {
    await inspectResult({ gate: this.#gate, ledger: this.#ledger }, result, { callId: null, tool });
  }

  /**
   * Adds what the user said, which endorses what the agent does: for the host that the user talks to, never for an
   * agent or a tool. Durable when it resolves.
   * @throws SluicegateError `session-closed`, `invalid-request` for a fork, `limit-reached`.
   */
  async say(text: string): Promise<void> {
    assertGiven("words", text, "text");
    await sayWords({ gate: this.#gate, ledger: this.#ledger }, text);
  }

  /** Adds a data set that came in outside a tool. Durable when it resolves. */
  async addDataset(id: string, sensitivity: string | LabelDeclaration): Promise<void> {
    assertGiven("dataset", id, "id");
    const label = typeof sensitivity === "string" ? { level: sensitivity } : sensitivity;
    await raiseSession({ gate: this.#gate, ledger: this.#ledger }, { label, dataset: id, callId: null });
  }

  /**
   * The agent reports that its task can't be done: the session's pending approvals are cancelled. The reason is
   * stored beside the journal. Durable when it resolves.
   */
  async reportImpossible(reason: string): Promise<void> {
    await this.#ledger.commit((state, now) => {
      if (state.closed) throw closedSession();
      return proposeImpossible(this.id, state, reason, toTimestamp(now));
    });
  }

  /**
   * The agent says in one sentence why a refused call should run. A person sees it; it grants nothing. Durable when
   * it resolves.
   * @throws SluicegateError `call-not-found` for a call without a recent refusal in this session, `invalid-request`
   *   for a text that isn't one short visible sentence, or for a second one about the same call, `limit-reached`,
   *   `session-closed`.
   */
  async appeal(given: AppealGiven): Promise<void> {
    await appealRefusal({ ledger: this.#ledger }, given);
  }

  /** The agent's reason that its task can't be done; null if it reported none. */
  async impossible(): Promise<string | null> {
    return this.state.impossible === null ? null : this.#gate.store.kept(this.id, IMPOSSIBLE_KEY);
  }

  /**
   * Runs with a narrower view: with the tools that its visibility policy leaves, and the permissions that it is
   * granted.
   */
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
   * Opens a fork: a new session of the same principal and role that starts with this one's label and has at most this
   * view's tools. Durable when it resolves.
   * @throws SluicegateError `policy-invalid` for an invalid tool policy, `session-closed`.
   */
  async fork(options: ForkOptions = {}): Promise<Session> {
    const { permissions, visible } = this.#scope;
    const granted = permissions && [...(await this.#resolve(permissions))];
    const ledger = await forkSession({ gate: this.#gate, ledger: this.#ledger, visible, granted }, options);
    return new Session(this.#gate, ledger, permissions ? { permissions } : {});
  }

  /** The permissions granted to this view now; null if only its role and its session restrict them. */
  async granted(): Promise<readonly Permission[] | null> {
    const { permissions } = this.#scope;
    if (permissions === undefined) return null;
    // A function that throws grants nothing, as in a decision.
    return this.#resolve(permissions).then(
      (granted) => [...granted],
      () => [],
    );
  }

  async #resolve(grant: Grant): Promise<Iterable<Permission>> {
    return typeof grant === "function" ? withSession(this, grant) : grant;
  }

  /**
   * Stores what a paused run needs to continue, beside the journal, and returns the token that resumes it once. By
   * default for twice as long as an approval can be answered, since an approval can be used for as long again.
   * @throws SluicegateError `limit-reached` if it is too long.
   */
  pauseRun(kept: string, seconds?: number): Promise<PausedRunToken> {
    const { admission, policy } = this.#gate;
    const waits = admission.approvalSeconds ?? policy().approvals.expiresSeconds;
    return pauseRun(this.#gate, this.#ledger, kept, seconds ?? 2 * waits);
  }

  /** Uses a token and returns what was stored. @throws SluicegateError `run-not-found` */
  resumeRun(token: string): Promise<string> {
    return resumeRun(this.#gate, this.#ledger, token);
  }

  /** Entries of the session's journal after `after` (0: from the first), at most `limit`. */
  async journal(after = 0, limit = 1000): Promise<readonly JournalEntry[]> {
    await this.flush();
    return this.#gate.store.read(this.id, after, limit);
  }

  /** Resolves when all queued entries are durable. */
  async flush(): Promise<void> {
    await this.#ledger.commit(() => ({ events: [], value: undefined }));
  }
}
