/**
 * Who wants to hear when a resource of a server changes; told again to each new connection. Places are shared out
 * between label holders. Each subscription is a lease: it ends at the end of a period unless it may be renewed then.
 */
import { SluicegateError } from "../../../errors/index.ts";
import type { Subscriber } from "../../../runtime/index.ts";
import { type CoalescedJob, createCoalescedJob } from "../calls/coalesced-job.ts";
import type { Schedule } from "../calls/schedule.ts";
import { ChannelError } from "../transport/channel.ts";
import type { Connection } from "../transport/connection.ts";

interface Entry {
  readonly call: () => void;
  readonly labelHolder: string | undefined;
  stopLease: () => void;
}

/** The part of all places that one label holder may have: one in so many. */
const SHARE = 4;

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
  /** Milliseconds after which a subscription ends unless it may be renewed. */
  readonly leaseMs: number;
  /** Resources that may be subscribed to. */
  readonly most: number;
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

  /**
   * @throws what the server answered, where it doesn't take the subscription, or that there is no connection;
   * SluicegateError `limit-reached`.
   */
  async add(uri: string, listener: () => void, subscriber: Subscriber = {}): Promise<() => void> {
    const { labelHolder, mayRenew = async () => true } = subscriber;
    this.#assertRoom(uri, labelHolder);
    const entry: Entry = { call: listener, labelHolder, stopLease: () => {} };
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
    this.#lease(uri, entry, mayRenew);
    return () => this.#remove(uri, entry);
  }

  #assertRoom(uri: string, labelHolder: string | undefined): void {
    const { most } = this.#options;
    const isHeld = ({ listeners }: Subscription): boolean =>
      labelHolder !== undefined && [...listeners].some((entry) => entry.labelHolder === labelHolder);
    const known = this.#byUri.get(uri);
    if (known && isHeld(known)) return;
    const held = [...this.#byUri.values()].filter(isHeld).length;
    const hasFloor = labelHolder !== undefined && held === 0;
    if (held >= Math.max(1, Math.floor(most / SHARE))) throw noRoom(most);
    if (!hasFloor && !known && this.#byUri.size >= most) throw noRoom(most);
  }

  /** THREAT: who ends a subscription tells the server something, so the period is the same for each. */
  #lease(uri: string, entry: Entry, mayRenew: () => Promise<boolean>): void {
    if (!this.#byUri.get(uri)?.listeners.has(entry)) return;
    const renew = async (): Promise<void> => {
      if (await mayRenew()) this.#lease(uri, entry, mayRenew);
      else this.#remove(uri, entry);
    };
    entry.stopLease = this.#options.schedule(() => void renew(), this.#options.leaseMs);
  }

  /** No subscription is renewed from now on. */
  close(): void {
    for (const { listeners, telling } of this.#byUri.values()) {
      telling.stop();
      for (const entry of listeners) entry.stopLease();
    }
    this.#byUri.clear();
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
    if (!subscription?.listeners.delete(entry)) return;
    entry.stopLease();
    if (subscription.listeners.size > 0) return;
    this.#byUri.delete(uri);
    subscription.telling.stop();
    void subscription.stop.then((stop) => stop?.()).catch(() => {});
  }
}

const noRoom = (most: number): SluicegateError =>
  new SluicegateError("limit-reached", "Too many resources of the server are subscribed to.", {
    why: `There may be ${most}, a quarter of them for one session and its forks.`,
    fix: "Unsubscribe from one, or read the resource when it is needed.",
  });
