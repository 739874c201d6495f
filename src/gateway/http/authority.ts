/**
 * Identifies callers: a principal with its rights (the operator has all), or the holder of a session's token, who may
 * use only that session. A session's token is its id with a keyed digest, so it isn't stored; of a principal's token
 * only the hash is stored.
 */
import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from "node:crypto";
import { quoteName } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { BoundedMap } from "../../json/bounded-map.ts";
import type { IdentitiesConfig, Right } from "../../policy-file/index.ts";
import { RIGHTS } from "../../policy-file/internal.ts";
import { type Clock, type Gate, OPERATOR } from "../../runtime/index.ts";
import type { TurnOwner } from "../../threads/index.ts";
import type { VerifyJwt } from "./verify-jwt.ts";

export type Caller =
  | {
      readonly kind: "principal";
      readonly name: string;
      readonly rights: ReadonlySet<Right>;
      /** The JWT that identified the caller, if any. Pass it to nobody but an issuer that the policy names. */
      readonly jwt?: string;
      /** When the JWT ends, in milliseconds since 1970. */
      readonly expiresAt?: number;
    }
  | { readonly kind: "session"; readonly session: string };

const OPERATOR_CALLER: Caller = Object.freeze({ kind: "principal", name: OPERATOR, rights: new Set(RIGHTS) });

/** How often the JWT of whoever holds a stream is verified again: its end may be far, and its key be withdrawn. */
const LOOK_AGAIN_MS = 10 * 60_000;

/** Sessions whose signature is cached. */
const MAX_REMEMBERED = 1024;

const SESSION_TOKEN = /^sgs\.(sess_[0-9a-f]{32})\.([0-9a-f]{64})$/;

/**
 * The caller's name in the journal. @throws SluicegateError `forbidden` for a session's token, which isn't a
 * person's.
 */
export function nameOf(caller: Caller): string {
  if (caller.kind === "principal") return caller.name;
  throw new SluicegateError("forbidden", "A session's token stands for no person.", {
    why: "Whoever holds it may be an agent.",
    fix: "Use the operator's token, or a principal's.",
  });
}

/** Three parts in base64url, which the verifier checks. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

export interface AuthorityOptions {
  readonly operatorToken: string;
  /** At least 32 random bytes, stored with the store: whoever has it can create session tokens. */
  readonly key: Uint8Array;
  /** Who may use the gateway besides the operator. */
  readonly identities?: IdentitiesConfig | null | undefined;
  readonly clock: Clock;
}

/** A caller that was admitted to a stream. */
export interface Admission {
  readonly caller: Caller;
  /** The request's `Authorization` header. */
  readonly header: string | undefined;
  /** Throws if the caller may not use the stream any more. */
  readonly assertStillMay: (caller: Caller) => unknown;
}

export class Authority {
  readonly #operator: Buffer;
  readonly #key: KeyObject;
  readonly #clock: Clock;
  #identities: IdentitiesConfig | null = null;
  /** By the hash of its token. */
  #principals: ReadonlyMap<string, Caller> = new Map();
  #verifyJwt: VerifyJwt | null = null;
  readonly #watchers = new Set<() => void>();
  /** Signatures of the most recently used sessions. */
  readonly #signatures = new BoundedMap<string, Buffer>(MAX_REMEMBERED);

  /** @throws SluicegateError `usage` if a principal's token can be guessed, or is used twice. */
  constructor({ operatorToken, key, identities, clock }: AuthorityOptions) {
    this.#operator = digest(operatorToken);
    this.#key = createSecretKey(key);
    this.#clock = clock;
    this.useIdentities(identities ?? null);
  }

  /** Who may use the gateway now, besides the operator. */
  get identities(): IdentitiesConfig | null {
    return this.#identities;
  }

  /** The accepted issuers of JWTs. */
  get issuers(): readonly string[] {
    return (this.#identities?.issuers ?? []).map(({ issuer }) => issuer);
  }

  /**
   * Replaces the identities.
   * @throws SluicegateError `usage` if a principal's token can't be used; then nothing has changed.
   */
  useIdentities(identities: IdentitiesConfig | null): void {
    this.#principals = principalsOf(identities, this.#operator.toString("hex"));
    this.#verifyJwt =
      identities && identities.issuers.length > 0 ? lateVerifier(identities, this.#clock) : null;
    this.#identities = identities;
    for (const watcher of this.#watchers) watcher();
  }

  /** Calls `watcher` when the identities change; returns a function that ends this. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /**
   * Calls `end` once this header no longer identifies its caller, such as a JWT that has expired, or `assertStillMay` throws. Returns a function that
   * ends this. The operator's token and those of sessions are never revoked.
   */
  onRevoked({ caller, header, assertStillMay }: Admission, end: (cause: unknown) => void): () => void {
    if (caller.kind === "session" || caller === OPERATOR_CALLER) return () => {};
    const look = async (): Promise<void> => {
      const now = await this.authenticate(header);
      if (nameOf(now) !== caller.name) throw unauthorized("Its bearer token is somebody else's now.");
      await assertStillMay(now);
    };
    let timer: NodeJS.Timeout | undefined;
    const lookLater = ({ expiresAt }: Extract<Caller, { kind: "principal" }>): void => {
      if (expiresAt === undefined) return;
      const left = Math.max(expiresAt - this.#clock.now().getTime(), 0) + 1;
      timer = setTimeout(() => void look().then(() => lookLater(caller), end), Math.min(left, LOOK_AGAIN_MS));
      timer.unref();
    };
    lookLater(caller);
    const stop = this.watch(() => void look().catch(end));
    return () => {
      clearTimeout(timer);
      stop();
    };
  }

  /** The token for this session. */
  sessionToken(session: string): string {
    return `sgs.${session}.${this.#sign(session)}`;
  }

  /**
   * The caller of an `Authorization` header.
   * @throws SluicegateError `unauthorized` without a valid bearer token.
   */
  authenticate(header: string | undefined): Caller | Promise<Caller> {
    const token = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
    if (token === undefined) throw unauthorized("The request carries no bearer token.");
    const presented = digest(token);
    if (timingSafeEqual(presented, this.#operator)) return OPERATOR_CALLER;
    const principal = this.#principals.get(presented.toString("hex"));
    if (principal) return principal;
    const [, session, signature] = SESSION_TOKEN.exec(token) ?? [];
    if (session === undefined || signature === undefined) {
      if (this.#verifyJwt && JWT.test(token)) return fromJwt(this.#verifyJwt, token);
      throw unauthorized("Its bearer token is not known here.");
    }
    const known = this.#signatures.get(session);
    const expected = known ?? Buffer.from(this.#sign(session));
    if (!timingSafeEqual(expected, Buffer.from(signature))) {
      throw unauthorized("Its bearer token is not known here.");
    }
    // INVARIANT: only valid tokens are cached, so strangers can't evict others.
    if (known === undefined) this.#signatures.set(session, expected);
    return { kind: "session", session };
  }

  /** The operator, or a principal with a token of its own; null for any other name. */
  principalNamed(name: string): Caller | null {
    if (name === OPERATOR) return OPERATOR_CALLER;
    return (
      [...this.#principals.values()].find((one) => one.kind === "principal" && one.name === name) ?? null
    );
  }

  #sign(session: string): string {
    return createHmac("sha256", this.#key).update(`session-token:${session}`).digest("hex");
  }
}

const digest = (text: string): Buffer => hash("sha256", text, "buffer");

function unauthorized(why: string): SluicegateError {
  return new SluicegateError("unauthorized", "This route asks for a token.", {
    why,
    fix: "Send `Authorization: Bearer …` with the operator's token (`SLUICEGATE_TOKEN`, or the file beside the store), a principal's or a session's.",
  });
}

async function fromJwt(verify: VerifyJwt, token: string): Promise<Caller> {
  const verified = await verify(token);
  if (typeof verified === "string") throw unauthorized(verified);
  return { kind: "principal", ...verified, jwt: token };
}

/** The verifier is loaded with the first token that may be a JWT. */
function lateVerifier(identities: IdentitiesConfig, clock: Clock): VerifyJwt {
  const reserved = new Set([OPERATOR, ...identities.principals.keys()]);
  let verify: VerifyJwt | null = null;
  return async (token) => {
    const { createVerifyJwt } = await import("./verify-jwt.ts");
    verify ??= createVerifyJwt(identities, { clock, reserved });
    return verify(token);
  };
}

function principalsOf(
  identities: IdentitiesConfig | null | undefined,
  operator: string,
): ReadonlyMap<string, Caller> {
  const byDigest = new Map<string, Caller>();
  for (const [name, { digest, isWeak, rights }] of identities?.principals ?? []) {
    if (isWeak) throw unusableToken(name, "It must have 16 to 512 characters and no white space.");
    if (digest === operator || byDigest.has(digest))
      throw unusableToken(name, "Somebody else has the same one, so nobody could tell who comes.");
    byDigest.set(digest, { kind: "principal", name, rights: new Set(rights) });
  }
  return byDigest;
}

const unusableToken = (name: string, why: string): SluicegateError =>
  new SluicegateError("usage", `The token of ${quoteName(name)} can't be used.`, {
    why,
    fix: "Set its variable to a long random string, such as `openssl rand -hex 32` prints.",
  });

const MAX_OWNERS = 20_000;

/** A principal that uses its own token: what it does belongs to no session. */
export const toOwner = (caller: Extract<Caller, { kind: "principal" }>): TurnOwner => ({
  labelHolder: caller.name === OPERATOR ? OPERATOR : `principal:${caller.name}`,
  principal: null,
});

/** Finds by what the requests of a caller are limited and take their turns. */
export class Owners {
  readonly #gate: Pick<Gate, "session">;
  readonly #known = new BoundedMap<string, TurnOwner>(MAX_OWNERS);

  constructor(gate: Pick<Gate, "session">) {
    this.#gate = gate;
  }

  /** Never rejects: a session that can't be read counts by itself. */
  of(caller: Caller): TurnOwner | Promise<TurnOwner> {
    if (caller.kind === "principal") return toOwner(caller);
    return this.#known.get(caller.session) ?? this.#find(caller.session);
  }

  async #find(id: string): Promise<TurnOwner> {
    const session = await this.#gate.session(id).catch(() => null);
    if (session === null) return { labelHolder: id, principal: null };
    const { labelHolder, principal } = session;
    const found = { labelHolder, principal };
    this.#known.set(id, found);
    return found;
  }
}
