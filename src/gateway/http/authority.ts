/**
 * Who is calling: a principal, who may do what its rights say (the operator everything), or the holder of one session's
 * token, who may use that session and nothing else. A session's token is its id and a keyed digest of it, so nothing is
 * stored; of a principal's own token only the hash is kept.
 */
import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from "node:crypto";
import { quoteName } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { BoundedMap } from "../../json/bounded-map.ts";
import type { IdentitiesConfig, Right } from "../../policy-file/index.ts";
import { RIGHTS } from "../../policy-file/internal.ts";
import { type Clock, type Gate, OPERATOR } from "../../runtime/index.ts";
import type { VerifyJwt } from "./verify-jwt.ts";

export type Caller =
  | {
      readonly kind: "principal";
      readonly name: string;
      readonly rights: ReadonlySet<Right>;
      /** The JWT that says so, where one does. To be told to nobody but an issuer that the policy names. */
      readonly jwt?: string;
    }
  | { readonly kind: "session"; readonly session: string };

const OPERATOR_CALLER: Caller = Object.freeze({ kind: "principal", name: OPERATOR, rights: new Set(RIGHTS) });

/** Sessions whose signature is remembered. */
const MAX_REMEMBERED = 1024;

const SESSION_TOKEN = /^sgs\.(sess_[0-9a-f]{32})\.([0-9a-f]{64})$/;

/**
 * How the journal names a caller. @throws SluicegateError `forbidden` for a session's token, which stands for nobody.
 */
export function nameOf(caller: Caller): string {
  if (caller.kind === "principal") return caller.name;
  throw new SluicegateError("forbidden", "A session's token stands for no person.", {
    why: "Whoever holds it may be an agent.",
    fix: "Use the operator's token, or a principal's.",
  });
}

/** Three parts in base64url; which of them mean something is for the verifier to say. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

export interface AuthorityOptions {
  readonly operatorToken: string;
  /** At least 32 random bytes, kept with the store: whoever has it can make session tokens. */
  readonly key: Uint8Array;
  /** Who may come in besides the operator. */
  readonly identities?: IdentitiesConfig | null | undefined;
  readonly clock: Clock;
}

/** Who was let in to a stream, and for what. */
export interface Admission {
  readonly caller: Caller;
  /** The `Authorization` header that it came with. */
  readonly header: string | undefined;
  /** Throws for whoever may not have it. */
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
  /** Of the sessions that were used last. */
  readonly #signatures = new BoundedMap<string, Buffer>(MAX_REMEMBERED);

  /** @throws SluicegateError `usage` where a principal's token can be guessed, or is another's too. */
  constructor({ operatorToken, key, identities, clock }: AuthorityOptions) {
    this.#operator = digest(operatorToken);
    this.#key = createSecretKey(key);
    this.#clock = clock;
    this.useIdentities(identities ?? null);
  }

  /** Who may come in besides the operator, as of now. */
  get identities(): IdentitiesConfig | null {
    return this.#identities;
  }

  /** Who issues the JWTs that are accepted here. */
  get issuers(): readonly string[] {
    return (this.#identities?.issuers ?? []).map(({ issuer }) => issuer);
  }

  /**
   * From now on these come in, and nobody else but the operator.
   * @throws SluicegateError `usage` where a principal's token can't be used; then nothing has changed.
   */
  useIdentities(identities: IdentitiesConfig | null): void {
    this.#principals = principalsOf(identities, this.#operator.toString("hex"));
    this.#verifyJwt =
      identities && identities.issuers.length > 0 ? lateVerifier(identities, this.#clock) : null;
    this.#identities = identities;
    for (const watcher of this.#watchers) watcher();
  }

  /** Calls `watcher` whenever others may come in than before; answers how to stop. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /**
   * Calls `end` once the token of this header isn't its caller's any more, or `assertStillMay` throws for what its rights
   * are then. Answers how to stop. The operator's token and those of sessions last as long as the gateway.
   */
  onRevoked({ caller, header, assertStillMay }: Admission, end: (cause: unknown) => void): () => void {
    if (caller.kind === "session" || caller === OPERATOR_CALLER) return () => {};
    const look = async (): Promise<void> => {
      const now = await this.authenticate(header);
      if (nameOf(now) !== caller.name) throw unauthorized("Its bearer token is somebody else's now.");
      await assertStillMay(now);
    };
    return this.watch(() => void look().catch(end));
  }

  /** The token that may use this session. */
  sessionToken(session: string): string {
    return `sgs.${session}.${this.#sign(session)}`;
  }

  /**
   * The caller behind an `Authorization` header.
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
    // INVARIANT: only who brought the right one gets a place, so strangers can't drive others out.
    if (known === undefined) this.#signatures.set(session, expected);
    return { kind: "session", session };
  }

  /** The operator, or a principal with a token of its own; null for anybody else. */
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

/** What verifies is loaded with the first token that may be one. */
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

const MAX_HOLDERS = 20_000;

/** Whose shares a request is counted for. */
export interface LabelHolder {
  /** A principal, or the session that holds the label of the caller's session. */
  readonly labelHolder: string;
  /** Whose agent comes with a session's token, where principals have tokens of their own; else null. */
  readonly principal: string | null;
}

/** Whose shares requests are counted for. All sessions of a principal have one share together, besides their own. */
export class LabelHolders {
  readonly #gate: Pick<Gate, "session">;
  readonly #authority: Pick<Authority, "identities">;
  readonly #known = new BoundedMap<string, LabelHolder>(MAX_HOLDERS);

  constructor(gate: Pick<Gate, "session">, authority: Pick<Authority, "identities" | "watch">) {
    this.#gate = gate;
    this.#authority = authority;
    authority.watch(() => this.#known.clear());
  }

  /** Never rejects: a session that can't be read counts by itself. */
  of(caller: Caller): LabelHolder | Promise<LabelHolder> {
    if (caller.kind === "principal")
      return {
        labelHolder: caller.name === OPERATOR ? OPERATOR : `principal:${caller.name}`,
        principal: null,
      };
    return this.#known.get(caller.session) ?? this.#find(caller.session);
  }

  async #find(id: string): Promise<LabelHolder> {
    const session = await this.#gate.session(id).catch(() => null);
    if (session === null) return { labelHolder: id, principal: null };
    const { labelHolder, principal } = session;
    const found = {
      labelHolder,
      principal: this.#authority.identities !== null && principal !== OPERATOR ? principal : null,
    };
    this.#known.set(id, found);
    return found;
  }
}
