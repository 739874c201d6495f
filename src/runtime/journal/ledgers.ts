/** The ledgers of the sessions in use, one per session in this process. */
import type { Ledger } from "./ledger.ts";

export class Ledgers {
  readonly #max: number;
  readonly #create: (session: string) => Ledger;
  readonly #inMemory = new Map<string, Ledger>();
  /** Ledgers dropped from memory, as long as somebody holds a handle of their session. */
  readonly #dropped = new Map<string, WeakRef<Ledger>>();
  readonly #unheld = new FinalizationRegistry<string>((session) => {
    if (this.#dropped.get(session)?.deref() === undefined) this.#dropped.delete(session);
  });

  /** Keeps about `max` in memory; idle ones beyond that are created again when they are needed. */
  constructor(max: number, create: (session: string) => Ledger) {
    this.#max = max;
    this.#create = create;
  }

  /** The only ledger of a session. The least recently used idle one is dropped. */
  of(session: string): Ledger {
    const ledger =
      this.#inMemory.get(session) ?? this.#dropped.get(session)?.deref() ?? this.#create(session);
    this.#dropped.delete(session);
    this.#inMemory.delete(session);
    this.#inMemory.set(session, ledger);
    if (this.#inMemory.size > this.#max) this.#makeRoom(ledger);
    return ledger;
  }

  /** Forgets the ledger of a session that doesn't exist. */
  delete(session: string): void {
    this.#inMemory.delete(session);
  }

  /** Resolves when nothing waits to be written. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#inMemory.values().map((ledger) => ledger.settled()));
  }

  #makeRoom(newest: Ledger): void {
    for (const [session, ledger] of this.#inMemory) {
      if (ledger === newest || !ledger.idle) continue;
      this.#inMemory.delete(session);
      // INVARIANT: a session has one ledger as long as anybody holds a handle of it, or two handles would
      // disagree.
      this.#dropped.set(session, new WeakRef(ledger));
      this.#unheld.register(ledger, session);
      return;
    }
  }
}
