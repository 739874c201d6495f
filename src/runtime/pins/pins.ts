/**
 * The accepted definitions of tools: pinned when a tool is first seen, replaced only by a person. They are in the
 * gateway's own chain in the store; each definition's text is stored beside it. This file doesn't know what servers
 * offer now.
 */
import { type Folded, GATEWAY_CHAIN, readGatewayChain, toGatewayAppend } from "../journal/gateway-chain.ts";
import { CHAIN_START, sealHash } from "../journal/journal.ts";
import { retryConflicts } from "../journal/retry-conflicts.ts";
import { type Clock, toTimestamp } from "../ports/clock.ts";
import type { JournalEntry, SessionAppend, Store } from "../ports/store.ts";
import type { Definition } from "./definition.ts";

export interface PinsOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** The version of the policy in force. */
  readonly policyVersion: () => string;
}

/** Hashes of accepted definitions, by the tools' identities. */
type Hashes = ReadonlyMap<string, string>;

interface Pinning {
  readonly kind: "definition-pinned" | "definition-accepted";
  readonly tool: string;
  readonly definition: Definition;
}

const KINDS: ReadonlySet<string> = new Set(["definition-pinned", "definition-accepted"]);
const NOTHING: Folded<Hashes> = Object.freeze({ head: CHAIN_START, known: new Map() });

const keyOf = (tool: string): string => `definition:${tool}`;

export class Pins {
  readonly #options: PinsOptions;
  #loaded = NOTHING;
  #isLoaded = false;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: PinsOptions) {
    this.#options = options;
  }

  /** How many entries of the chain were read. */
  get version(): number {
    return this.#loaded.head.version;
  }

  /** The tools that have a pin. */
  get tools(): readonly string[] {
    return [...this.#loaded.known.keys()];
  }

  /** The hash of a tool's accepted definition; null if it has none, or nothing was loaded yet. */
  hashOf(tool: string): string | null {
    return this.#loaded.known.get(tool) ?? null;
  }

  /**
   * Reads new entries from the store.
   * @throws SluicegateError `store-damaged`, `store-failed`; the pins known before still count then.
   */
  load(): Promise<void> {
    return this.#inTurn(() => this.#load());
  }

  /** Pins each tool that has no pin yet; if two gateways do so, the first one wins. Durable when it resolves. */
  pin(definitions: ReadonlyMap<string, Definition>): Promise<void> {
    return this.#commit((hashes) =>
      [...definitions]
        .filter(([tool]) => !hashes.has(tool))
        .map(([tool, definition]) => ({ kind: "definition-pinned", tool, definition })),
    );
  }

  /** Accepts a definition that a person has reviewed. Durable when it resolves. */
  accept(tool: string, definition: Definition): Promise<void> {
    return this.#commit((hashes) =>
      hashes.get(tool) === definition.hash ? [] : [{ kind: "definition-accepted", tool, definition }],
    );
  }

  /** The text of a tool's accepted definition; null if it has none, or the stored text isn't the pinned one. */
  async textOf(tool: string): Promise<string | null> {
    const text = await this.#options.store.kept(GATEWAY_CHAIN, keyOf(tool));
    return text !== null && sealHash(text) === this.hashOf(tool) ? text : null;
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {});
    return done;
  }

  #commit(propose: (hashes: Hashes) => readonly Pinning[]): Promise<void> {
    return this.#inTurn(() =>
      retryConflicts("The journal of definitions could not be written.", async (attempt) => {
        if (attempt > 0 || !this.#isLoaded) await this.#load();
        const pinnings = propose(this.#loaded.known);
        if (pinnings.length === 0) return;
        const { expectedVersion, entries } = this.#toAppend(pinnings);
        const keep = pinnings.map(({ tool, definition }) => ({ key: keyOf(tool), value: definition.text }));
        // INVARIANT: a failed append may have been written, so the known pins must be loaded again.
        this.#isLoaded = false;
        const { store } = this.#options;
        const urgent = { urgent: attempt > 0 };
        const { status } = await store.append(GATEWAY_CHAIN, expectedVersion, entries, keep, urgent);
        if (status === "conflict") return null;
        const { seq: version, hash } = entries.at(-1) ?? { seq: expectedVersion, hash: "" };
        this.#loaded = { head: { version, hash }, known: follow(this.#loaded.known, entries) };
        this.#isLoaded = true;
        return;
      }),
    );
  }

  #toAppend(pinnings: readonly Pinning[]): SessionAppend {
    const { head, known } = this.#loaded;
    const entries = pinnings.map(({ kind, tool, definition: { hash } }) => {
      const previous = known.get(tool);
      return { kind, data: { tool, hash, ...(previous !== undefined && { previous }) } };
    });
    const at = toTimestamp(this.#options.clock.now());
    return toGatewayAppend(head, entries, { at, policy: this.#options.policyVersion() });
  }

  async #load(): Promise<void> {
    const { store } = this.#options;
    this.#loaded = await readGatewayChain(this.#loaded, { store, empty: NOTHING.known, follow });
    this.#isLoaded = true;
  }
}

/** An unreadable pin counts as a pin that no definition matches. */
function follow(known: Hashes, entries: readonly JournalEntry[]): Hashes {
  const hashes = new Map(known);
  for (const { kind, data } of entries) {
    const { tool, hash } = data;
    if (!KINDS.has(kind) || typeof tool !== "string") continue;
    hashes.set(tool, typeof hash === "string" ? hash : "");
  }
  return hashes;
}
