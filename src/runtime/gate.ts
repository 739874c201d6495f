/**
 * The gate: one policy, one store, any number of sessions. It opens and finds sessions, and keeps the ledgers of
 * those in use. Its memory is only a cache of the store.
 */

import { createSecretKey } from "node:crypto";
import { fromLimit, lookUp, type Policy, type ToolPolicy, tighten, toLimit } from "../core/index.ts";
import {
  type Answer,
  type AnsweredApproval,
  type ApprovalContext,
  answerApproval,
  offerStanding,
} from "./approvals/answer-approval.ts";
import { AnswerWatch } from "./approvals/answer-watch.ts";
import { FoldedApprovals } from "./approvals/folded-approvals.ts";
import type { StandingOffer, StandingRequest } from "./approvals/give-standing.ts";
import type { EndedApproval } from "./approvals/kept-approvals.ts";
import {
  denyDeparted,
  type ListOptions,
  pendingApprovals,
  readApproval,
  recordShown,
  type WaitingApproval,
} from "./approvals/pending-approvals.ts";
import { RequestedApprovals } from "./approvals/requested-approvals.ts";
import { type ListedStanding, StandingApprovals } from "./approvals/standing-approvals.ts";
import { checkingFacts, gatherFacts, toCallView } from "./calls/call-facts.ts";
import { OpenCalls } from "./calls/open-calls.ts";
import { currentCall } from "./current-session.ts";
import { wordsSaid } from "./endorsement/say.ts";
import { WordTokens } from "./endorsement/words.ts";
import { type Freeze, type FreezeRequest, Freezes } from "./freezes.ts";
import type { GateContext } from "./gate-context.ts";
import { unknownRole, unknownSession } from "./gate-errors.ts";
import { type GateOptions, OPERATOR, type OpenOptions } from "./gate-options.ts";
import { toPermissions } from "./grant.ts";
import { GATEWAY_CHAIN } from "./journal/gateway-chain.ts";
import { Ledger } from "./journal/ledger.ts";
import { Ledgers } from "./journal/ledgers.ts";
import { type StoreReport, verifyStore } from "./journal/verify-store.ts";
import { assertGiven } from "./option-shapes.ts";
import { StoreClock, systemClock, toTimestamp } from "./ports/clock.ts";
import { createId, systemRandom } from "./ports/random.ts";
import type { FeedEntry, Store } from "./ports/store.ts";
import { closeSession } from "./runs/close-session.ts";
import { closedSession, TASK_KEY } from "./runs/fork-session.ts";
import { Session } from "./session.ts";
import { assertServer, toIdentity } from "./tool-names.ts";

export interface Gate {
  /** The policy in force. */
  readonly policy: Policy;
  /** Replaces the policy; sessions keep their labels. */
  usePolicy(policy: Policy): void;
  /** Calls the listener when the policy was replaced. Returns a function that ends this. */
  watchPolicy(listener: () => void): () => void;
  /** Opens a clean session. */
  open(options?: OpenOptions): Promise<Session>;
  /** The session with this id, as the store has it now; null if there is none. */
  session(id: string): Promise<Session | null>;
  /**
   * The session that a principal falls back to, for all calls that name none. It is opened with these options at
   * first use; an existing one stays as it is.
   */
  sticky(principal: string, options?: Omit<OpenOptions, "principal">): Promise<Session>;
  /** Closes a session and opens a clean one with the same principal and role. */
  reset(id: string): Promise<Session>;
  /** The user's own words for a session; null if there were none. */
  task(id: string): Promise<string | null>;
  /**
   * Pending approvals, as many as fit into a list: the first of each label holder, then the second of each, and so
   * on. `offset` skips some. With `firstOnly`, only the first of each session. With truncated texts, many more fit.
   */
  pendingApprovals(options?: ListOptions): Promise<readonly WaitingApproval[]>;
  /**
   * One approval, or its outcome; `fold` truncates its texts to this length.
   * @throws SluicegateError `approval-not-found`
   */
  approval(id: string, options?: { readonly fold?: number }): Promise<WaitingApproval | EndedApproval>;
  /** Records once that an approval was shown to somebody who may answer it. */
  recordShown(approval: Pick<WaitingApproval, "id" | "session">, via: string): Promise<void>;
  /**
   * Answers an approval: the first answer counts, and an approval admits exactly that call once. Durable when it
   * resolves.
   * @throws SluicegateError `approval-not-found`, `approval-settled` with the earlier outcome, or `forbidden` if the
   *   policy doesn't allow this channel.
   */
  answerApproval(id: string, given: Answer): Promise<AnsweredApproval>;
  /** Denies all approvals whose caller was here and has been gone for a minute; returns their ids. */
  denyDeparted(given: Omit<Answer, "answer">): Promise<readonly string[]>;
  /**
   * What an approval with `standing` would also admit, in words. Changes nothing.
   * @throws SluicegateError as `answerApproval` does
   */
  offerStanding(id: string, standing: StandingRequest): Promise<StandingOffer>;
  /** The standing approvals in force, with their uses. */
  standingApprovals(): Promise<readonly ListedStanding[]>;
  /** Revokes a standing approval: once resolved, it admits no call. @throws SluicegateError `approval-not-found` */
  revokeStandingApproval(id: string, by: string): Promise<ListedStanding>;
  /**
   * Freezes everything, or all calls of one principal, session, server or tool: here at once, in other gateways
   * within a second. Running calls are stopped too. Durable when it resolves.
   * @throws SluicegateError `invalid-request`, `invalid-tool`, `session-not-found`
   */
  freeze(request: FreezeRequest): Promise<Freeze>;
  /** Ends a freeze. @throws SluicegateError `not-found` */
  unfreeze(id: string, by: string): Promise<Freeze>;
  /** The freezes in force, the oldest first. */
  freezes(): Promise<readonly Freeze[]>;
  /**
   * Sets the clock to the time of the store's newest entry, whichever process wrote it. A process that answers other
   * processes' approvals must call it about every second.
   */
  catchUp(): Promise<void>;
  /** Verifies every chain, and runs the store's own checks. */
  verify(): Promise<StoreReport>;
  /** Entries of all sessions after a position. */
  feed(after: number, limit?: number): Promise<readonly FeedEntry[]>;
  /** Calls the listener once entries are durable. Returns a function that ends this. */
  watch(listener: (entries: readonly FeedEntry[]) => void): () => void;
  /** The calls that run here, to wait for them or to begin no more. */
  readonly calls: OpenCalls;
  /** Ends the open calls, waits for queued entries, then closes the store. */
  close(): Promise<void>;
}

/** A gate over a store. */
export function createGate(options: GateOptions): Gate {
  return new StoreGate(options);
}

class StoreGate implements Gate {
  readonly #store: Store;
  readonly #clock: StoreClock;
  readonly #limit: ToolPolicy | undefined;
  readonly #context: GateContext;
  readonly #approvals: ApprovalContext;
  readonly #ledgers: Ledgers;
  readonly #policyWatchers = new Set<{ readonly call: () => void }>();
  #policy: Policy;

  constructor(options: GateOptions) {
    assertGiven("gate", options);
    const { random = systemRandom, onFault = () => {} } = options;
    this.#store = options.store;
    this.#clock = new StoreClock(options.store, options.clock ?? systemClock);
    this.#limit = options.toolPolicy;
    this.#ledgers = new Ledgers(
      options.mostInMemory ?? 10_000,
      (session) => new Ledger({ ...this.#context, session }),
    );
    this.#policy = this.#limited(options.policy);
    const digestKey = createSecretKey(options.digestKey ?? random(32));
    this.#context = {
      store: options.store,
      ledgerOf: (session) => this.#ledgers.of(session),
      policy: () => this.#policy,
      admission: {
        random,
        digestKey,
        words: new WordTokens(digestKey),
        approvalSeconds: options.approvalSeconds,
        mostPending: options.mostPending ?? 100,
        requested: new RequestedApprovals(),
      },
      answers: new AnswerWatch(options.store),
      standing: new StandingApprovals({
        store: options.store,
        clock: this.#clock,
        policy: () => this.#policy,
        digestKey,
      }),
      clock: this.#clock,
      freezes: new Freezes({
        store: options.store,
        clock: this.#clock,
        random,
        policyVersion: () => this.#policy.version,
        onFault,
      }),
      facts: options.facts ? checkingFacts(options.facts, onFault) : () => ({}),
      inspect: options.inspect ?? null,
      onFault,
      openCalls: new OpenCalls({
        store: options.store,
        ledgerOf: (session) => this.#ledgers.of(session),
        runner: options.runner,
        onDrain: () => this.#context.answers.close(),
      }),
    };
    this.#approvals = {
      store: options.store,
      ledgerOf: (session) => this.#ledgers.of(session),
      policy: () => this.#policy,
      shown: new Set(),
      folded: new FoldedApprovals(options.store),
      callers: this.#context.answers,
      admission: this.#context.admission,
      standing: this.#context.standing,
      factsOf: (ledger, call) => {
        const view = toCallView(new Session(this.#context, ledger));
        const { lattice } = this.#policy;
        return gatherFacts({}, { lattice, ask: [(known) => this.#context.facts(call, view, known)] });
      },
    };
  }

  get policy(): Policy {
    return this.#policy;
  }

  usePolicy(policy: Policy): void {
    assertGiven("policy", policy, "policy");
    this.#policy = this.#limited(policy);
    for (const { call } of [...this.#policyWatchers]) call();
  }

  watchPolicy(listener: () => void): () => void {
    const watcher = { call: listener };
    this.#policyWatchers.add(watcher);
    return () => void this.#policyWatchers.delete(watcher);
  }

  async open(options: OpenOptions = {}): Promise<Session> {
    assertGiven("open", options);
    const { principal = OPERATOR, role = null, task, tools, toolPolicies: limits = [] } = options;
    const permissions = options.permissions === undefined ? null : toPermissions(options.permissions);
    for (const limit of limits) toLimit(limit);
    if (role !== null && !this.#policy.roles.has(role))
      throw unknownRole(role, [...this.#policy.roles.keys()]);
    const ids =
      tools === undefined ? null : tools.flatMap((name) => lookUp(this.#policy, name).tool?.id ?? []);
    const ledger = this.#ledgers.of(createId("sess", this.#context.admission.random));
    await ledger.commit(
      () => ({
        events: [
          {
            kind: "session-opened",
            principal,
            role,
            tools: ids,
            task: task !== undefined,
            ...(limits.length > 0 && { limits }),
            ...(permissions && { permissions }),
          },
          // THREAT: the task of a session that a tool opens was written by an agent.
          ...wordsSaid(
            this.#policy,
            this.#context.admission.words,
            currentCall() === null ? (task ?? "") : "",
          ),
        ],
        keep: task === undefined ? [] : [{ key: TASK_KEY, value: task }],
        value: undefined,
      }),
      { opener: principal },
    );
    return new Session(this.#context, ledger);
  }

  async session(id: string): Promise<Session | null> {
    if (id === GATEWAY_CHAIN) return null;
    const ledger = this.#ledgers.of(id);
    if (await ledger.refresh()) {
      await ledger.share();
      return new Session(this.#context, ledger);
    }
    this.#ledgers.delete(id);
    return null;
  }

  async sticky(principal: string, options: Omit<OpenOptions, "principal"> = {}): Promise<Session> {
    const held = await this.#store.sticky(principal);
    const session = held === null ? null : await this.session(held);
    if (session && !session.state.closed) return session;
    const opened = await this.open({ ...options, principal });
    if (await this.#store.stick(principal, opened.id, held)) return opened;
    const first = await this.sticky(principal, options);
    // Another caller was faster, and nobody knows this session yet.
    await this.#ledgers.of(opened.id).commit(() => ({
      events: [{ kind: "session-closed", reason: "reset", successor: first.id }],
      value: undefined,
    }));
    return first;
  }

  async reset(id: string): Promise<Session> {
    const session = await this.session(id);
    if (!session) throw unknownSession();
    const { principal, role, state } = session;
    if (state.closed) throw closedSession();
    const successor = await this.open({
      principal,
      // If the role no longer exists, this is an error: without a role, the new session would have more
      // rights.
      ...(role !== null && { role }),
      ...(state.tools && { tools: [...state.tools] }),
      toolPolicies: state.limits.map(fromLimit),
      ...(state.permissions && { permissions: state.permissions }),
    });
    await closeSession(this.#ledgers.of(id), successor.id);
    if ((await this.#store.sticky(principal)) === id) await this.#store.stick(principal, successor.id, id);
    return successor;
  }

  task(id: string): Promise<string | null> {
    return this.#store.kept(id, TASK_KEY);
  }

  async pendingApprovals(options: ListOptions = {}): Promise<readonly WaitingApproval[]> {
    await this.#clock.catchUp();
    return pendingApprovals(this.#approvals, toTimestamp(this.#clock.now()), options);
  }

  async approval(id: string, { fold = 0 } = {}): Promise<WaitingApproval | EndedApproval> {
    await this.#clock.catchUp();
    return readApproval(this.#approvals, id, toTimestamp(this.#clock.now()), fold);
  }

  recordShown(approval: Pick<WaitingApproval, "id" | "session">, via: string): Promise<void> {
    return recordShown(this.#approvals, approval, via);
  }

  answerApproval(id: string, given: Answer): Promise<AnsweredApproval> {
    return answerApproval(this.#approvals, id, given);
  }

  async denyDeparted(given: Omit<Answer, "answer">): Promise<readonly string[]> {
    await this.#clock.catchUp();
    return denyDeparted(this.#approvals, toTimestamp(this.#clock.now()), given);
  }

  offerStanding(id: string, standing: StandingRequest): Promise<StandingOffer> {
    return offerStanding(this.#approvals, id, standing, this.#clock.now());
  }

  standingApprovals(): Promise<readonly ListedStanding[]> {
    return this.#context.standing.list();
  }

  revokeStandingApproval(id: string, by: string): Promise<ListedStanding> {
    return this.#context.standing.revoke(id, by);
  }

  async freeze(request: FreezeRequest): Promise<Freeze> {
    assertGiven("freeze", request);
    const { server, tool, session } = request;
    if (session !== undefined && (await this.session(session)) === null) throw unknownSession();
    if (server !== undefined) assertServer(this.#policy, server);
    return this.#context.freezes.freeze({
      ...request,
      ...(tool !== undefined && { tool: toIdentity(this.#policy, tool) }),
    });
  }

  unfreeze(id: string, by: string): Promise<Freeze> {
    return this.#context.freezes.unfreeze(id, by);
  }

  async freezes(): Promise<readonly Freeze[]> {
    await this.#context.freezes.refresh();
    return this.#context.freezes.known;
  }

  verify(): Promise<StoreReport> {
    return verifyStore(this.#store);
  }

  catchUp(): Promise<void> {
    return this.#clock.catchUp();
  }

  feed(after: number, limit = 1000): Promise<readonly FeedEntry[]> {
    return this.#store.feed(after, limit);
  }

  watch(listener: (entries: readonly FeedEntry[]) => void): () => void {
    return this.#store.watch(listener);
  }

  get calls(): OpenCalls {
    return this.#context.openCalls;
  }

  async close(): Promise<void> {
    await this.#context.openCalls.endOwn().catch(this.#context.onFault);
    this.#context.freezes.close();
    await this.#ledgers.settled();
    await this.#store.close();
  }

  #limited(policy: Policy): Policy {
    return this.#limit !== undefined ? tighten(policy, this.#limit) : policy;
  }
}
