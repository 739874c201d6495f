/** The public state of a provider, and its watchers. */
import type { OfferedTool, ProviderStatus, ServerOffer } from "../../../runtime/index.ts";
import { NO_OFFER } from "./list-offer.ts";

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
  #offer: ServerOffer = NO_OFFER;

  /** `onFault` is called if a watcher throws. */
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

  get offer(): ServerOffer {
    return this.#offer;
  }

  change(status: ProviderStatus, problem: string | null, tools = this.#tools, offer = this.#offer): void {
    this.#status = status;
    this.#problem = problem;
    this.#tools = tools;
    this.#offer = offer;
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
