/** The tokens for one server: passes them to connections, and renews them. */
import { checkResourceAllowed, type FetchLike } from "@modelcontextprotocol/client";
import type { Clock, RunOrder } from "../../../runtime/index.ts";
import { ChannelError } from "../transport/channel.ts";
import { isSameIssuer } from "./discover.ts";
import { clauseOf, describeRefusal, isClientGone, isFinal } from "./sign-in-failure.ts";
import type { Owner, SignInRecords } from "./sign-in-records.ts";
import { refresh, type Tokens } from "./token-requests.ts";

/** The tokens of one connection. */
export interface BearerTokens {
  /** The last tokens, which are removed from everything that the server sends. */
  readonly recent: readonly string[];
  /** @throws ChannelError if there is none. */
  token(): Promise<string>;
  /** Gets another token after the server refused this one. @throws ChannelError if there is none. */
  renew(refused: string): Promise<void>;
  /** Calls the listener when somebody signs in or out. Returns a function that ends this. */
  watch(listener: () => void): () => void;
}

interface HeldTokensOptions {
  readonly server: string;
  readonly url: string;
  /** Null: any issuer that the server names. */
  readonly settings: { readonly issuer: string | null };
  readonly records: SignInRecords;
  readonly fetch: FetchLike;
  readonly clock: Clock;
  /** Over all gateways on the store. */
  readonly order: RunOrder;
}

/** How long before its expiry a token is renewed. */
const MIN_LEFT_MS = 30_000;
const MAX_RECENT = 4;

export class HeldTokens {
  readonly #options: HeldTokensOptions;

  constructor(options: HeldTokensOptions) {
    this.#options = options;
  }

  /**
   * The usable tokens of an owner; null if there are none. THREAT: if the policy names another address now, that must
   * not get the earlier one's tokens.
   */
  async valid(owner: Owner): Promise<Tokens | null> {
    const { url, settings, records } = this.#options;
    const tokens = await records.tokens(owner);
    if (tokens === null) return null;
    const { resource, issuer } = tokens.source;
    const isOver = tokens.refresh === null && this.#leftMs(tokens) < 0;
    const isHere = checkResourceAllowed({ requestedResource: url, configuredResource: resource });
    const isIssuers = settings.issuer === null || isSameIssuer(settings.issuer, issuer);
    return isHere && isIssuers && !isOver ? tokens : null;
  }

  bearer(owner: Owner, watch: BearerTokens["watch"]): BearerTokens {
    const recent: string[] = [];
    return {
      recent,
      token: async () => {
        const token = await this.#current(owner);
        if (recent[0] !== token) recent.unshift(token);
        recent.length = Math.min(recent.length, MAX_RECENT);
        return token;
      },
      renew: async (refused) => {
        await this.#renew(owner, refused);
      },
      watch,
    };
  }

  /**
   * Changes an owner's tokens one operation at a time: an authorization server that gets a refresh token twice takes back
   * all that it granted (RFC 9700, section 4.14.2).
   */
  async inTurn<Value>(owner: Owner, work: () => Promise<Value>): Promise<Value> {
    const { order, records } = this.#options;
    const turn = await order.enter(records.tokensName(owner));
    try {
      return await work();
    } finally {
      await turn.end();
    }
  }

  /** A token that doesn't expire soon, if possible. */
  async #current(owner: Owner): Promise<string> {
    const tokens = await this.#signedIn(owner);
    if (tokens.refresh === null || this.#leftMs(tokens) > MIN_LEFT_MS) return tokens.access;
    return this.#renew(owner, tokens.access).catch(async (cause: unknown) => {
      const now = await this.valid(owner);
      if (now?.access === tokens.access && this.#leftMs(now) > 0) return now.access;
      throw cause;
    });
  }

  /** A token other than the one that expires or was refused. */
  #renew(owner: Owner, old: string): Promise<string> {
    const { records, fetch, clock } = this.#options;
    return this.inTurn(owner, async () => {
      const before = await this.#signedIn(owner);
      // Another call, or another gateway on this store, has renewed it already.
      if (before.access !== old) return before.access;
      try {
        const renewed = await refresh(before, { fetch, now: clock.now().getTime() });
        await records.keepTokens(owner, renewed);
        return renewed.access;
      } catch (cause) {
        if (!isFinal(cause)) throw new ChannelError(`its token could not be renewed: ${clauseOf(cause)}`);
        const now = await this.valid(owner);
        if (now !== null && now.access !== old) return now.access;
        if (isClientGone(cause)) await records.forgetClients();
        const lost = { kind: "sign-in-lost", reason: describeRefusal(cause.code) };
        await records.keepTokens(owner, null, lost);
        throw this.#signInNeeded(owner);
      }
    });
  }

  async #signedIn(owner: Owner): Promise<Tokens> {
    const tokens = await this.valid(owner);
    if (tokens === null) throw this.#signInNeeded(owner);
    return tokens;
  }

  #signInNeeded(owner: Owner): ChannelError {
    const who =
      owner === null ? "nobody has signed the gateway in to it" : `\`${owner}\` has not signed in to it`;
    return new ChannelError(`${who} (\`sluicegate sign-in ${this.#options.server}\`)`);
  }

  #leftMs({ expiresAt }: Tokens): number {
    return expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt - this.#options.clock.now().getTime();
  }
}
