/** The resources to which one client is subscribed. Each subscription is decided on, and ends with the client. */
import { toMethodId } from "../../../core/index.ts";
import { SluicegateError } from "../../../errors/index.ts";
import type { Session } from "../../../runtime/index.ts";
import { mayReach } from "../../../runtime/internal.ts";
import type { Service } from "../../service.ts";
import { findResource } from "./offers.ts";

/** Subscriptions of one client. */
export const MAX_SUBSCRIPTIONS = 256;

interface Subscription {
  readonly server: string;
  /** Null while the server's answer is pending. */
  stop: (() => void) | null;
  isWanted: boolean;
  /** The resource changed during a freeze. */
  isMissed: boolean;
}

export class Subscriptions {
  readonly #service: Service;
  readonly #session: Session;
  readonly #onUpdated: (uri: string) => void;
  /** By the client's URIs. */
  readonly #held = new Map<string, Subscription>();
  #isClosed = false;

  /** `onUpdated` is called with the client's URIs. */
  constructor(service: Service, session: Session, onUpdated: (uri: string) => void) {
    this.#service = service;
    this.#session = session;
    this.#onUpdated = onUpdated;
  }

  /** @throws SluicegateError if there is no such resource, or the gate or the server refuses. */
  async add(uri: string): Promise<void> {
    if (this.#held.has(uri)) return;
    if (this.#held.size >= MAX_SUBSCRIPTIONS) throw tooMany();
    const { server, key } = findResource(this.#service, this.#session, uri);
    // Added before anything is awaited, so that many at once can't exceed the limit together.
    const held: Subscription = { server, stop: null, isWanted: !this.#isClosed, isMissed: false };
    this.#held.set(uri, held);
    try {
      held.stop = await this.#subscribe(held, key, uri);
    } catch (cause) {
      this.#drop(uri, held);
      throw cause;
    }
    if (!held.isWanted) await this.#end(held);
  }

  async #subscribe(held: Subscription, key: string, uri: string): Promise<(() => void) | null> {
    const offers = this.#service.catalog.provider(held.server)?.offers;
    const heard = (): void => void this.#notify(uri, held);
    const { labelHolder } = this.#session;
    const mayRenew = (): Promise<boolean> => this.#mayRenew(uri, held);
    const outcome = await this.#session.call(
      { tool: toMethodId(held.server, "resources/subscribe"), arguments: { uri: key } },
      async () => offers?.subscribe(key, heard, { labelHolder, mayRenew }),
    );
    if (outcome.effect !== "allow") throw refused(outcome.reasons.map(({ message }) => message).join(" "));
    return outcome.result ?? null;
  }

  remove(uri: string): void {
    const held = this.#held.get(uri);
    if (held === undefined) return;
    this.#drop(uri, held);
    void this.#end(held);
  }

  #drop(uri: string, held: Subscription): void {
    held.isWanted = false;
    if (this.#held.get(uri) === held) this.#held.delete(uri);
  }

  /** If the server may not be told now, the subscription ends with its lease. */
  async #end(held: Subscription): Promise<void> {
    if (!(await this.#mayReach(held))) return;
    held.stop?.();
    held.stop = null;
  }

  /** During a freeze the client hears nothing; it is notified when the subscription is renewed after it. */
  async #notify(uri: string, held: Subscription): Promise<void> {
    const method = toMethodId(held.server, "resources/subscribe");
    held.isMissed = await this.#session.isFrozen(method).catch(() => true);
    if (!held.isMissed && held.isWanted && !this.#session.state.closed) this.#onUpdated(uri);
  }

  /**
   * THREAT: while the session may not reach the server, the subscription isn't renewed, whatever the client wants. A
   * client that still listens gets one more notification; when it reads the resource, it is refused with the reason.
   */
  async #mayRenew(uri: string, held: Subscription): Promise<boolean> {
    const may = await this.#mayReach(held);
    const isHeard = held.isWanted && !this.#session.state.closed;
    const mayGoOn = may && isHeard;
    if (isHeard && (!mayGoOn || held.isMissed)) await this.#notify(uri, held);
    if (!mayGoOn) this.#drop(uri, held);
    return mayGoOn;
  }

  #mayReach({ server }: Subscription): Promise<boolean> {
    return mayReach(this.#session, toMethodId(server, "resources/subscribe"));
  }

  close(): void {
    this.#isClosed = true;
    for (const uri of [...this.#held.keys()]) this.remove(uri);
  }
}

const refused = (why: string): SluicegateError =>
  new SluicegateError("permission-denied", "The resource can't be subscribed to.", {
    why,
    fix: "Read it when it is needed, in a session that may.",
  });

const tooMany = (): SluicegateError =>
  new SluicegateError("limit-reached", "Too many resources are subscribed to.", {
    why: `One client may have ${MAX_SUBSCRIPTIONS}.`,
    fix: "Unsubscribe from one.",
  });
