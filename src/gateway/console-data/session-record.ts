/**
 * What the index stores of one session: its state, computed by the core from the journal's entries, and what a list
 * shows. It is smaller than a session, so that thousands fit.
 */
import {
  apply,
  initialState,
  type Lattice,
  type PendingApproval,
  type SessionEvent,
  type SessionState,
  topLabel,
  waitingAt,
} from "../../core/index.ts";
import { type FeedEntry, fromEntry, type JournalEntry } from "../../runtime/index.ts";

/** An ended approval. */
export interface OverApproval {
  readonly id: string;
  readonly session: string;
  readonly principal: string;
  /** The tool's identity. */
  readonly tool: string;
  readonly status: "approved" | "denied" | "expired" | "cancelled";
  readonly by: string | null;
  readonly via: string | null;
  /** The person's comment. */
  readonly why: string | null;
  /** RFC 3339. */
  readonly at: string;
}

type Way = Pick<OverApproval, "status" | "at"> & Partial<Pick<OverApproval, "by" | "via" | "why">>;

/** One session, as of the last entry that was added. */
export class SessionRecord {
  readonly id: string;
  readonly #lattice: Lattice;
  #state: SessionState;
  /** The version of the policy that required each pending approval. */
  #versions: ReadonlyMap<string, string> = new Map();
  #seq = 0;
  #position = 0;
  #openedAt = "";
  #lastAt = "";
  #refused = 0;

  constructor(id: string, lattice: Lattice) {
    this.id = id;
    this.#lattice = lattice;
    this.#state = initialState(lattice);
  }

  /** Principal, label and its data sets, calls, pending approvals, and whether it is closed; nothing else. */
  get state(): SessionState {
    return this.#state;
  }

  /** The number of its entries. */
  get seq(): number {
    return this.#seq;
  }

  /** The position of its last entry in the store. */
  get position(): number {
    return this.#position;
  }

  get openedAt(): string {
    return this.#openedAt;
  }

  get lastAt(): string {
    return this.#lastAt;
  }

  /** Calls that were denied. */
  get refused(): number {
    return this.#refused;
  }

  /** Adds the next entry; returns the approvals that it ended. */
  add({ position, entry }: Pick<FeedEntry, "position" | "entry">): readonly OverApproval[] {
    const event = fromEntry(this.#lattice, entry);
    const over = this.#endedBy(event, entry.at);
    const { pending } = this.#state;
    this.#state = this.#lessOf(apply(this.#state, event, entry.at));
    if (this.#state.pending !== pending) this.#versions = this.#versionsAfter(event, entry);
    if (entry.seq === 1) this.#openedAt = entry.at;
    if (event.kind === "call-refused") this.#refused += 1;
    this.#seq = entry.seq;
    this.#position = position;
    this.#lastAt = entry.at;
    return over;
  }

  /**
   * Marks the session because one of its entries can't be trusted: it counts as holding unclassified data, and later
   * entries aren't added.
   */
  distrust(position: number): void {
    const label = topLabel(this.#lattice);
    const nothing = { call: null, step: null, tool: null };
    const raised = { kind: "label-raised", ...nothing, source: label, dataset: "damaged", label } as const;
    this.#state = this.#lessOf(apply(this.#state, raised, this.#lastAt));
    this.#seq = Number.POSITIVE_INFINITY;
    this.#position = position;
  }

  /** The state with one set of tools that all sessions with the same restrictions share. */
  narrowTo(tools: ReadonlySet<string>): void {
    this.#state = { ...this.#state, tools };
  }

  /** The approvals pending at a time and required by the policy in force. */
  waiting(now: string, version: string): readonly PendingApproval[] {
    const { pending } = this.#state;
    if (pending.length === 0) return pending;
    return waitingAt(this.#state, now).filter(({ id }) => this.#versions.get(id) === version);
  }

  /** Approvals that are over without an entry: they have expired, or another policy is in force. */
  overUnsaid(now: string, version: string): readonly OverApproval[] {
    const { pending } = this.#state;
    if (pending.length === 0) return [];
    const waiting = this.waiting(now, version);
    return pending
      .filter((one) => !waiting.includes(one))
      .map((one) =>
        one.expires <= now
          ? this.#toOver(one, { status: "expired", at: one.expires })
          : this.#toOver(one, { status: "cancelled", at: one.at }),
      );
  }

  #endedBy(event: SessionEvent, at: string): readonly OverApproval[] {
    const { pending } = this.#state;
    if (event.kind === "session-closed")
      return pending.map((one) => this.#toOver(one, { status: "cancelled", at }));
    if (event.kind !== "approval-answered" && event.kind !== "approval-ended") return [];
    const asked = pending.find(({ id }) => id === event.approval);
    if (asked === undefined) return [];
    if (event.kind === "approval-ended") {
      const status = event.outcome;
      return [this.#toOver(asked, { status, at: status === "expired" ? asked.expires : at })];
    }
    // A late answer doesn't count.
    if (asked.expires <= at) return [];
    const { answer: status, by, via = null, why = null } = event;
    return [this.#toOver(asked, { status, at, by, via, why })];
  }

  #toOver({ id, tool }: PendingApproval, way: Way): OverApproval {
    const { principal } = this.#state;
    return { id, session: this.id, principal, tool, by: null, via: null, why: null, ...way };
  }

  /** Drops what grows with each call and isn't listed. */
  #lessOf(next: SessionState): SessionState {
    const before = this.#state;
    const raised = next.contributions.at(-1)?.raised !== false;
    return {
      ...next,
      contributions: raised ? next.contributions : before.contributions,
      running: before.running,
      answers: before.answers,
    };
  }

  #versionsAfter(event: SessionEvent, { policy }: JournalEntry): ReadonlyMap<string, string> {
    const asked =
      event.kind === "approval-requested" || event.kind === "plan-requested" ? event.approval : null;
    return new Map(
      this.#state.pending.map(({ id }) => [id, id === asked ? policy : (this.#versions.get(id) ?? policy)]),
    );
  }
}
