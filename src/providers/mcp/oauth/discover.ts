/**
 * Finds the authorization server of a server: from its protected-resource metadata (RFC 9728) and the metadata of the
 * authorization server (RFC 8414). Each part is checked before it is used.
 */
import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  type FetchLike,
  type OAuthProtectedResourceMetadata,
  resourceUrlFromServerUrl,
} from "@modelcontextprotocol/client";
import { ChannelError } from "../transport/channel.ts";
import { assertSafe, type NamedHosts } from "./authorization-fetch.ts";

/** Where the tokens for a server come from. Plain JSON data. */
export interface TokenSource {
  readonly issuer: string;
  /** The resource for which tokens are requested (RFC 8707), as the server writes it. */
  readonly resource: string;
  /** The scopes that the server requests, separated by spaces; null if it names none. */
  readonly scope: string | null;
  readonly metadata: AuthorizationServerMetadata;
}

interface DiscoverOptions {
  readonly fetch: FetchLike;
  readonly named: NamedHosts;
  /** The only accepted issuer; null: the first that the server names. */
  readonly issuer: string | null;
}

/** @throws ChannelError, and what the SDK and `fetch` throw. */
export async function discover(serverUrl: string, options: DiscoverOptions): Promise<TokenSource> {
  const { fetch, named } = options;
  const challenge = await probe(serverUrl, fetch);
  const { metadataUrl } = challenge;
  // THREAT: the metadata names who gets the person's consent, so it must come from the server itself.
  if (metadataUrl && metadataUrl.origin !== new URL(serverUrl).origin)
    throw new ChannelError("it names protected-resource metadata of another host");
  const described = await discoverOAuthProtectedResourceMetadata(
    serverUrl,
    metadataUrl ? { resourceMetadataUrl: metadataUrl } : {},
    fetch,
  ).catch((cause: unknown) => {
    if (metadataUrl || !(cause instanceof Error) || !/does not implement/.test(cause.message)) throw cause;
    return null;
  });
  const resource = resourceOf(serverUrl, described);
  const issuer = chooseIssuer(serverUrl, described, options.issuer);
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
  if (metadata === undefined) throw new ChannelError("its authorization server has no metadata");
  assertUsable(metadata, named);
  const scope = challenge.scope ?? described?.scopes_supported?.join(" ") ?? null;
  return { issuer: metadata.issuer, resource, scope, metadata };
}

interface Challenge {
  readonly metadataUrl: URL | null;
  readonly scope: string | null;
}

/** The server's answer to a request without a token. */
async function probe(serverUrl: string, fetch: FetchLike): Promise<Challenge> {
  const response = await fetch(serverUrl, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return { metadataUrl: resourceMetadataUrl ?? null, scope: scope ?? null };
}

function resourceOf(serverUrl: string, described: OAuthProtectedResourceMetadata | null): string {
  const own = resourceUrlFromServerUrl(serverUrl);
  if (described === null) return `${own.origin}${own.pathname}`;
  // THREAT: a token for another resource could be used there.
  if (!checkResourceAllowed({ requestedResource: own, configuredResource: described.resource }))
    throw new ChannelError("its metadata describes another resource");
  return described.resource;
}

/** A server of an older revision without metadata is its own authorization server. */
function chooseIssuer(
  serverUrl: string,
  described: OAuthProtectedResourceMetadata | null,
  wanted: string | null,
): string {
  const listed = described?.authorization_servers ?? [];
  const issuers = listed.length > 0 ? listed : [new URL("/", serverUrl).href];
  if (wanted === null) return issuers[0] ?? "";
  const found = issuers.find((issuer) => isSameIssuer(issuer, wanted));
  if (found === undefined) throw new ChannelError("it names another authorization server than the policy");
  return found;
}

/** Issuers are written with and without a final slash. */
export const isSameIssuer = (one: string, other: string): boolean =>
  one.replace(/\/$/, "") === other.replace(/\/$/, "");

function assertUsable(metadata: AuthorizationServerMetadata, named: NamedHosts): void {
  const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata;
  const revocation = revocationEndpointOf(metadata);
  for (const endpoint of [authorization_endpoint, token_endpoint, registration_endpoint, revocation])
    if (endpoint !== undefined) assertSafe(new URL(endpoint), named);
  if (!metadata.code_challenge_methods_supported?.includes("S256"))
    throw new ChannelError("its authorization server does not support PKCE with S256");
}

/** Where tokens are revoked (RFC 7009); undefined if nowhere. */
export function revocationEndpointOf(metadata: AuthorizationServerMetadata): string | undefined {
  const endpoint = "revocation_endpoint" in metadata ? metadata.revocation_endpoint : undefined;
  return typeof endpoint === "string" ? endpoint : undefined;
}
