/**
 * The only path of a call, whoever makes it: prepare (`prepareCall`: a canonical copy), examine (`gatherFacts`),
 * admit (`admitCall`, in the ledger's queue; a call that needs approval waits here for the answer), run, inspect,
 * finish (`runCall`; for a call that runs elsewhere `reportCall`).
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type Call,
  type Decision,
  decide,
  type Facts,
  type Label,
  MAX_CONDITION_STEPS,
  Meter,
  type Policy,
  type SessionState,
  sameLabel,
  waitingAt,
} from "../../core/index.ts";
import { nextTurnOf } from "../../threads/index.ts";
import { readEditedCall } from "../approvals/edit-approval.ts";
import { StandingSnapshot } from "../approvals/standing-approvals.ts";
import { withSession } from "../current-session.ts";
import type { FreezableCall } from "../freezes.ts";
import type { GateContext } from "../gate-context.ts";
import type { Ledger, Proposal } from "../journal/ledger.ts";
import { toTimestamp } from "../ports/clock.ts";
import type { Scope, Session } from "../session.ts";
import { admitCall, type CallDecision, type PreparedCall } from "./admission.ts";
import {
  checkingFacts,
  type GatheredFacts,
  type GatherFacts,
  gatherFacts,
  toCallView,
} from "./call-facts.ts";
import { withRepeat } from "./repeated-refusals.ts";
import { type CallContext, runCall } from "./run-call.ts";
import { waitForApproval } from "./wait-for-approval.ts";

/** Calls of a batch whose facts are gathered in one turn of the event loop. */
const FACTS_PER_TURN = 64;

/** How a call is decided, and how long it may wait for an approval. */
export interface CallOptions {
  /** Facts in addition to the gate's own `facts`. Called at each decision. */
  readonly facts?: GatherFacts;
  /** How long a call waits for its approval; left out, it doesn't wait. */
  readonly waitSeconds?: number;
  /** Aborted when the caller has gone; then the call isn't run. */
  readonly signal?: AbortSignal;
  /** Ends the wait; the caller gets the decision as it is then. */
  readonly stop?: AbortSignal;
  /** Called once when the wait begins, with the decision. */
  readonly onWaiting?: (decision: CallDecision) => void;
}

/** A decision that was written, and its basis. */
export interface Decided {
  readonly decision: CallDecision;
  /** The identity of the tool; the name as given if it means no tool. */
  readonly tool: string;
  readonly facts: GatheredFacts;
  /** What the call brings in, if it was admitted. */
  readonly source: Label | null;
  readonly policy: Policy;
  /** The arguments that were decided on: the agent's, or a person's. */
  readonly arguments: PreparedCall["arguments"];
  readonly editedBy?: string;
  readonly isVoidEdit?: true;
  readonly needsStanding?: true;
}

/** The decision on a call, and the result if it ran. */
export type CallOutcome<Result> =
  | (CallDecision & { readonly effect: "allow"; readonly result: Result })
  | (CallDecision & { readonly effect: "ask" | "deny" });

interface PipelineParts {
  readonly gate: GateContext;
  readonly ledger: Ledger;
  readonly scope: Scope;
  /** The view that makes the calls. */
  readonly session: Session;
}

interface WritingOptions {
  readonly unless?: Unless;
  /** The standing approvals; if left out, a call that needs approval is decided again with them. */
  readonly standing?: StandingSnapshot;
}

interface DecisionMoment {
  readonly state: SessionState;
  readonly now: Date;
  readonly standing: StandingSnapshot | undefined;
}

/** Characters of arguments that take most of a turn. */
const LARGE_CALL = 256 * 1024;

/** Returns the earlier decision if the caller has gone meanwhile, so that nothing more is decided for it. */
type Unless = () => Decided | null;

export class CallPipeline {
  readonly #parts: PipelineParts;
  /** The sessions that this one was forked from; null until they are looked up, and if there is none. */
  #parents: readonly string[] | null = null;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /** Decides a call and, if it is allowed, runs it on the copy that was decided on. */
  async call<Result>(
    call: PreparedCall,
    run: (args: PreparedCall["arguments"], context: CallContext) => Result | Promise<Result>,
    options: CallOptions,
  ): Promise<CallOutcome<Result>> {
    const { openCalls } = this.#parts.gate;
    return openCalls.during(async () => {
      const prepared = { ...openCalls.sign(call), runsEdited: true } as const;
      const { decision, tool, facts, source, arguments: args } = await this.decide(prepared, options);
      const { callId, effect } = decision;
      if (effect !== "allow") return { ...decision, effect };
      const { examined = null, definition = null } = facts;
      const admitted = { callId, tool, examined, definition, source, arguments: args };
      const freezable = { ...(await this.#freezable()), tool };
      const result = await this.#parts.gate.freezes.whileThawed(
        freezable,
        (signal) => runCall(this.#parts, admitted, (context) => run(args, context), signal),
        options.signal,
      );
      // Inspection may have raised the label further.
      return { ...decision, effect, label: this.#parts.ledger.state.label, result };
    });
  }

  /** Decides one call, and waits if it needs approval. */
  async decide(call: PreparedCall, options: CallOptions): Promise<Decided> {
    return this.#hold(call, await this.#decideNow(call), options);
  }

  /** The decision that a call would get now. Writes nothing except the approval that it requests. */
  preview(call: PreparedCall): Promise<Decided> {
    return this.#decideNow({ ...call, isPreview: true, runsEdited: true });
  }

  /** The decision on a call without any facts about it. */
  judge(call: Call): Decision {
    return decide(this.#parts.gate.policy(), this.#parts.ledger.state, call, this.standing());
  }

  /** Decides calls in the given order, each on the state that the earlier ones left. */
  async decideAll(calls: readonly PreparedCall[], options: CallOptions): Promise<readonly Decided[]> {
    const [only] = calls;
    if (calls.length === 1 && only) return [await this.decide(only, options)];
    if (typeof this.#parts.scope.permissions === "function") {
      // A grant function must see the effects of earlier calls.
      const decided: Decided[] = [];
      for (const call of calls) decided.push(await this.decide(call, options));
      return decided;
    }
    // All are decided in one turn of the event loop, so their conditions share one limit.
    const meter = new Meter(MAX_CONDITION_STEPS);
    const facts: Facts[] = [];
    for (let at = 0; at < calls.length; at += FACTS_PER_TURN) {
      if (at > 0) await nextTurn();
      const some = calls.slice(at, at + FACTS_PER_TURN);
      facts.push(...(await Promise.all(some.map(async (call) => ({ ...(await this.#facts(call)), meter })))));
    }
    const standing = await this.#readStanding();
    // Queued in the same turn, so they are written together and in order.
    return Promise.all(
      calls.map(async (call, index) => {
        const decided = await this.#write(call, facts[index] ?? {}, { standing });
        return this.#hold(call, decided.needsStanding ? await this.#decideNow(call) : decided, options);
      }),
    );
  }

  /** Who makes these calls, with the sessions that this one was forked from: those never change. */
  async #freezable(): Promise<Omit<FreezableCall, "tool">> {
    const { gate, ledger } = this.#parts;
    const parents: string[] = [];
    for (let { parent } = ledger.state; parent !== null && this.#parents === null; ) {
      parents.push(parent);
      const above = gate.ledgerOf(parent);
      await above.refresh();
      parent = above.state.parent;
    }
    if (parents.length > 0) this.#parents ??= parents;
    return this.#freezableNow();
  }

  #freezableNow(): Omit<FreezableCall, "tool"> {
    const { ledger } = this.#parts;
    const sessions = [ledger.session, ...(this.#parents ?? [])];
    return { principal: ledger.state.principal, sessions };
  }

  /** The facts that are the same for every call of this view. */
  standing(): Facts {
    const { visible, permissions } = this.#parts.scope;
    return {
      ...(visible && { visible }),
      ...(permissions && typeof permissions !== "function" && { granted: [...permissions] }),
    };
  }

  /** Decides a call, or the call as a person changed it. */
  async #decideNow(call: PreparedCall, unless?: Unless): Promise<Decided> {
    const decided = await this.#decideGiven(call, unless);
    if (decided.editedBy === undefined) return decided;
    const { gate, ledger } = this.#parts;
    const edited = await readEditedCall(gate.store, ledger.session, decided.editedBy, call);
    const changed = edited && (await this.#decideGiven(edited, unless));
    if (changed && !changed.isVoidEdit) return changed;
    return this.#decideGiven({ ...call, ignoresEdits: true }, unless);
  }

  /** The standing approvals are read only for a call that needs approval. */
  async #decideGiven(call: PreparedCall, unless?: Unless): Promise<Decided> {
    const when = unless && { unless };
    let decided = await this.#decideWith(call, { ...when });
    while (decided.needsStanding)
      decided = await this.#decideWith(call, { ...when, standing: await this.#readStanding() });
    return decided;
  }

  /** If they can't be read, none counts. */
  #readStanding(): Promise<StandingSnapshot> {
    const { standing, onFault } = this.#parts.gate;
    return standing.read().catch((cause: unknown) => {
      onFault(cause);
      return StandingSnapshot.NONE;
    });
  }

  async #decideWith(call: PreparedCall, when: WritingOptions): Promise<Decided> {
    if (typeof this.#parts.scope.permissions !== "function")
      return this.#write(call, await this.#facts(call), when);
    for (;;) {
      const { label } = this.#parts.ledger.state;
      const facts = await this.#facts(call);
      // INVARIANT: a grant was resolved with the label that the call is decided on, or it is resolved again.
      const decided = await this.#writeAt(label, call, facts, when);
      if (decided) return decided;
    }
  }

  #hold(call: PreparedCall, first: Decided, options: CallOptions): Promise<Decided> {
    const { gate, ledger } = this.#parts;
    const asked = ledger.state.pending.find(({ id }) => id === first.decision.approval?.id);
    const { session, labelHolder, state } = ledger;
    const who = { session, labelHolder, principal: state.principal };
    return waitForApproval(gate.answers, who, first, options, async (held, expires) => {
      await ledger.refresh();
      if (this.#stillWaits(held)) return held;
      // If the agent has reported meanwhile that its task can't be done, no new approval is requested.
      const { impossible } = ledger.state;
      const waitedUntil = impossible !== null && impossible >= (asked?.at ?? "") ? impossible : expires;
      // INVARIANT: a caller that has gone uses no approval: this is checked again when the decision is
      // written.
      return this.#decideNow({ ...call, waitedUntil }, () => (options.signal?.aborted ? held : null));
    });
  }

  /** Whether nothing was answered since, so that deciding again would have the same result. */
  #stillWaits({ decision: { approval }, policy }: Decided): boolean {
    const { gate, ledger } = this.#parts;
    if (policy !== gate.policy() || ledger.state.closed) return false;
    const now = toTimestamp(gate.clock.now());
    return waitingAt(ledger.state, now).some(({ id }) => id === approval?.id);
  }

  async #write(
    call: PreparedCall,
    facts: GatheredFacts,
    { unless, standing }: WritingOptions,
  ): Promise<Decided> {
    await this.#parts.gate.freezes.refreshOld();
    const propose = this.#proposing(call, facts, standing);
    const decided = await this.#parts.ledger.commit<Decided>((state, now) => {
      const stays = unless?.() ?? null;
      return stays ? { events: [], value: stays } : propose(state, now);
    });
    return this.#told(call, decided);
  }

  /** Publishes a written decision; a preview publishes nothing. */
  #told(call: PreparedCall, decided: Decided): Decided {
    const { editedBy, isVoidEdit, needsStanding } = decided;
    const isUndecided = editedBy !== undefined || isVoidEdit || needsStanding;
    if (call.isPreview || isUndecided) return decided;
    return { ...decided, decision: withRepeat(this.#parts.ledger, call, decided.decision) };
  }

  #proposing(call: PreparedCall, facts: GatheredFacts, standing: StandingSnapshot | undefined) {
    let isRepeated = false;
    return (state: SessionState, now: Date): Proposal<Decided> => {
      const proposal = this.#propose(call, facts, { state, now, standing });
      // Another use or a person was faster: look for a standing approval again.
      if (proposal.also && isRepeated)
        return { events: [], value: { ...proposal.value, needsStanding: true } };
      isRepeated = true;
      return proposal;
    };
  }

  /** Decides only if the session's label is still the expected one; null if it isn't. */
  async #writeAt(
    expected: Label,
    call: PreparedCall,
    facts: GatheredFacts,
    { unless, standing }: WritingOptions,
  ): Promise<Decided | null> {
    await this.#parts.gate.freezes.refreshOld();
    const propose = this.#proposing(call, facts, standing);
    const decided = await this.#parts.ledger.commit<Decided | null>((state, now) => {
      const stays = unless?.() ?? null;
      if (stays || !sameLabel(expected, state.label)) return { events: [], value: stays };
      return propose(state, now);
    });
    return decided && this.#told(call, decided);
  }

  #propose(
    call: PreparedCall,
    facts: GatheredFacts,
    { state, now, standing }: DecisionMoment,
  ): Proposal<Decided> {
    const { gate, ledger } = this.#parts;
    const policy = gate.policy();
    const known = standing && { standing };
    // Finding out the facts may have taken long: a freeze since then counts as well.
    const current = this.#withFrozen(facts);
    const context = { ...gate.admission, session: ledger.session, policy, facts: current, ...known };
    const { events, keep, also, ...admission } = admitCall(context, state, call, now);
    const { effect } = admission.decision;
    const value = { ...admission, facts, policy, arguments: call.arguments };
    if (call.isPreview && effect !== "ask") return { events: [], value };
    const marks =
      call.runner !== undefined && effect === "allow" ? gate.openCalls.markFirst(state.running) : [];
    return { events, keep: [...keep, ...marks], value, ...(also && { also }) };
  }

  /** The same, with what is frozen as far as it is known here. */
  present(): Facts {
    return this.#withFrozen(this.standing());
  }

  #withFrozen<Known extends Facts>(facts: Known): Known {
    const frozen = this.#parts.gate.freezes.of(this.#freezableNow());
    return frozen ? { ...facts, frozen } : facts;
  }

  /** Learns what is frozen at other gateways, or for a session that this one was forked from. */
  async readFreezes(): Promise<void> {
    await this.#parts.gate.freezes.refreshOld();
    await this.#freezable();
  }

  async isFrozen(tool: string): Promise<boolean> {
    await this.readFreezes();
    return this.#parts.gate.freezes.has({ ...this.#freezableNow(), tool });
  }

  async #facts(call: PreparedCall): Promise<GatheredFacts> {
    const { gate, ledger, scope, session } = this.#parts;
    // Copying its arguments took time, and so do their digests.
    if (call.canonical.length > LARGE_CALL) await nextTurnOf(session);
    await this.readFreezes();
    const { permissions } = scope;
    const view = toCallView(session);
    const own = call.facts && checkingFacts(call.facts, gate.onFault);
    return gatherFacts(this.present(), {
      lattice: ledger.state.lattice,
      ask: [gate.facts, ...(own ? [own] : [])].map((facts) => (known) => facts(call, view, known)),
      ...(typeof permissions === "function" && { grant: () => withSession(session, permissions) }),
    });
  }
}
