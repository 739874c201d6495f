/** The resources that one client wants to hear of: each is decided on when it is subscribed to, and ends with the client. */
import { toMethodId } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { Session } from "../../session/index.ts";
import { mayReach } from "../exchange.ts";
import type { Service } from "../service.ts";
import { findResource } from "./offers.ts";

/** Resources that one client may hear of. */
export const MOST_SUBSCRIPTIONS = 256;

interface Subscription {
  readonly server: string;
  readonly stop: (() => void) | null;
}

export class Subscriptions {
  readonly #service: Service;
  readonly #session: Session;
  readonly #onUpdated: (uri: string) => void;
  /** By the URIs that the client gave; null while the server is asked. */
  readonly #held = new Map<string, Subscription | null>();
  #isClosed = false;

  /** `onUpdated` hears of changes, under the URIs that the client gave. */
  constructor(service: Service, session: Session, onUpdated: (uri: string) => void) {
    this.#service = service;
    this.#session = session;
    this.#onUpdated = onUpdated;
  }

  /** @throws SluicegateError where there is no such resource, the gate refuses or the server doesn't take it. */
  async add(uri: string): Promise<void> {
    if (this.#held.has(uri)) return;
    if (this.#held.size >= MOST_SUBSCRIPTIONS) throw tooMany();
    const { server, key } = findResource(this.#service, this.#session, uri);
    // Its place is taken before anything is awaited, so that many at once can't pass the limit together.
    this.#held.set(uri, null);
    try {
      const stop = await this.#subscribe(server, key, uri);
      this.#held.set(uri, { server, stop });
      if (this.#isClosed) this.remove(uri);
    } catch (cause) {
      this.#held.delete(uri);
      throw cause;
    }
  }

  async #subscribe(server: string, key: string, uri: string): Promise<(() => void) | null> {
    const offers = this.#service.catalog.provider(server)?.offers;
    const heard = (): void => {
      if (!this.#session.state.closed && this.#held.get(uri)) this.#onUpdated(uri);
    };
    const outcome = await this.#session.call(
      { tool: toMethodId(server, "resources/subscribe"), arguments: { uri: key } },
      async () => offers?.subscribe(key, heard),
    );
    if (outcome.effect !== "allow") throw refused(outcome.reasons.map(({ message }) => message).join(" "));
    return outcome.result ?? null;
  }

  remove(uri: string): void {
    const held = this.#held.get(uri);
    this.#held.delete(uri);
    if (held === null || held === undefined) return;
    const id = toMethodId(held.server, "resources/subscribe");
    void mayReach(this.#service.gate, this.#session, id).then((may) => {
      if (may) held.stop?.();
    });
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
    why: `One client may have ${MOST_SUBSCRIPTIONS}.`,
    fix: "Unsubscribe from one.",
  });
