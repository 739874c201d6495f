/**
 * All tabs of this browser share one event stream: over HTTP/1.1 a browser opens six connections to a gateway, and a
 * stream holds one of them for good, so that a seventh tab would get no answer to anything. The tab that has the
 * lock listens, and tells the others what it hears.
 */
import type { EventSourceMessage } from "eventsource-parser";
import { BASE_PATH } from "../base-path.ts";

/** What tabs tell each other. */
export type Told =
  /** From the gateway; `message` is null where it only said that it is still there. `to` one tab alone. */
  | { readonly kind: "heard"; readonly message: EventSourceMessage | null; readonly to?: string }
  | { readonly kind: "lost"; readonly since: number }
  /** Of a tab that has only just come. */
  | { readonly kind: "come"; readonly from: string }
  | { readonly kind: "retry" };

const NAME = `sluicegate-live${BASE_PATH}`;
/** Only a page that came by HTTPS or from this machine has locks; elsewhere each tab has a stream of its own. */
const HAS_LOCKS = "locks" in navigator;
/** A tab that tells nothing for so long was put to sleep, and another one takes over. */
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

  /** Waits for its turn, takes it, and gives it back. Whether the tab whose turn it is said nothing for too long. */
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
    // It rejects when it is given up, and when another tab takes over.
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
