/** The gateway as a client of an authorization server. */
import {
  type AuthorizationServerMetadata,
  type FetchLike,
  type OAuthClientMetadata,
  registerClient,
} from "@modelcontextprotocol/client";
import { ChannelError } from "../transport/channel.ts";
import type { TokenSource } from "./discover.ts";

/** The gateway's identity at an authorization server. Plain JSON data; contains a secret. */
export interface OAuthClient {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly token_endpoint_auth_method?: string;
  /** Seconds since 1970; 0 for never. */
  readonly client_secret_expires_at?: number;
}

const CLIENT_NAME = "Sluicegate";
/** Where the gateway describes itself as a client; the address is its `client_id`. */
export const CLIENT_DOCUMENT = "/oauth/client.json";

/** The metadata of the gateway as a client, for registration or at its own address. */
export function toClientMetadata(redirectUris: readonly string[]): OAuthClientMetadata {
  return {
    client_name: CLIENT_NAME,
    redirect_uris: [...redirectUris],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    // An authorization server redirects a web application only to TLS.
    application_type: redirectUris.some((uri) => uri.startsWith("http:")) ? "native" : "web",
  };
}

/** The gateway's own address as a client, if it has one and the authorization server accepts that; otherwise null. */
export function describedClient({ metadata }: TokenSource, origin: string | undefined): OAuthClient | null {
  if (metadata.client_id_metadata_document_supported !== true || !origin?.startsWith("https:")) return null;
  return { client_id: `${origin}${CLIENT_DOCUMENT}`, token_endpoint_auth_method: "none" };
}

/** Registers the gateway (RFC 7591). Rejects with a ChannelError, or as the SDK does. */
export async function register(
  { issuer, metadata, scope }: TokenSource,
  redirectUri: string,
  fetch: FetchLike,
): Promise<OAuthClient> {
  if (metadata.registration_endpoint === undefined)
    throw new ChannelError("its authorization server registers no clients: give a `client_id` in the policy");
  const clientMetadata = {
    ...toClientMetadata([redirectUri]),
    token_endpoint_auth_method: authMethodOf(metadata),
  };
  const registered = await registerClient(issuer, {
    metadata,
    clientMetadata,
    ...(scope !== null && { scope }),
    fetchFn: fetch,
  });
  const { client_id, client_secret, token_endpoint_auth_method, client_secret_expires_at } = registered;
  return {
    client_id,
    ...(client_secret !== undefined && { client_secret }),
    ...(token_endpoint_auth_method !== undefined && { token_endpoint_auth_method }),
    ...(client_secret_expires_at !== undefined && { client_secret_expires_at }),
  };
}

/** With a secret if the server supports that, since the gateway can keep it. */
function authMethodOf({ token_endpoint_auth_methods_supported }: AuthorizationServerMetadata): string {
  const supported = token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return ["client_secret_basic", "client_secret_post"].find((one) => supported.includes(one)) ?? "none";
}
