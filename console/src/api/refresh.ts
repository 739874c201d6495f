/** Requests outdated data again: soon, but not for each of fifty events a second. */
import type { QueryClient, QueryKey } from "@tanstack/react-query";
import type { LiveEvent } from "./live.ts";

/** The minimum time between two requests for the same data. */
const PACE_MS: ReadonlyMap<unknown, number> = new Map([["approvals", 250]]);
const USUAL_PACE_MS = 1_000;
/** The key of the pending approvals in `queries.ts`. */
const WAITING: QueryKey = ["approvals", "waiting"];

/** Events that may raise a session's label. */
const RAISING: ReadonlySet<string> = new Set(["call-admitted", "label-raised"]);

/**
 * The queries whose answers an event may change.
 * @param isAsked whether an approval of its session is shown, with the session's label
 */
export function keysOf({ kind, session }: LiveEvent, isAsked = false): readonly QueryKey[] {
  // Another policy changes tools, which of them are blocked, and what needs approval.
  if (kind === "hello" || kind === "policy-changed") return [[]];
  // These entries are in the gateway's own chain.
  if (kind.startsWith("freeze-")) return [["freezes"], ["session"]];
  if (kind.startsWith("standing-")) return [["approvals", "standing"]];
  if (session === null || session === "gateway") return [["policy"], ["tools"], ["session"]];
  const approvals =
    kind.startsWith("approval-") ||
    kind === "session-closed" ||
    kind === "impossible-reported" ||
    kind === "refusal-appealed" ||
    (isAsked && RAISING.has(kind));
  return [...(approvals ? [["approvals"]] : []), ["sessions"], ["session", session]];
}

/** Requests outdated data again, each at its minimum time and never twice at once. */
export class Refresher {
  readonly #client: QueryClient;
  readonly #waiting = new Set<string>();
  readonly #running = new Set<string>();

  constructor(client: QueryClient) {
    this.#client = client;
  }

  take(event: LiveEvent): void {
    for (const key of keysOf(event, this.#isAsked(event.session))) this.#refresh(key);
  }

  #isAsked(session: string | null): boolean {
    const waiting = this.#client.getQueryData<readonly { readonly session_id: string }[]>(WAITING);
    return waiting?.some(({ session_id }) => session_id === session) === true;
  }

  #refresh(key: QueryKey): void {
    const name = JSON.stringify(key);
    if (this.#running.has(name)) this.#waiting.add(name);
    else void this.#run(key, name);
  }

  async #run(key: QueryKey, name: string): Promise<void> {
    this.#running.add(name);
    const pace = new Promise((resolve) => setTimeout(resolve, PACE_MS.get(key[0]) ?? USUAL_PACE_MS));
    // An answer in progress may be from before the event, so the query is repeated. A first answer is awaited, then
    // requested again.
    const isFirst = this.#isFirst(key);
    await this.#client.invalidateQueries({ queryKey: key });
    if (isFirst) await this.#client.invalidateQueries({ queryKey: key });
    await pace;
    this.#running.delete(name);
    if (this.#waiting.delete(name)) this.#refresh(key);
  }

  #isFirst(key: QueryKey): boolean {
    const asked = this.#client.getQueryCache().findAll({ queryKey: key });
    return asked.some(({ state }) => state.fetchStatus === "fetching" && state.data === undefined);
  }
}
