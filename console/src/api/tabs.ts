/**
 * All tabs of this browser share one event stream: over HTTP/1.1 a browser opens six connections to a gateway, so the
 * streams of six tabs would block everything else. The tab that has the lock listens, and passes the events on to the
 * others.
 */
import type { EventSourceMessage } from "eventsource-parser";
import { BASE_PATH } from "../base-path.ts";

/** Messages between tabs. */
export type Told =
  /** From the gateway; `message` is null for a keep-alive. `to` is set for a single tab. */
  | { readonly kind: "heard"; readonly message: EventSourceMessage | null; readonly to?: string }
  | { readonly kind: "lost"; readonly since: number }
  /** From a new tab. */
  | { readonly kind: "come"; readonly from: string }
  | { readonly kind: "retry" };

const NAME = `sluicegate-live${BASE_PATH}`;
/** Only a page over HTTPS or from this machine has locks; otherwise each tab has its own stream. */
const HAS_LOCKS = "locks" in navigator;
/** After so long without a message, the listening tab is suspended, and another one takes over. */
const SILENCE_MS = 30_000;

export class Tabs {
  readonly #id = `${Math.random()}`;
  readonly #channel = new BroadcastChannel(NAME);
  #silence: ReturnType<typeof setTimeout> | undefined;
  #onSilence: (() => void) | null = null;

  constructor(onTold: (told: Told) => void) {
    this.#channel.onmessage = ({ data }: MessageEvent<Told>) => {
      if (data.kind === "heard" || data.kind === "lost") this.#expectMore();
      if (data.kind !== "heard" || data.to === undefined || data.to === this.#id) onTold(data);
    };
  }

  tell(told: Told): void {
    if (HAS_LOCKS) this.#channel.postMessage(told);
  }

  /** Runs `listen` while it is this tab's turn, until it is stopped. */
  async run(listen: (signal: AbortSignal) => Promise<void>, stopped: AbortSignal): Promise<void> {
    this.tell({ kind: "come", from: this.#id });
    if (!HAS_LOCKS) await listen(stopped);
    for (let isSilent = false; !stopped.aborted; ) isSilent = await this.#wait(listen, stopped, isSilent);
    this.#channel.close();
  }

  /** Waits for the lock, holds it, and releases it. Returns whether the listening tab was silent for too long. */
  async #wait(
    listen: (signal: AbortSignal) => Promise<void>,
    stopped: AbortSignal,
    isForced: boolean,
  ): Promise<boolean> {
    const [silent, over] = [new AbortController(), new AbortController()];
    const take = (): Promise<void> => {
      this.#expectNothing();
      return listen(AbortSignal.any([stopped, over.signal]));
    };
    this.#onSilence = () => silent.abort();
    this.#expectMore();
    const how = isForced ? { steal: true } : { signal: AbortSignal.any([stopped, silent.signal]) };
    // Rejects when the wait ends, and when another tab takes over.
    await navigator.locks.request(NAME, how, take).catch(() => {});
    this.#expectNothing();
    over.abort();
    return silent.signal.aborted;
  }

  #expectMore(): void {
    clearTimeout(this.#silence);
    if (this.#onSilence !== null) this.#silence = setTimeout(this.#onSilence, SILENCE_MS);
  }

  #expectNothing(): void {
    clearTimeout(this.#silence);
    this.#onSilence = null;
  }
}
