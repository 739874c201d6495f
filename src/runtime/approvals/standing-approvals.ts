/**
 * The standing approvals of a store. They are created, used and revoked in the gateway's own chain: a use is in the
 * same transaction as the call that it admits, so two calls can't share the last one. Their content is stored beside
 * the journal of the session in which they were given, while they are in force.
 */
import { createHmac, type KeyObject } from "node:crypto";
import {
  covers,
  explainStanding,
  isLike,
  type Policy,
  type StandingApproval,
  type StandingCall,
  type Tool,
} from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { canonicalJson } from "../../json/canonical-json.ts";
import { isJsonObject } from "../../json/json-object.ts";
import { parseJson } from "../../json/parse-json.ts";
import {
  type Folded,
  GATEWAY_CHAIN,
  type Moment,
  readGatewayChain,
  toGatewayAppend,
} from "../journal/gateway-chain.ts";
import { CHAIN_START, type ChainPoint, sealHash } from "../journal/journal.ts";
import { retryConflicts } from "../journal/retry-conflicts.ts";
import { type StoreClock, toTimestamp } from "../ports/clock.ts";
import type { JournalEntry, Keep, SessionAppend, Store } from "../ports/store.ts";

/** One use of a standing approval. */
export interface StandingUse {
  readonly session: string;
  readonly call: string;
  readonly at: string;
}

/** A standing approval that is in force. */
export interface ListedStanding extends StandingApproval {
  /** What it covers, in one sentence. */
  readonly words: string;
  readonly used: number;
  /** The newest uses, at most 20. */
  readonly uses: readonly StandingUse[];
}

interface Known {
  readonly approval: StandingApproval;
  /** Digests of the arguments of calls that a person denied after it was given. */
  readonly denied: readonly string[];
  readonly used: number;
  readonly uses: readonly StandingUse[];
}

type Written = Pick<JournalEntry, "kind" | "data">;

/** An append to the gateway's chain, and what is stored beside the session's journal. */
interface Writing {
  readonly also: SessionAppend;
  readonly keep: readonly Keep[];
}

type KnownById = ReadonlyMap<string, Known>;

type Digest = (text: string) => string;

const MAX_USES_SHOWN = 20;
const MAX_IN_FORCE = 1000;
const NOTHING: Folded<KnownById> = Object.freeze({ head: CHAIN_START, known: new Map() });
const ID = /^stand_[0-9a-f]{32}$/;

const PREFIX = "standing-approval:";
const keyOf = (id: string): string => PREFIX + id;
const PAGE = 250;

/** The sessions beside whose journals the content of a standing approval is stored that hasn't expired. */
export async function standingGivers(store: Store, at: string): Promise<ReadonlySet<string>> {
  const givers = new Set<string>();
  for (let after = 0; ; ) {
    const page = await store.keptWith(PREFIX, PAGE, after);
    for (const { session, value } of page) {
      const kept: unknown = parseJson(value);
      if (isJsonObject(kept) && String(kept.expires) > at) givers.add(session);
    }
    const last = page.at(-1);
    if (last === undefined) return givers;
    after = last.position;
  }
}

/** What the policy declares about a tool, as far as decisions depend on it. */
export function declarationOf(tool: Tool): string {
  const { permissions, source, sourceBound, clearances, tags, approval, onViolation, to, critical } = tool;
  const { payload, isDestructive, classified, approvers } = tool;
  const asks = typeof approval === "string" ? approval : { when: approval.when };
  const declared = [
    permissions,
    source,
    sourceBound,
    clearances,
    tags,
    asks,
    onViolation,
    to,
    critical,
    payload,
  ];
  return sealHash(canonicalJson([...declared, isDestructive, classified, approvers]));
}

/** The standing approvals as of one entry of the chain. */
export class StandingSnapshot {
  static readonly NONE = new StandingSnapshot(CHAIN_START, new Map(), sealHash);
  readonly #head: ChainPoint;
  readonly #known: ReadonlyMap<string, Known>;
  readonly #digest: Digest;

  constructor(head: ChainPoint, known: ReadonlyMap<string, Known>, digest: Digest) {
    this.#head = head;
    this.#known = known;
    this.#digest = digest;
  }

  /** The oldest that covers a call; null if none does. `own: false` excludes those that the call's principal gave. */
  find(
    { lattice, approvals: { own } }: Pick<Policy, "lattice" | "approvals">,
    call: StandingCall,
  ): string | null {
    for (const [id, known] of this.#known) {
      const { approval, used } = known;
      if (!own && approval.by === call.principal) continue;
      if (covers(lattice, approval, used, call) && !this.#isDenied(known, call)) return id;
    }
    return null;
  }

  /** The append for a use. It conflicts if any standing approval was used, created or revoked meanwhile. */
  use(
    standing: string,
    { session, call }: Pick<StandingUse, "session" | "call">,
    moment: Moment,
  ): SessionAppend {
    return this.#append([{ kind: "standing-used", data: { standing, session, call } }], moment);
  }

  /** The append for a new one, and its stored content. @throws SluicegateError `limit-reached` */
  give(approval: StandingApproval, moment: Moment): Writing {
    const inForce = [...this.#known.values()].filter((known) => isInForce(known, moment.at));
    if (inForce.length >= MAX_IN_FORCE) throw tooMany();
    const { id, session, tool, scope, expires, count, by } = approval;
    const value = canonicalJson(approval);
    const data = {
      standing: id,
      givenIn: session,
      tool,
      for: scope,
      expires,
      count,
      by,
      hash: this.#digest(value),
    };
    const also = this.#append([{ kind: "standing-given", data }], moment);
    return { also, keep: [{ key: keyOf(id), value }] };
  }

  /** The append for a person's denial: what was given before no longer covers that exact call. Null if nothing would. */
  deny(call: Parameters<typeof isLike>[1], moment: Moment): Writing | null {
    const like = this.list(moment.at).filter((approval) => isLike(approval, call));
    if (like.length === 0) return null;
    const denied = this.#digest(canonicalJson(call.arguments));
    const entries = like.map(({ id }) => ({ kind: "standing-denied", data: { standing: id, denied } }));
    return { also: this.#append(entries, moment), keep: [] };
  }

  revoke(standing: string, by: string, moment: Moment): SessionAppend {
    return this.#append([{ kind: "standing-revoked", data: { standing, by } }], moment);
  }

  get(id: string): Known | null {
    return this.#known.get(id) ?? null;
  }

  list(at: string): readonly ListedStanding[] {
    return [...this.#known.values()]
      .filter((known) => isInForce(known, at))
      .map(({ approval, used, uses }) => ({ ...approval, words: explainStanding(approval), used, uses }));
  }

  /** Those that are used up or have expired. */
  listOver(at: string): readonly StandingApproval[] {
    return [...this.#known.values()].filter((known) => !isInForce(known, at)).map(({ approval }) => approval);
  }

  #isDenied({ denied }: Known, { arguments: args }: StandingCall): boolean {
    return denied.length > 0 && denied.includes(this.#digest(canonicalJson(args)));
  }

  #append(written: readonly Written[], moment: Moment): SessionAppend {
    return toGatewayAppend(this.#head, written, moment);
  }
}

const isInForce = ({ approval, used }: Known, at: string): boolean =>
  used < approval.count && at < approval.expires;

interface StandingOptions {
  readonly store: Store;
  readonly clock: StoreClock;
  /** The policy in force. */
  readonly policy: () => { readonly version: string };
  readonly digestKey: KeyObject;
}

export class StandingApprovals {
  readonly #store: Store;
  readonly #clock: StoreClock;
  readonly #policy: () => { readonly version: string };
  readonly #digest: Digest;
  #loaded: Folded<KnownById> = NOTHING;
  #loading: Promise<unknown> = Promise.resolve();

  constructor({ store, clock, policy, digestKey }: StandingOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#policy = policy;
    // THREAT: a reader of the journal could guess short arguments and compare plain hashes.
    this.#digest = (text) => createHmac("sha256", digestKey).update(text).digest("hex");
  }

  /** The current standing approvals. @throws SluicegateError `store-damaged`, `store-failed` */
  read(): Promise<StandingSnapshot> {
    const loaded = this.#loading.then(() => this.#load());
    this.#loading = loaded.catch(() => {});
    return loaded.then(() => new StandingSnapshot(this.#loaded.head, this.#loaded.known, this.#digest));
  }

  async list(): Promise<readonly ListedStanding[]> {
    await this.#clock.catchUp();
    const snapshot = await this.read();
    const at = toTimestamp(this.#clock.now());
    await Promise.allSettled(snapshot.listOver(at).map((one) => this.#forget(one)));
    return snapshot.list(at);
  }

  /**
   * Revokes one, durably when it resolves: it admits no further call. @throws SluicegateError `approval-not-found`
   */
  revoke(id: string, by: string): Promise<ListedStanding> {
    return retryConflicts("The standing approval could not be revoked.", async () => {
      const snapshot = await this.read();
      const moment = { at: toTimestamp(this.#clock.now()), policy: this.#policy().version };
      const known = ID.test(id) ? snapshot.get(id) : null;
      if (known === null) throw unknownStanding();
      const { expectedVersion, entries } = snapshot.revoke(id, by, moment);
      const urgent = { urgent: true };
      const { status } = await this.#store.append(GATEWAY_CHAIN, expectedVersion, entries, [], urgent);
      if (status === "conflict") return null;
      const { approval, used, uses } = known;
      await this.#forget(approval);
      return { ...approval, words: explainStanding(approval), used, uses };
    });
  }

  /** Deletes its content. */
  async #forget({ id, session }: Pick<StandingApproval, "id" | "session">): Promise<void> {
    const version = (await this.#store.head(session))?.version ?? 0;
    const { status } = await this.#store.append(session, version, [], [{ key: keyOf(id), value: null }]);
    // Another writer was faster; the next listing tries again.
    if (status === "conflict") return;
    const { head, known } = this.#loaded;
    this.#loaded = { head, known: new Map([...known].filter(([other]) => other !== id)) };
  }

  async #load(): Promise<void> {
    const follow = async (before: KnownById, entries: readonly JournalEntry[]): Promise<KnownById> => {
      const known = new Map(before);
      for (const entry of entries) await this.#follow(known, entry);
      return known;
    };
    this.#loaded = await readGatewayChain(this.#loaded, { store: this.#store, empty: NOTHING.known, follow });
  }

  async #follow(known: Map<string, Known>, { kind, data, at }: JournalEntry): Promise<void> {
    const { standing: id, session, call } = data;
    if (typeof id !== "string") return;
    if (kind === "standing-revoked") known.delete(id);
    if (kind === "standing-given") {
      const approval = await this.#details(id, data);
      if (approval !== null) known.set(id, { approval, denied: [], used: 0, uses: [] });
    }
    const one = known.get(id);
    if (one === undefined) return;
    if (kind === "standing-denied") known.set(id, { ...one, denied: [...one.denied, String(data.denied)] });
    if (kind !== "standing-used") return;
    const use = { session: String(session), call: String(call), at };
    const uses = [...one.uses, use].slice(-MAX_USES_SHOWN);
    known.set(id, { ...one, used: one.used + 1, uses });
  }

  /** Its content; null if that is missing or doesn't match. */
  async #details(id: string, { givenIn: session, hash }: Written["data"]): Promise<StandingApproval | null> {
    if (typeof session !== "string") return null;
    const text = await this.#store.kept(session, keyOf(id));
    if (text === null || this.#digest(text) !== hash) return null;
    const kept: unknown = parseJson(text);
    // The hash in the chain matches, so this program wrote it.
    return isJsonObject(kept) ? (kept as unknown as StandingApproval) : null;
  }
}

const unknownStanding = (): SluicegateError =>
  new SluicegateError("approval-not-found", "There is no such standing approval.", {
    why: "The id is malformed, or it was revoked already.",
    fix: "Look at those in force: `GET /v1/standing-approvals`.",
  });

const tooMany = (): SluicegateError =>
  new SluicegateError("limit-reached", "No more standing approvals can be given.", {
    why: `${MAX_IN_FORCE} are in force.`,
    fix: "Revoke some of them first.",
  });
