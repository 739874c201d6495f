/** The resources that one client wants to hear of: each is decided on when it is subscribed to, and ends with the client. */
import { toMethodId } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { Session } from "../../session/index.ts";
import type { Service } from "../service.ts";
import { findResource } from "./offers.ts";

const MOST = 256;

export class Subscriptions {
  readonly #service: Service;
  readonly #session: Session;
  readonly #onUpdated: (uri: string) => void;
  readonly #stops = new Map<string, () => void>();
  #isClosed = false;

  /** `onUpdated` hears of changes, under the URIs that the client gave. */
  constructor(service: Service, session: Session, onUpdated: (uri: string) => void) {
    this.#service = service;
    this.#session = session;
    this.#onUpdated = onUpdated;
  }

  /** @throws SluicegateError where there is no such resource, the gate refuses or the server doesn't take it. */
  async add(uri: string): Promise<void> {
    if (this.#stops.has(uri)) return;
    if (this.#stops.size >= MOST) throw tooMany();
    const { server, key } = findResource(this.#service, this.#session, uri);
    const offers = this.#service.catalog.provider(server)?.offers;
    const outcome = await this.#session.call(
      { tool: toMethodId(server, "resources/subscribe"), arguments: { uri: key } },
      async () => offers?.subscribe(key, () => this.#onUpdated(uri)),
    );
    if (outcome.effect !== "allow") throw refused(outcome.reasons.map(({ message }) => message).join(" "));
    const stop = outcome.result;
    if (stop === undefined) return;
    if (this.#isClosed || this.#stops.has(uri)) stop();
    else this.#stops.set(uri, stop);
  }

  remove(uri: string): void {
    this.#stops.get(uri)?.();
    this.#stops.delete(uri);
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops.values()) stop();
    this.#stops.clear();
  }
}

const refused = (why: string): SluicegateError =>
  new SluicegateError("permission-denied", "The resource can't be subscribed to.", {
    why,
    fix: "Read it when it is needed, in a session that may.",
  });

const tooMany = (): SluicegateError =>
  new SluicegateError("limit-reached", "Too many resources are subscribed to.", {
    why: `One client may have ${MOST}.`,
    fix: "Unsubscribe from one.",
  });
