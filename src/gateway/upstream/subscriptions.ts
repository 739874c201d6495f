/** Who wants to hear when a resource of a server changes; told again to each new connection. */
import { ChannelError } from "./channel.ts";
import { type CoalescedJob, createCoalescedJob } from "./coalesced-job.ts";
import type { Connection } from "./connection.ts";
import type { Schedule } from "./schedule.ts";

interface Entry {
  readonly call: () => void;
}

interface Subscription {
  readonly listeners: Set<Entry>;
  /** The first answer of the server. */
  readonly ready: Promise<unknown>;
  /** Tells the listeners. THREAT: the server says as often as it likes that a resource has changed. */
  readonly telling: CoalescedJob;
  stop: Promise<(() => Promise<void>) | null>;
}

export interface SubscriptionsOptions {
  /** Milliseconds between two times at which the listeners of one resource are told. */
  readonly pauseMs: number;
  readonly schedule: Schedule;
}

export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #byUri = new Map<string, Subscription>();
  #connection: Connection | null = null;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** From now on on this connection (null: on none). */
  use(connection: Connection | null): void {
    this.#connection = connection;
    if (connection === null) return;
    for (const [uri, subscription] of this.#byUri) {
      subscription.stop = connection.subscribe(uri).catch(() => null);
    }
  }

  /** @throws what the server answered, where it doesn't take the subscription, or that there is no connection. */
  async add(uri: string, listener: () => void): Promise<() => void> {
    const entry = { call: listener };
    const known = this.#byUri.get(uri) ?? this.#begin(uri);
    known.listeners.add(entry);
    try {
      await known.ready;
    } catch (cause) {
      known.listeners.delete(entry);
      if (this.#byUri.get(uri) === known) this.#byUri.delete(uri);
      known.telling.stop();
      throw cause;
    }
    return () => this.#remove(uri, entry);
  }

  #begin(uri: string): Subscription {
    const connection = this.#connection;
    if (connection === null) throw new ChannelError("it is not connected");
    const ready = connection.subscribe(uri);
    const listeners = new Set<Entry>();
    const tell = async (): Promise<void> => {
      for (const { call } of [...listeners]) call();
    };
    const telling = createCoalescedJob(tell, this.#options.pauseMs, this.#options.schedule);
    const subscription = { listeners, ready, telling, stop: ready.catch(() => null) };
    this.#byUri.set(uri, subscription);
    return subscription;
  }

  updated(uri: string): void {
    this.#byUri.get(uri)?.telling.trigger();
  }

  #remove(uri: string, entry: Entry): void {
    const subscription = this.#byUri.get(uri);
    if (!subscription?.listeners.delete(entry) || subscription.listeners.size > 0) return;
    this.#byUri.delete(uri);
    subscription.telling.stop();
    void subscription.stop.then((stop) => stop?.()).catch(() => {});
  }
}
