/**
 * Who is calling: the operator, who may do everything, or the holder of one session's token, who may use that
 * session and nothing else. A session's token is its id and a keyed digest of it, so nothing is stored.
 */
import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from "node:crypto";
import { SluicegateError } from "../../errors/index.ts";
import { BoundedMap } from "../../json/bounded-map.ts";
import type { Gate } from "../../runtime/index.ts";

export type Caller = { readonly kind: "operator" } | { readonly kind: "session"; readonly session: string };

/** Sessions whose signature is remembered. */
const MAX_REMEMBERED = 1024;

const SESSION_TOKEN = /^sgs\.(sess_[0-9a-f]{32})\.([0-9a-f]{64})$/;

export class Authority {
  readonly #operator: Buffer;
  readonly #key: KeyObject;
  /** Of the sessions that were used last. */
  readonly #signatures = new BoundedMap<string, Buffer>(MAX_REMEMBERED);

  /** @param key at least 32 random bytes, kept with the store: whoever has it can make session tokens. */
  constructor(operatorToken: string, key: Uint8Array) {
    this.#operator = digest(operatorToken);
    this.#key = createSecretKey(key);
  }

  /** The token that may use this session. */
  sessionToken(session: string): string {
    return `sgs.${session}.${this.#sign(session)}`;
  }

  /**
   * The caller behind an `Authorization` header.
   * @throws SluicegateError `unauthorized` without a valid bearer token.
   */
  authenticate(header: string | undefined): Caller {
    const token = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
    if (token === undefined) throw unauthorized("The request carries no bearer token.");
    if (timingSafeEqual(digest(token), this.#operator)) return { kind: "operator" };
    const [, session, signature] = SESSION_TOKEN.exec(token) ?? [];
    if (session === undefined || signature === undefined)
      throw unauthorized("Its bearer token is not known here.");
    const known = this.#signatures.get(session);
    const expected = known ?? Buffer.from(this.#sign(session));
    if (!timingSafeEqual(expected, Buffer.from(signature))) {
      throw unauthorized("Its bearer token is not known here.");
    }
    // INVARIANT: only who brought the right one gets a place, so strangers can't drive others out.
    if (known === undefined) this.#signatures.set(session, expected);
    return { kind: "session", session };
  }

  #sign(session: string): string {
    return createHmac("sha256", this.#key).update(`session-token:${session}`).digest("hex");
  }
}

const digest = (text: string): Buffer => hash("sha256", text, "buffer");

function unauthorized(why: string): SluicegateError {
  return new SluicegateError("unauthorized", "This route asks for a token.", {
    why,
    fix: "Send `Authorization: Bearer …` with the operator's token (`SLUICEGATE_TOKEN`, or the file beside the store) or a session's.",
  });
}

/** @throws SluicegateError `forbidden` for anybody but the operator. */
export function assertOperator(caller: Caller): void {
  if (caller.kind === "operator") return;
  throw new SluicegateError("forbidden", "A session's token can't do this.", {
    why: "It may use its own session and nothing else: no opening, resetting, approving, and no journals.",
    fix: "Use the operator's token.",
  });
}

const MAX_HOLDERS = 20_000;

/** Who a request's share is counted for: the operator, or the session that holds the label of the caller's session. */
export class LabelHolders {
  readonly #gate: Pick<Gate, "session">;
  readonly #known = new BoundedMap<string, string>(MAX_HOLDERS);

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
