/**
 * Subscriptions to a server's resources, repeated on each new connection. Slots are shared between label holders.
 * Each subscription is a lease: it ends after a period unless it may be renewed then.
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

/** The part of all slots that one label holder may have. */
const SHARE = 4;

interface Subscription {
  readonly listeners: Set<Entry>;
  /** The first answer of the server. */
  readonly ready: Promise<unknown>;
  /** Notifies the listeners. THREAT: the server chooses how often a resource changes. */
  readonly telling: CoalescedJob;
  stop: Promise<(() => Promise<void>) | null>;
}

export interface SubscriptionsOptions {
  /** Between two notifications of the listeners of one resource, in milliseconds. */
  readonly pauseMs: number;
  /** The lease of a subscription, in milliseconds. */
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

  /** Uses this connection from now on (null: none). */
  use(connection: Connection | null): void {
    this.#connection = connection;
    if (connection === null) return;
    for (const [uri, subscription] of this.#byUri) {
      subscription.stop = connection.subscribe(uri).catch(() => null);
    }
  }

  /**
   * @throws the server's error if it refuses the subscription, or that there is no connection; SluicegateError
   *   `limit-reached`.
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

  /** THREAT: the end of a subscription is information for the server, so the period is the same for all. */
  #lease(uri: string, entry: Entry, mayRenew: () => Promise<boolean>): void {
    if (!this.#byUri.get(uri)?.listeners.has(entry)) return;
    const renew = async (): Promise<void> => {
      if (await mayRenew()) this.#lease(uri, entry, mayRenew);
      else this.#remove(uri, entry);
    };
    entry.stopLease = this.#options.schedule(() => void renew(), this.#options.leaseMs);
  }

  /** Renews no more subscriptions. */
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
