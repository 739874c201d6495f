/** Requests for tokens: for a code, for a refresh token, and revocation. Returns what the next request needs. */
import {
  exchangeAuthorization,
  type FetchLike,
  fetchToken,
  type OAuthClientProvider,
  type OAuthTokens,
  refreshAuthorization,
  selectClientAuthMethod,
} from "@modelcontextprotocol/client";
import { ChannelError } from "../transport/channel.ts";
import type { OAuthClient } from "./client-registration.ts";
import { revocationEndpointOf, type TokenSource } from "./discover.ts";

/** Tokens for a server. Plain JSON data, all of it secret. */
export interface Tokens {
  readonly access: string;
  readonly refresh: string | null;
  /** Milliseconds since 1970; null if the server doesn't say. */
  readonly expiresAt: number | null;
  readonly scope: string | null;
  readonly source: TokenSource;
  readonly client: OAuthClient;
}

/** What is needed to redeem a code. */
export interface CodeRequest {
  readonly source: TokenSource;
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly codeVerifier: string;
  readonly code: string;
  /** The issuer in the answer (RFC 9207). */
  readonly issuer: string | undefined;
}

interface RequestOptions {
  readonly fetch: FetchLike;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export async function redeemCode(request: CodeRequest, { fetch, now }: RequestOptions): Promise<Tokens> {
  const { source, client, redirectUri, codeVerifier, code, issuer } = request;
  const tokens = await exchangeAuthorization(source.issuer, {
    metadata: source.metadata,
    clientInformation: client,
    authorizationCode: code,
    ...(issuer !== undefined && { iss: issuer }),
    codeVerifier,
    redirectUri,
    resource: source.resource,
    fetchFn: fetch,
  });
  return toTokens(tokens, { source, client, now });
}

/** What tokens are exchanged for (RFC 8693). */
export interface ExchangeRequest {
  readonly source: TokenSource;
  readonly client: OAuthClient;
  /** A JWT of the principal, issued for the gateway. */
  readonly subjectToken: string;
}

/** Exchanges a token that the authorization server accepts for one that the server accepts. */
export async function exchange(request: ExchangeRequest, { fetch, now }: RequestOptions): Promise<Tokens> {
  const { source, client, subjectToken } = request;
  const { issuer, metadata, resource, scope } = source;
  const unused = (): never => {
    throw new Error("An exchange asks nobody.");
  };
  const provider: OAuthClientProvider = {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [] },
    clientInformation: () => ({ ...client, issuer }),
    tokens: () => undefined,
    saveTokens: unused,
    redirectToAuthorization: unused,
    saveCodeVerifier: unused,
    codeVerifier: unused,
    prepareTokenRequest: () =>
      new URLSearchParams({
        grant_type: EXCHANGE_GRANT,
        subject_token: subjectToken,
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
        ...(scope !== null && { scope }),
      }),
  };
  const tokens = await fetchToken(provider, issuer, { metadata, resource, fetchFn: fetch });
  return toTokens(tokens, { source, client, now });
}

const EXCHANGE_GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";

/** Sent to the authorization server that issued the tokens, whatever the server's metadata says now. */
export async function refresh(before: Tokens, { fetch, now }: RequestOptions): Promise<Tokens> {
  const { source, client, refresh: refreshToken } = before;
  if (refreshToken === null) throw new ChannelError("its token has expired");
  const tokens = await refreshAuthorization(source.issuer, {
    metadata: source.metadata,
    clientInformation: client,
    refreshToken,
    resource: source.resource,
    fetchFn: fetch,
  });
  return toTokens({ ...tokens, scope: tokens.scope ?? before.scope ?? undefined }, { source, client, now });
}

interface Origin extends Pick<Tokens, "source" | "client"> {
  readonly now: number;
}

function toTokens(tokens: OAuthTokens, { source, client, now }: Origin): Tokens {
  const { access_token, refresh_token, expires_in, scope, token_type } = tokens;
  if (token_type.toLowerCase() !== "bearer")
    throw new ChannelError("its authorization server gave a token that is no bearer token");
  if (!/^[\x21-\x7E]{1,16384}$/.test(access_token))
    throw new ChannelError("its authorization server gave a token that no header can carry");
  return {
    access: access_token,
    refresh: refresh_token ?? null,
    expiresAt: expires_in === undefined ? null : now + expires_in * 1000,
    scope: scope ?? null,
    source,
    client,
  };
}

/** Revokes tokens (RFC 7009): the refresh token, and the access token if it stays valid without it. */
export async function revoke(
  { access, refresh, source, client }: Tokens,
  fetch: FetchLike,
): Promise<boolean> {
  const endpoint = revocationEndpointOf(source.metadata);
  if (endpoint === undefined) return false;
  const answers = [];
  for (const [token, hint] of [
    [refresh, "refresh_token"],
    [access, "access_token"],
  ] as const) {
    if (token === null) continue;
    const parameters = new URLSearchParams({ token, token_type_hint: hint });
    const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
    authenticate(source, client, { headers, parameters });
    const { ok } = await fetch(endpoint, { method: "POST", headers, body: parameters });
    answers.push(ok);
  }
  return answers.every((ok) => ok);
}

/** The SDK doesn't export its function for that. */
function authenticate(
  { metadata }: TokenSource,
  client: OAuthClient,
  { headers, parameters }: { readonly headers: Headers; readonly parameters: URLSearchParams },
): void {
  const { client_id, client_secret = "" } = client;
  const method = selectClientAuthMethod(client, metadata.token_endpoint_auth_methods_supported ?? []);
  if (method === "client_secret_basic") {
    headers.set("authorization", `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString("base64")}`);
    return;
  }
  parameters.set("client_id", client_id);
  if (method === "client_secret_post") parameters.set("client_secret", client_secret);
}
