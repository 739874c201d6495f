/**
 * Secrets that a gateway must store, such as tokens for its servers: encrypted values beside the gateway's own
 * journal, shared by all gateways on a store. The key is never in the store.
 */
import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { GATEWAY_CHAIN, toGatewayAppend } from "./journal/gateway-chain.ts";
import { CHAIN_START } from "./journal/journal.ts";
import { retryConflicts } from "./journal/retry-conflicts.ts";
import { type Clock, toTimestamp } from "./ports/clock.ts";
import { type Random, systemRandom } from "./ports/random.ts";
import type { JournalEntry, Store } from "./ports/store.ts";

export interface SealedValuesOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** At least 32 random bytes, which aren't in the store. */
  readonly key: Uint8Array;
  /** The version of the policy in force. */
  readonly policyVersion: () => string;
  readonly random?: Random;
}

/** A value to store under a name; null deletes it. */
export interface SealedChange {
  readonly name: string;
  readonly value: string | null;
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PREFIX = "sealed:";
const PAGE = 500;
const OPENED = Object.freeze({ kind: "secrets-opened", data: {} });

export class SealedValues {
  readonly #options: SealedValuesOptions;
  readonly #key: Uint8Array;
  readonly #random: Random;

  constructor(options: SealedValuesOptions) {
    this.#options = options;
    this.#key = new Uint8Array(hkdfSync("sha256", options.key, "", "sluicegate sealed values", 32));
    this.#random = options.random ?? systemRandom;
  }

  /** The value of a name; null if there is none, or if it was sealed with another key or for another name. */
  async read(name: string): Promise<string | null> {
    const sealed = await this.#options.store.kept(GATEWAY_CHAIN, PREFIX + name);
    return sealed === null ? null : this.#open(name, sealed);
  }

  /** The names with this prefix. */
  async names(beginning: string): Promise<readonly string[]> {
    const found: string[] = [];
    for (let after = 0; ; ) {
      const page = await this.#options.store.keptWith(PREFIX + beginning, PAGE, after);
      for (const { session, key, position } of page) {
        if (session === GATEWAY_CHAIN) found.push(key.slice(PREFIX.length));
        after = position;
      }
      if (page.length < PAGE) return found;
    }
  }

  /** Stores and deletes values, together with an entry of the gateway's journal. Durable when it resolves. */
  write(changes: readonly SealedChange[], entry?: Pick<JournalEntry, "kind" | "data">): Promise<void> {
    const { store, clock, policyVersion } = this.#options;
    const keep = changes.map(({ name, value }) => ({
      key: PREFIX + name,
      value: value === null ? null : this.#seal(name, value),
    }));
    return retryConflicts("A secret could not be stored.", async (attempt) => {
      const head = (await store.head(GATEWAY_CHAIN)) ?? CHAIN_START;
      const moment = { at: toTimestamp(clock.now()), policy: policyVersion() };
      // A value needs a journal beside which it is stored.
      const added = entry ?? (head.version === 0 ? OPENED : null);
      const { expectedVersion, entries } = toGatewayAppend(head, added ? [added] : [], moment);
      const urgent = { urgent: attempt > 0 };
      const { status } = await store.append(GATEWAY_CHAIN, expectedVersion, entries, keep, urgent);
      return status === "conflict" ? null : undefined;
    });
  }

  /** The name is authenticated too, so that a value can't be moved to another name. */
  #seal(name: string, value: string): string {
    const nonce = this.#random(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(name));
    const text = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64");
  }

  #open(name: string, sealed: string): string | null {
    const bytes = Buffer.from(sealed, "base64");
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    if (tag.length < TAG_BYTES) return null;
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(name)).setAuthTag(tag);
      return (
        decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8")
      );
    } catch {
      return null;
    }
  }
}
