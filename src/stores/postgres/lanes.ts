/** Work that takes turns by name: what shares a name runs in the order in which it was asked for. */
export class Lanes {
  /** The last work of each name. None of them rejects. */
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = names.flatMap((name) => this.#last.get(name) ?? []);
    const running = before.length === 0 ? work() : Promise.all(before).then(work);
    const ended = running.catch(() => {});
    for (const name of names) this.#last.set(name, ended);
    try {
      return await running;
    } finally {
      for (const name of names) if (this.#last.get(name) === ended) this.#last.delete(name);
    }
  }

  /** Resolves when nothing runs or waits. */
  async drain(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }
}
