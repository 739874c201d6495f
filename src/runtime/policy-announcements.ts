/**
 * Which policies the gateways on a store decide by, as each says in their own journal: at its start and after a reload
 * where that is news, and once more where another one says otherwise, so that both sides know. Two policies on one store
 * are a roll-out or a mistake. Neither makes the other's decisions laxer; whose they were shows nowhere else.
 */
import { BoundedMap } from "../json/bounded-map.ts";
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

interface Known {
  /** The newest of all. */
  readonly last: Announcement | null;
  /** The newest of each gateway that hasn't said that it stops, the oldest first. */
  readonly byGateway: ReadonlyMap<string, Announcement>;
}

const NOTHING: Folded<Known> = Object.freeze({
  head: CHAIN_START,
  known: { last: null, byGateway: new Map() },
});
/** Gateways that are remembered. */
const MAX_GATEWAYS = 1000;

export class PolicyAnnouncements {
  readonly #options: AnnouncementOptions;
  #loaded = NOTHING;
  /** What was said before this gateway started may be said by nobody any more. */
  #startedAt: number | null = null;
  #answered = 0;
  #told: string | null = null;

  constructor(options: AnnouncementOptions) {
    this.#options = options;
  }

  /** By which another gateway decides, as far as is known; null if all decide by this gateway's. */
  get other(): OtherPolicy | null {
    const newest = this.#others().at(-1);
    return newest ? { version: newest.version, since: newest.since } : null;
  }

  /** Says which policy is in force here from now on. Answers the one that was said last before, if it is another. */
  async announce(): Promise<OtherPolicy | null> {
    await this.#load();
    this.#startedAt ??= this.#loaded.head.version;
    const { id, policyVersion } = this.#options;
    const { last, byGateway } = this.#loaded.known;
    const isKnown = last?.version === policyVersion();
    const own = byGateway.get(id) ?? last;
    // After a difference nobody knows whether whoever said so last still runs.
    if (isKnown && last.occasion === "begun" && own?.version === policyVersion()) return null;
    await this.#say("begun");
    return last === null || isKnown ? null : { version: last.version, since: last.since };
  }

  /** Hears what others have said. @throws SluicegateError `store-damaged`, `store-failed` */
  async look(): Promise<void> {
    await this.#load();
    const { other } = this;
    const fresh = this.#others().filter(({ seq }) => seq > this.#answered);
    this.#answered = this.#loaded.head.version;
    if (other !== null && other.version !== this.#told) this.#options.onOther(other);
    this.#told = other?.version ?? null;
    if (fresh.some(({ occasion }) => occasion === "begun")) await this.#say("still");
  }

  /** Says that this gateway stops, where another one decides otherwise. */
  async end(): Promise<void> {
    if (this.other !== null) await this.#say("ended");
  }

  /** Of gateways that decide by another policy, the oldest first. */
  #others(): readonly Announcement[] {
    const { id, policyVersion } = this.#options;
    return [...this.#loaded.known.byGateway.values()].filter(
      ({ by, version, seq }) =>
        by !== id && version !== policyVersion() && seq > (this.#startedAt ?? Number.POSITIVE_INFINITY),
    );
  }

  async #load(): Promise<void> {
    const { store } = this.#options;
    const follow = (known: Known, entries: readonly JournalEntry[]): Known =>
      entries.filter(({ kind }) => kind === KIND).reduce(next, known);
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

function next(known: Known, { seq, at, policy, data }: JournalEntry): Known {
  const { by, occasion } = data;
  if (typeof by !== "string" || (occasion !== "begun" && occasion !== "still" && occasion !== "ended"))
    return known;
  const last: Announcement = { version: policy, since: at, by, occasion, seq };
  const byGateway = new BoundedMap<string, Announcement>(MAX_GATEWAYS);
  for (const [gateway, announcement] of known.byGateway) byGateway.set(gateway, announcement);
  if (occasion === "ended") byGateway.delete(by);
  else byGateway.set(by, last);
  return { last, byGateway };
}
