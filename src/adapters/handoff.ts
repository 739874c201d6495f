/** Hands values from a tool that streams to whoever reads them, one at a time: the tool waits for its reader. */

export class Handoff<Value> {
  #offered: { readonly value: Value; readonly taken: (go: boolean) => void } | null = null;
  #ended = false;
  #left = false;
  #wake: () => void = () => {};

  /** Resolves once the value was taken; false where the reader has left. */
  give(value: Value): Promise<boolean> {
    if (this.#left) return Promise.resolve(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#offered = { value, taken: resolve };
    this.#wake();
    return promise;
  }

  /** Nothing more comes. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *read(): AsyncGenerator<Value, void, void> {
    try {
      for (;;) {
        const offered = this.#offered;
        if (offered !== null) {
          yield offered.value;
          this.#offered = null;
          offered.taken(true);
        } else if (this.#ended) return;
        else await this.#next();
      }
    } finally {
      this.#left = true;
      this.#offered?.taken(false);
    }
  }

  #next(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return promise;
  }
}
