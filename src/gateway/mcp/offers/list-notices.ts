/**
 * Notifies the clients of a session when their lists have changed: because of the session's label, the policy, an
 * accepted definition, or what a server offers. Only lists that really differ are announced.
 */
import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { FeedEntry, Session } from "../../../runtime/index.ts";
import type { Service } from "../../service.ts";
import { closedOffers, offered } from "./offers.ts";
import { listTools } from "./tool-handlers.ts";

export type ListKind = "tools" | "resources" | "prompts";

const KINDS: readonly ListKind[] = ["tools", "resources", "prompts"];

interface Watched {
  readonly session: Session;
  readonly listeners: Set<{ readonly call: (kind: ListKind) => void }>;
  /** The digest of each list when it was last examined. */
  told: Readonly<Record<ListKind, string>>;
  /** The session's label at that time; an entry that leaves it unchanged changes no list. */
  label: Session["label"];
}

export class ListNotices {
  readonly #service: Service;
  readonly #onFault: (cause: unknown) => void;
  readonly #watched = new Map<string, Watched>();
  readonly #doubted = new Set<string>();
  readonly #stops: readonly (() => void)[];
  #look: NodeJS.Immediate | null = null;

  constructor(service: Service, onFault: (cause: unknown) => void) {
    const { gate, catalog } = service;
    this.#service = service;
    this.#onFault = onFault;
    const doubtAll = (): void => this.#doubt(this.#watched.keys());
    this.#stops = [
      gate.watch((entries) => this.#doubt(this.#raised(entries))),
      gate.watchPolicy(doubtAll),
      ...catalog.providers.map((provider) => provider.watch(doubtAll)),
    ];
  }

  /** Calls the listener with each list of this session that changes. Returns a function that ends this. */
  watch(session: Session, listener: (kind: ListKind) => void): () => void {
    const known = this.#watched.get(session.id);
    const { label } = session;
    const watched = known ?? { session, listeners: new Set(), told: this.#lists(session), label };
    this.#watched.set(session.id, watched);
    const entry = { call: listener };
    watched.listeners.add(entry);
    return () => {
      watched.listeners.delete(entry);
      if (watched.listeners.size === 0 && this.#watched.get(session.id) === watched)
        this.#watched.delete(session.id);
    };
  }

  close(): void {
    for (const stop of this.#stops) stop();
    if (this.#look !== null) clearImmediate(this.#look);
    this.#watched.clear();
  }

  /** The watched sessions among these entries whose label has changed, or which are closed. */
  #raised(entries: readonly FeedEntry[]): ReadonlySet<string> {
    const sessions = new Set<string>();
    for (const { session, entry } of entries) {
      const watched = this.#watched.get(session);
      const { label } = entry.data;
      if (watched === undefined || isDeepStrictEqual(label, watched.label)) continue;
      if (label !== undefined || entry.kind === "session-closed") sessions.add(session);
    }
    return sessions;
  }

  #doubt(sessions: Iterable<string>): void {
    for (const session of sessions) if (this.#watched.has(session)) this.#doubted.add(session);
    if (this.#doubted.size === 0 || this.#look !== null) return;
    // Changes in one turn of the event loop are announced once; each further turn examines one session.
    this.#look = setImmediate(() => {
      this.#look = null;
      const [session] = this.#doubted;
      if (session === undefined) return;
      this.#doubted.delete(session);
      this.#tell(session);
      this.#doubt([]);
    });
  }

  #tell(id: string): void {
    const watched = this.#watched.get(id);
    if (watched === undefined) return;
    try {
      const now = this.#lists(watched.session);
      const changed = KINDS.filter((kind) => now[kind] !== watched.told[kind]);
      watched.told = now;
      watched.label = watched.session.label;
      for (const { call } of [...watched.listeners]) for (const kind of changed) call(kind);
    } catch (cause) {
      this.#onFault(cause);
    }
  }

  #lists(session: Session): Watched["told"] {
    const service = this.#service;
    const resources = [
      offered(service, session, "resources"),
      offered(service, session, "templates"),
      closedOffers(service, session),
    ];
    return {
      tools: digestOfTools(listTools(service, session)),
      resources: digestOf(resources),
      prompts: digestOf(offered(service, session, "prompts")),
    };
  }
}

/** A list of tools is the same object as long as its content is the same. */
const toolDigests = new WeakMap<object, string>();

function digestOfTools(list: object): string {
  const digest = toolDigests.get(list) ?? digestOf(list);
  toolDigests.set(list, digest);
  return digest;
}

const digestOf = (list: unknown): string => hash("sha256", JSON.stringify(list), "base64url");
