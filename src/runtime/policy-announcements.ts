/**
 * Which policies the gateways on a store decide by, as each says in their own journal: at its start and after a reload
 * where that is news, and once more where another one says otherwise, so that both sides know. Two policies on one store
 * are a roll-out or a mistake. Neither makes the other's decisions laxer; whose they were shows nowhere else.
 */
import { type Folded, GATEWAY_CHAIN, readGatewayChain, toGatewayAppend } from "./journal/gateway-chain.ts";
import { CHAIN_START } from "./journal/journal.ts";
import { retryConflicts } from "./journal/retry-conflicts.ts";
import { type Clock, toTimestamp } from "./ports/clock.ts";
import type { JournalEntry, Store } from "./ports/store.ts";

/** The policy that another gateway decides by. */
export interface OtherPolicy {
  readonly version: string;
  /** When it said so (RFC 3339). */
  readonly since: string;
}

interface AnnouncementOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Told apart by it from others, also from itself before a restart. */
  readonly id: string;
  /** The version of the policy in force here. */
  readonly policyVersion: () => string;
  /** Called when another gateway begins to decide by another policy. */
  readonly onOther: (other: OtherPolicy) => void;
}

const KIND = "policy-announced";
/** `still` answers one that says otherwise; `ended` is said by a gateway that stops while another one does. */
type Occasion = "begun" | "still" | "ended";

interface Announcement extends OtherPolicy {
  readonly by: string;
  readonly occasion: Occasion;
  readonly seq: number;
}

/** The newest of all, and the newest of another gateway. */
interface Known {
  readonly last: Announcement | null;
  readonly others: Announcement | null;
}

const NOTHING: Folded<Known> = Object.freeze({ head: CHAIN_START, known: { last: null, others: null } });

export class PolicyAnnouncements {
  readonly #options: AnnouncementOptions;
  #loaded = NOTHING;
  /** What was said before this gateway started may be said by nobody any more. */
  #startedAt: number | null = null;
  #answered = 0;

  constructor(options: AnnouncementOptions) {
    this.#options = options;
  }

  /** By which another gateway decides, as far as is known; null if all decide by this gateway's. */
  get other(): OtherPolicy | null {
    const { others } = this.#loaded.known;
    const isOver = others === null || others.seq <= (this.#startedAt ?? 0) || others.occasion === "ended";
    if (isOver || others.version === this.#options.policyVersion()) return null;
    return { version: others.version, since: others.since };
  }

  /** Says which policy is in force here from now on. Answers the one that was said last before, if it is another. */
  async announce(): Promise<OtherPolicy | null> {
    await this.#load();
    this.#startedAt ??= this.#loaded.head.version;
    const { last } = this.#loaded.known;
    // After a difference nobody knows whether whoever said so last still runs.
    if (last?.version === this.#options.policyVersion() && last.occasion === "begun") return null;
    await this.#say("begun");
    const isAnother = last !== null && last.version !== this.#options.policyVersion();
    return isAnother ? { version: last.version, since: last.since } : null;
  }

  /** Hears what others have said. @throws SluicegateError `store-damaged`, `store-failed` */
  async look(): Promise<void> {
    await this.#load();
    const { others } = this.#loaded.known;
    const { other } = this;
    if (others === null || other === null || others.seq <= this.#answered) return;
    this.#answered = others.seq;
    if (others.occasion === "begun") await this.#say("still");
    this.#options.onOther(other);
  }

  /** Says that this gateway stops, where another one decides otherwise. */
  async end(): Promise<void> {
    if (this.other !== null) await this.#say("ended");
  }

  async #load(): Promise<void> {
    const { store, id } = this.#options;
    const follow = (known: Known, entries: readonly JournalEntry[]): Known =>
      entries.filter(({ kind }) => kind === KIND).reduce((before, entry) => next(before, entry, id), known);
    this.#loaded = await readGatewayChain(this.#loaded, { store, empty: NOTHING.known, follow });
  }

  async #say(occasion: Occasion): Promise<void> {
    const { store, clock, id, policyVersion } = this.#options;
    await retryConflicts("The policy in force could not be announced.", async (attempt) => {
      if (attempt > 0) await this.#load();
      const moment = { at: toTimestamp(clock.now()), policy: policyVersion() };
      const entry = { kind: KIND, data: { by: id, occasion } };
      const { expectedVersion, entries } = toGatewayAppend(this.#loaded.head, [entry], moment);
      const { status } = await store.append(GATEWAY_CHAIN, expectedVersion, entries, [], { urgent: true });
      return status === "conflict" ? null : undefined;
    });
  }
}

function next(known: Known, { seq, at, policy, data }: JournalEntry, id: string): Known {
  const { by, occasion } = data;
  if (typeof by !== "string" || (occasion !== "begun" && occasion !== "still" && occasion !== "ended"))
    return known;
  const last: Announcement = { version: policy, since: at, by, occasion, seq };
  return { last, others: by === id ? known.others : last };
}
