/**
 * The definitions of tools that are accepted: pinned when a tool is first seen, replaced only by a person. They are
 * a journal of their own in the store, hash-chained like a session's and reachable by no session's id; each
 * definition's text is kept beside it. It knows nothing of who offers what now.
 */
import { SluicegateError } from "../../errors/index.ts";
import {
  CHAIN_START,
  type ChainPoint,
  linkProblem,
  ownerProblem,
  sealEntries,
  sealHash,
  verifyEnd,
} from "../journal/journal.ts";
import { type Clock, toTimestamp } from "../ports/clock.ts";
import type { JournalEntry, Store } from "../ports/store.ts";
import type { Definition } from "./definition.ts";

/** The chain that belongs to no session, but to all gateways on the store. */
export const GATEWAY_CHAIN = "gateway";

export interface PinsOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** The version of the policy in force. */
  readonly policyVersion: () => string;
}

/** Hashes of accepted definitions, by the tools' identities, as of one point of the chain. */
interface Loaded {
  readonly head: ChainPoint;
  readonly hashes: ReadonlyMap<string, string>;
}

interface Pinning {
  readonly kind: "definition-pinned" | "definition-accepted";
  readonly tool: string;
  readonly definition: Definition;
}

const KINDS: ReadonlySet<string> = new Set(["definition-pinned", "definition-accepted"]);
const PAGE = 1000;
const MAX_CONFLICTS = 1000;
const NOTHING: Loaded = Object.freeze({ head: CHAIN_START, hashes: new Map() });

const keyOf = (tool: string): string => `definition:${tool}`;

export class Pins {
  readonly #options: PinsOptions;
  #loaded = NOTHING;
  #isLoaded = false;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: PinsOptions) {
    this.#options = options;
  }

  /** How many entries of the chain are known. */
  get version(): number {
    return this.#loaded.head.version;
  }

  /** The tools that have a pin. */
  get tools(): readonly string[] {
    return [...this.#loaded.hashes.keys()];
  }

  /** The hash of a tool's accepted definition; null where it has none yet, or nothing was loaded. */
  hashOf(tool: string): string | null {
    return this.#loaded.hashes.get(tool) ?? null;
  }

  /**
   * Brings them up to the store's.
   * @throws SluicegateError `store-damaged`, `store-failed`: then what was known before is still what counts.
   */
  load(): Promise<void> {
    return this.#inTurn(() => this.#load());
  }

  /** Pins each tool that has no pin by then: of two gateways, the first one wins. Durable when it resolves. */
  pin(definitions: ReadonlyMap<string, Definition>): Promise<void> {
    return this.#commit(({ hashes }) =>
      [...definitions]
        .filter(([tool]) => !hashes.has(tool))
        .map(([tool, definition]) => ({ kind: "definition-pinned", tool, definition })),
    );
  }

  /** Takes a definition for the accepted one, since a person has looked at it. Durable when it resolves. */
  accept(tool: string, definition: Definition): Promise<void> {
    return this.#commit(({ hashes }) =>
      hashes.get(tool) === definition.hash ? [] : [{ kind: "definition-accepted", tool, definition }],
    );
  }

  /** The text of a tool's accepted definition; null where it has none, or what is kept is not what was pinned. */
  async textOf(tool: string): Promise<string | null> {
    const text = await this.#options.store.kept(GATEWAY_CHAIN, keyOf(tool));
    return text !== null && sealHash(text) === this.hashOf(tool) ? text : null;
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {});
    return done;
  }

  #commit(propose: (loaded: Loaded) => readonly Pinning[]): Promise<void> {
    return this.#inTurn(async () => {
      const { store } = this.#options;
      for (let attempt = 0; attempt < MAX_CONFLICTS; attempt += 1) {
        if (attempt > 0 || !this.#isLoaded) await this.#load();
        const pinnings = propose(this.#loaded);
        if (pinnings.length === 0) return;
        const sealed = this.#seal(this.#loaded, pinnings);
        const keep = pinnings.map(({ tool, definition }) => ({ key: keyOf(tool), value: definition.text }));
        // INVARIANT: a failed append may have happened, so what is known is trusted again only once it was loaded.
        this.#isLoaded = false;
        const { status } = await store.append(GATEWAY_CHAIN, this.#loaded.head.version, sealed, keep, {
          urgent: attempt > 0,
        });
        if (status === "conflict") continue;
        this.#loaded = follow(this.#loaded, sealed);
        this.#isLoaded = true;
        return;
      }
      throw new SluicegateError("store-failed", "The journal of definitions could not be written.", {
        why: `Other writers were faster ${MAX_CONFLICTS} times in a row.`,
        fix: "Try again; if it goes on, look for a program that writes to this store without pause.",
      });
    });
  }

  #seal({ head, hashes }: Loaded, pinnings: readonly Pinning[]): readonly JournalEntry[] {
    const at = toTimestamp(this.#options.clock.now());
    const policy = this.#options.policyVersion();
    const entries = pinnings.map(({ kind, tool, definition: { hash } }, index) => {
      const previous = hashes.get(tool);
      const owner = head.version === 0 && index === 0 ? { session: GATEWAY_CHAIN } : {};
      return {
        kind,
        at,
        policy,
        data: { ...owner, tool, hash, ...(previous !== undefined && { previous }) },
      };
    });
    return sealEntries(head, entries);
  }

  /** Reads what came after the last entry that is known, and checks each link of the chain on the way. */
  async #load(): Promise<void> {
    const { store } = this.#options;
    const end = (await store.head(GATEWAY_CHAIN)) ?? CHAIN_START;
    let loaded = this.#loaded.head.version <= end.version ? this.#loaded : NOTHING;
    while (loaded.head.version < end.version) {
      const after = loaded.head.version;
      const page = await store.read(GATEWAY_CHAIN, after, Math.min(PAGE, end.version - after));
      if (page.length === 0) break;
      let point = loaded.head;
      for (const entry of page) {
        const problem = linkProblem(point, entry) ?? ownerProblem(GATEWAY_CHAIN, entry);
        if (problem !== null) throw damaged(problem);
        point = { version: entry.seq, hash: entry.hash };
      }
      loaded = follow(loaded, page);
    }
    const whole = verifyEnd(loaded.head, end);
    if (!whole.ok) throw damaged(whole.problem);
    this.#loaded = loaded;
    this.#isLoaded = true;
  }
}

/** What is known after some more entries. A pin that can't be read is like no definition. */
function follow(loaded: Loaded, entries: readonly JournalEntry[]): Loaded {
  const hashes = new Map(loaded.hashes);
  for (const { kind, data } of entries) {
    const { tool, hash } = data;
    if (!KINDS.has(kind) || typeof tool !== "string") continue;
    hashes.set(tool, typeof hash === "string" ? hash : "");
  }
  const last = entries.at(-1);
  return { head: last ? { version: last.seq, hash: last.hash } : loaded.head, hashes };
}

function damaged(problem: string): SluicegateError {
  return new SluicegateError("store-damaged", "The journal of definitions is damaged.", {
    why: problem,
    fix: "Run `sluicegate journal verify`, and restore the store from a backup.",
    details: { session: GATEWAY_CHAIN },
  });
}
