/** Who wants to hear when a resource of a server changes; told again to each new connection. */
import { ChannelError } from "./channel.ts";
import type { Connection } from "./connection.ts";

interface Entry {
  readonly call: () => void;
}

interface Subscription {
  readonly listeners: Set<Entry>;
  /** The first answer of the server. */
  readonly ready: Promise<unknown>;
  stop: Promise<(() => Promise<void>) | null>;
}

export class Subscriptions {
  readonly #byUri = new Map<string, Subscription>();
  #connection: Connection | null = null;

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
      throw cause;
    }
    return () => this.#remove(uri, entry);
  }

  #begin(uri: string): Subscription {
    const connection = this.#connection;
    if (connection === null) throw new ChannelError("it is not connected");
    const ready = connection.subscribe(uri);
    const subscription = { listeners: new Set<Entry>(), ready, stop: ready.catch(() => null) };
    this.#byUri.set(uri, subscription);
    return subscription;
  }

  updated(uri: string): void {
    for (const { call } of [...(this.#byUri.get(uri)?.listeners ?? [])]) call();
  }

  #remove(uri: string, entry: Entry): void {
    const subscription = this.#byUri.get(uri);
    if (!subscription?.listeners.delete(entry) || subscription.listeners.size > 0) return;
    this.#byUri.delete(uri);
    void subscription.stop.then((stop) => stop?.()).catch(() => {});
  }
}
