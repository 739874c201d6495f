/**
 * The events of a session for the console: its calls, each with its decision and its end, and other changes. It
 * continues when the journal grows. The sentences are written elsewhere.
 */
import { apply, initialState, type Label, type Lattice, type SessionEvent } from "../../core/index.ts";
import { fromEntry, type JournalEntry, readEntry } from "../../runtime/index.ts";

/** The state of an approval according to entries. Whether it has expired is computed when it is shown. */
export interface FoldedApproval {
  readonly id: string;
  readonly at: string;
  readonly expires: string;
  /** The version of the policy that required it; under another one it admits no call. */
  readonly policy: string;
  status: "pending" | "approved" | "denied" | "expired" | "cancelled";
  by: string | null;
  via: string | null;
  /** The person's comment. */
  why: string | null;
  endedAt: string | null;
}

interface Folded {
  /** The journal's entry. */
  readonly seq: number;
  readonly at: string;
  /** The session's label before and after it. */
  readonly before: Label;
  readonly after: Label;
}

export type DecidedEvent = Extract<
  SessionEvent,
  { readonly kind: "call-admitted" | "call-refused" | "approval-requested" }
>;

type Requested = Extract<SessionEvent, { readonly kind: "approval-requested" | "plan-requested" }>;

export interface FoldedCall extends Folded {
  readonly event: DecidedEvent;
  /** Counted from 0 over all calls of the session. */
  readonly step: number;
  readonly approval: FoldedApproval | null;
  /** How it ended; null if it is running or never ran. */
  outcome: "ok" | "error" | "unknown" | null;
  finishedAt: string | null;
}

export type NotedEvent = Extract<
  SessionEvent,
  {
    readonly kind:
      | "session-opened"
      | "words-said"
      | "label-raised"
      | "impossible-reported"
      | "refusal-appealed"
      | "session-closed";
  }
>;

export interface FoldedNote extends Folded {
  /** Null if the entry is invalid. */
  readonly event: NotedEvent | null;
}

export type FoldedEvent = FoldedCall | FoldedNote;

export const isCall = (folded: FoldedEvent): folded is FoldedCall => "step" in folded;

export class TimelineFold {
  readonly lattice: Lattice;
  readonly events: FoldedEvent[] = [];
  readonly #approvals = new Map<string, FoldedApproval>();
  readonly #running = new Map<string, FoldedCall>();
  #state;
  #version = 0;

  constructor(lattice: Lattice) {
    this.lattice = lattice;
    this.#state = initialState(lattice);
  }

  /** How many entries were added. */
  get version(): number {
    return this.#version;
  }

  /** Adds the next entry. */
  add(entry: JournalEntry): void {
    const event = readEntry(this.lattice, entry);
    const { label: before, calls: step } = this.#state;
    this.#state = apply(this.#state, event ?? fromEntry(this.lattice, entry), entry.at);
    this.#version = entry.seq;
    const place = { seq: entry.seq, at: entry.at, before, after: this.#state.label };
    if (event?.kind === "approval-requested" || event?.kind === "plan-requested") this.#ask(event, entry);
    if (event === null) this.events.push({ ...place, event });
    else this.#take(event, place, step);
  }

  #take(event: SessionEvent, place: Folded, step: number): void {
    switch (event.kind) {
      case "call-admitted":
      case "call-refused":
      case "approval-requested":
        this.#addCall(event, place, step);
        break;
      case "call-finished":
        this.#finish(event, place.at);
        break;
      case "approval-answered":
      case "approval-ended":
        this.#settle(event, place.at);
        break;
      case "plan-requested":
      case "approval-shown":
      case "approval-signed":
      case "session-forked":
      case "run-paused":
      case "run-ended":
        break;
      case "session-closed":
        for (const one of this.#approvals.values())
          if (one.status === "pending") end(one, "cancelled", place.at);
        this.events.push({ ...place, event });
        break;
      default:
        this.events.push({ ...place, event });
    }
  }

  #addCall(event: DecidedEvent, place: Folded, step: number): void {
    const call = {
      ...place,
      event,
      step,
      approval: this.#approvalOf(event),
      outcome: null,
      finishedAt: null,
    };
    this.events.push(call);
    if (event.kind === "call-admitted") this.#running.set(event.call, call);
  }

  #ask({ approval: id, expires }: Requested, { at, policy }: JournalEntry): void {
    const nobody = { by: null, via: null, why: null, endedAt: null };
    this.#approvals.set(id, { id, at, expires, policy, status: "pending", ...nobody });
  }

  #approvalOf(event: DecidedEvent): FoldedApproval | null {
    if (event.kind === "call-refused") return null;
    // A call that was approved as a step of a plan has the plan's approval.
    const id = event.approval ?? (event.kind === "call-admitted" ? event.lease?.approval : undefined);
    return id === undefined ? null : (this.#approvals.get(id) ?? null);
  }

  #finish({ call, outcome }: Extract<SessionEvent, { kind: "call-finished" }>, at: string): void {
    const finished = this.#running.get(call);
    if (finished === undefined) return;
    finished.outcome = outcome;
    finished.finishedAt = at;
    this.#running.delete(call);
  }

  #settle(event: Extract<SessionEvent, { kind: "approval-answered" | "approval-ended" }>, at: string): void {
    const approval = this.#approvals.get(event.approval);
    if (approval?.status !== "pending") return;
    if (event.kind === "approval-ended") {
      end(approval, event.outcome, at);
      return;
    }
    // As in `apply`: a late answer doesn't count.
    if (approval.expires <= at) return;
    end(approval, event.answer, at);
    approval.by = event.by;
    approval.via = event.via ?? null;
    approval.why = event.why ?? null;
  }
}

/** An expired approval ended when it was due, whatever was written later. */
function end(approval: FoldedApproval, status: FoldedApproval["status"], at: string): void {
  approval.status = status;
  approval.endedAt = status === "expired" ? approval.expires : at;
}
