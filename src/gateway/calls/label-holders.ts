/** Who a request's share is counted for: the operator, or the session that holds the label of the caller's session. */
import { BoundedMap } from "../../json/bounded-map.ts";
import type { Gate } from "../../runtime/index.ts";
import type { Caller } from "../http/authority.ts";

const MAX_REMEMBERED = 20_000;

export class LabelHolders {
  readonly #gate: Pick<Gate, "session">;
  readonly #known = new BoundedMap<string, string>(MAX_REMEMBERED);

  constructor(gate: Pick<Gate, "session">) {
    this.#gate = gate;
  }

  /** Never rejects: a session that can't be read counts by itself. */
  of(caller: Caller): string | Promise<string> {
    if (caller.kind === "operator") return caller.kind;
    return this.#known.get(caller.session) ?? this.#find(caller.session);
  }

  async #find(id: string): Promise<string> {
    const session = await this.#gate.session(id).catch(() => null);
    if (session === null) return id;
    this.#known.set(id, session.labelHolder);
    return session.labelHolder;
  }
}
