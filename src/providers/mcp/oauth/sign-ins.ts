/**
 * Sign-ins to one server: begins and finishes them, stores the tokens encrypted, renews and revokes them. A token is
 * sent only to this server and to the authorization server that issued it.
 */
import { hash, timingSafeEqual } from "node:crypto";
import { startAuthorization } from "@modelcontextprotocol/client";
import {
  type Clock,
  type Random,
  type RunOrder,
  type SignInNeeded,
  systemRandom,
} from "../../../runtime/index.ts";
import type { SealedValues } from "../../../runtime/internal.ts";
import { ChannelError } from "../transport/channel.ts";
import { createAuthorizationFetch, type NamedHosts } from "./authorization-fetch.ts";
import { describedClient, type OAuthClient, register } from "./client-registration.ts";
import { discover, type TokenSource } from "./discover.ts";
import { type BearerTokens, HeldTokens } from "./held-tokens.ts";
import { describeRefusal, isClientGone, noExchange, signInFailed, unknownState } from "./sign-in-failure.ts";
import { type Owner, type Pending, SignInRecords } from "./sign-in-records.ts";
import { exchange, redeemCode, revoke } from "./token-requests.ts";

/** How the gateway signs in to a server, from the policy. May contain a secret. */
export interface OAuthSettings {
  /** Whose tokens calls use. */
  readonly for: "gateway" | "principal";
  /** The only accepted issuer; null: the one that the server names. */
  readonly issuer: string | null;
  /** Null: the gateway describes or registers itself. */
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  /** Null: the scopes that the server requests. */
  readonly scopes: readonly string[] | null;
  /** Whether a principal's JWT is exchanged for a token, without a browser. Needs an issuer and a client. */
  readonly exchange: boolean;
}

export interface SignInsOptions {
  readonly server: string;
  readonly url: string;
  readonly settings: OAuthSettings;
  readonly values: Pick<SealedValues, "read" | "names" | "write">;
  readonly clock: Clock;
  /** One renewal or sign-in of an owner at a time, over all gateways on the store. */
  readonly order: RunOrder;
  readonly random?: Random;
}

export interface SignInRequest {
  readonly principal: string;
  /** Where the authorization server sends the person's browser. */
  readonly redirectUri: string;
  /** The gateway's address, if it describes itself as a client. */
  readonly origin?: string;
  /** A secret that only the browser has which began, for an answer without a token of the principal. */
  readonly browser?: string;
}

/** The answer of an authorization server. */
export interface SignInAnswer {
  readonly principal: string;
  readonly state: string;
  readonly code?: string | undefined;
  readonly error?: string | undefined;
  /** The `iss` of the answer (RFC 9207). */
  readonly issuer?: string | undefined;
  /** Left out if the answer came with the principal's own token. */
  readonly browser?: string;
}

/** The public part of a sign-in. */
export interface SignInStatus {
  readonly server: string;
  readonly for: OAuthSettings["for"];
  readonly signedIn: boolean;
  readonly issuer: string | null;
  readonly scope: string | null;
  /** When the access token expires (RFC 3339). If there is a refresh token, it is renewed before. */
  readonly expiresAt: string | null;
}

/** The path of the gateway's sign-in pages, one per server with OAuth. */
export const SIGN_IN_PAGE = "/oauth/sign-in";
const PENDING_MS = 10 * 60 * 1000;
export class SignIns {
  readonly #options: SignInsOptions;
  readonly #records: SignInRecords;
  readonly #held: HeldTokens;
  readonly #named: NamedHosts;
  readonly #fetch: ReturnType<typeof createAuthorizationFetch>;
  readonly #random: Random;
  #link: string | null = null;
  readonly #watchers = new Set<(owner: Owner) => void>();

  constructor(options: SignInsOptions) {
    const { url, settings, random = systemRandom } = options;
    this.#options = options;
    this.#records = new SignInRecords(options.server, options.values);
    this.#random = random;
    this.#named = [new URL(url), ...(settings.issuer === null ? [] : [new URL(settings.issuer)])];
    this.#fetch = createAuthorizationFetch(this.#named);
    this.#held = new HeldTokens({ ...options, records: this.#records, fetch: this.#fetch });
  }

  get server(): string {
    return this.#options.server;
  }

  get for(): OAuthSettings["for"] {
    return this.#options.settings.for;
  }

  /**
   * Begins a sign-in, which replaces an earlier unfinished one. Resolves with the address for the person's browser.
   */
  async begin({ principal, redirectUri, origin, browser }: SignInRequest): Promise<URL> {
    const { server, clock } = this.#options;
    const owner = this.#ownerOf(principal);
    const state = this.#secret();
    try {
      const source = await this.#discover();
      const client = await this.#clientFor(source, { redirectUri, origin });
      const { authorizationUrl, codeVerifier } = await startAuthorization(source.issuer, {
        metadata: source.metadata,
        clientInformation: client,
        redirectUrl: redirectUri,
        ...(source.scope !== null && { scope: source.scope }),
        state,
        resource: source.resource,
      });
      const pending: Pending = {
        source,
        client,
        state: digest(state),
        browser: browser === undefined ? null : digest(browser),
        codeVerifier,
        redirectUri,
        expiresAt: clock.now().getTime() + PENDING_MS,
      };
      await this.#records.keepPending(owner, pending);
      return authorizationUrl;
    } catch (cause) {
      throw signInFailed(server, cause);
    }
  }

  /**
   * Finishes a sign-in with the authorization server's answer. Durable when it resolves. A state works once.
   * @throws SluicegateError `invalid-request` for a state that isn't this principal's, `upstream-failed`
   */
  async finish(answer: SignInAnswer): Promise<void> {
    const owner = this.#ownerOf(answer.principal);
    await this.#held.inTurn(owner, async () => {
      const pending = await this.#takePending(owner, answer);
      try {
        assertIssuer(pending.source, answer.issuer);
        if (answer.code === undefined) throw new ChannelError(describeRefusal(answer.error ?? ""));
        const tokens = await redeemCode(
          { ...pending, code: answer.code, issuer: answer.issuer },
          { fetch: this.#fetch, now: this.#now() },
        );
        await this.#records.keepTokens(owner, tokens, { kind: "signed-in", by: answer.principal });
      } catch (cause) {
        if (isClientGone(cause)) await this.#records.forgetClients();
        throw signInFailed(this.server, cause);
      }
    });
    this.#tell(owner);
  }

  /** Signs a principal in with a JWT of its own, which the policy's issuer exchanges (RFC 8693). Durable when it resolves. */
  async exchange(principal: string, subjectToken: string): Promise<void> {
    const { settings } = this.#options;
    if (!settings.exchange || settings.clientId === null || settings.issuer === null)
      throw noExchange(this.server);
    const owner = this.#ownerOf(principal);
    try {
      const source = await this.#discover();
      const client = configuredClient(settings.clientId, settings.clientSecret);
      const request = { fetch: this.#fetch, now: this.#now() };
      const tokens = await exchange({ source, client, subjectToken }, request);
      const event = { kind: "signed-in", by: principal, via: "exchange" };
      await this.#held.inTurn(owner, () => this.#records.keepTokens(owner, tokens, event));
    } catch (cause) {
      throw signInFailed(this.server, cause);
    }
    this.#tell(owner);
  }

  /** Signs out. Returns whether the tokens were revoked at their server; null if nobody was signed in. */
  async signOut(principal: string): Promise<{ readonly revoked: boolean } | null> {
    const owner = this.#ownerOf(principal);
    const tokens = await this.#held.inTurn(owner, async () => {
      const found = await this.#records.tokens(owner);
      if (found !== null) await this.#records.keepTokens(owner, null, { kind: "signed-out", by: principal });
      return found;
    });
    if (tokens === null) return null;
    this.#tell(owner);
    return { revoked: await revoke(tokens, this.#fetch).catch(() => false) };
  }

  async status(principal: string): Promise<SignInStatus> {
    const tokens = await this.#held.valid(this.#ownerOf(principal));
    return {
      server: this.server,
      for: this.for,
      signedIn: tokens !== null,
      issuer: tokens?.source.issuer ?? null,
      scope: tokens?.scope ?? null,
      expiresAt: tokens?.expiresAt ? new Date(tokens.expiresAt).toISOString() : null,
    };
  }

  /** Where a principal must sign in before it can call; null if it needn't. */
  async needed(principal: string): Promise<SignInNeeded | null> {
    const tokens = await this.#held.valid(this.#ownerOf(principal));
    return tokens === null ? { link: this.#link } : null;
  }

  /** Sets the address of the gateway's sign-in page. */
  linkTo(origin: string | undefined): void {
    this.#link = origin === undefined ? null : `${origin}${SIGN_IN_PAGE}/${this.server}`;
  }

  /** The principals that are signed in. */
  principals(): Promise<readonly string[]> {
    return this.#records.principals();
  }

  /** The gateway's tokens or, if each principal has its own, those of this one. */
  tokensOf(principal: Owner): BearerTokens {
    const owner = principal === null ? null : this.#ownerOf(principal);
    return this.#held.bearer(owner, (listener) => this.watch((changed) => changed === owner && listener()));
  }

  watch(listener: (owner: Owner) => void): () => void {
    this.#watchers.add(listener);
    return () => void this.#watchers.delete(listener);
  }

  async #takePending(owner: Owner, { state, browser }: SignInAnswer): Promise<Pending> {
    const pending = await this.#records.pending(owner);
    const isRight =
      pending !== null &&
      isSame(pending.state, digest(state)) &&
      (browser === undefined || (pending.browser !== null && isSame(pending.browser, digest(browser))));
    if (!isRight) throw unknownState(this.server);
    await this.#records.keepPending(owner, null);
    if (pending.expiresAt < this.#now()) throw unknownState(this.server);
    return pending;
  }

  async #discover(): Promise<TokenSource> {
    const { url, settings } = this.#options;
    const { issuer } = settings;
    const found = await discover(url, { fetch: this.#fetch, named: this.#named, issuer });
    return { ...found, scope: scopeFor(found, settings) };
  }

  /** The client of the policy; otherwise the gateway's own address, or a registered one. */
  async #clientFor(
    source: TokenSource,
    { redirectUri, origin }: { readonly redirectUri: string; readonly origin: string | undefined },
  ): Promise<OAuthClient> {
    const { clientId, clientSecret } = this.#options.settings;
    if (clientId !== null) return configuredClient(clientId, clientSecret);
    const described = describedClient(source, origin);
    if (described !== null && source.metadata.registration_endpoint === undefined) return described;
    const registration = { issuer: source.issuer, redirectUri };
    const known = await this.#records.client(registration);
    const expires = known?.client_secret_expires_at ?? 0;
    if (known !== null && (expires === 0 || expires * 1000 > this.#now())) return known;
    const client = await register(source, redirectUri, this.#fetch);
    await this.#records.keepClient(registration, client);
    return client;
  }

  #tell(owner: Owner): void {
    for (const listener of [...this.#watchers]) listener(owner);
  }

  #ownerOf(principal: string): Owner {
    return this.for === "gateway" ? null : principal;
  }

  #now(): number {
    return this.#options.clock.now().getTime();
  }

  #secret(): string {
    return Buffer.from(this.#random(32)).toString("base64url");
  }
}

const configuredClient = (id: string, secret: string | null): OAuthClient => ({
  client_id: id,
  ...(secret !== null && { client_secret: secret }),
});

const digest = (text: string): string => hash("sha256", text);

const isSame = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Checked for error answers too, which the SDK doesn't see. */
function assertIssuer({ issuer, metadata }: TokenSource, answered: string | undefined): void {
  const isExpected = metadata.authorization_response_iss_parameter_supported === true;
  if (answered === undefined ? isExpected : answered !== issuer)
    throw new ChannelError("the answer is another issuer's than the one that was asked");
}

/** The scopes to request. If the server issues refresh tokens for a scope, that is added. */
function scopeFor({ scope, metadata }: TokenSource, { scopes }: OAuthSettings): string | null {
  const wanted = scopes === null ? scope : scopes.join(" ");
  if (wanted === null || !metadata.scopes_supported?.includes("offline_access")) return wanted;
  return wanted.split(" ").includes("offline_access") ? wanted : `${wanted} offline_access`;
}
