/** Who wants to hear when a resource of a server changes; told again to each new connection. */
import type { Connection } from "./connection.ts";

interface Subscription {
  readonly listeners: Set<{ readonly call: () => void }>;
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

  /** @throws what the server answered, where it doesn't take the subscription. */
  async add(uri: string, listener: () => void): Promise<() => void> {
    const known = this.#byUri.get(uri);
    const connection = this.#connection;
    const entry = { call: listener };
    if (known !== undefined) known.listeners.add(entry);
    else if (connection !== null) {
      const subscribed = connection.subscribe(uri);
      this.#byUri.set(uri, { listeners: new Set([entry]), stop: subscribed.catch(() => null) });
      try {
        await subscribed;
      } catch (cause) {
        this.#byUri.delete(uri);
        throw cause;
      }
    }
    return () => this.#remove(uri, entry);
  }

  updated(uri: string): void {
    for (const { call } of [...(this.#byUri.get(uri)?.listeners ?? [])]) call();
  }

  #remove(uri: string, entry: { readonly call: () => void }): void {
    const subscription = this.#byUri.get(uri);
    if (!subscription?.listeners.delete(entry) || subscription.listeners.size > 0) return;
    this.#byUri.delete(uri);
    void subscription.stop.then((stop) => stop?.()).catch(() => {});
  }
}
