/** What others see of a provider, and who wants to hear when it changes. */
import type { OfferedTool, ProviderStatus } from "../../session/index.ts";

export type Tools = ReadonlyMap<string, OfferedTool>;

export class ProviderState {
  /** Resolves at the first change. */
  readonly settled: Promise<void>;
  readonly #watchers = new Set<{ readonly listener: () => void }>();
  readonly #onFault: () => void;
  #settle: () => void = () => {};
  #status: ProviderStatus = "starting";
  #problem: string | null = "it has not answered yet";
  #tools: Tools = new Map();

  /** `onFault` hears of a watcher that threw. */
  constructor(onFault: () => void) {
    this.#onFault = onFault;
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  get status(): ProviderStatus {
    return this.#status;
  }

  get problem(): string | null {
    return this.#problem;
  }

  get tools(): Tools {
    return this.#tools;
  }

  change(status: ProviderStatus, problem: string | null, tools: Tools = this.#tools): void {
    this.#status = status;
    this.#problem = problem;
    this.#tools = tools;
    this.#settle();
    for (const { listener } of [...this.#watchers]) {
      try {
        listener();
      } catch {
        this.#onFault();
      }
    }
  }

  watch(listener: () => void): () => void {
    const watcher = { listener };
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }
}
