/**
 * `fetch` for metadata and tokens: only over TLS, except on this machine; to no private address that a server's
 * metadata names; with limits for time and size. THREAT: the server chooses its authorization server, and that one
 * chooses its endpoints.
 */
import { lookup } from "node:dns/promises";
import { BlockList, isIP, isIPv4 } from "node:net";
import type { FetchLike } from "@modelcontextprotocol/client";
import { ChannelError } from "../transport/channel.ts";

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 256 * 1024;

const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
  ["::", 96],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  PRIVATE.addSubnet(network, prefix, isIPv4(network) ? "ipv4" : "ipv6");

const plainHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");

const isLoopback = (url: URL): boolean => {
  const host = plainHost(url);
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
};

/** Addresses that the operator named: the server's own, and the issuer's if given. */
export type NamedHosts = readonly URL[];

/** @throws ChannelError for an address to which no request, or no person, may be sent. */
export function assertSafe(url: URL, named: NamedHosts): void {
  const isLocal = isLoopback(url) && named.some(isLoopback);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLocal))
    throw new ChannelError("its metadata names an address that is not `https`");
  if (url.username !== "" || url.password !== "")
    throw new ChannelError("its metadata names an address with a user name or a password");
}

async function assertPublic(url: URL, named: NamedHosts): Promise<void> {
  if (named.some(({ hostname }) => hostname === url.hostname)) return;
  if (isLoopback(url) && named.some(isLoopback)) return;
  const host = plainHost(url);
  const found = isIP(host) ? [{ address: host }] : await lookup(host, { all: true }).catch(() => []);
  if (found.some(({ address }) => PRIVATE.check(address, isIPv4(address) ? "ipv4" : "ipv6")))
    throw new ChannelError("its metadata names a private address; name it as `issuer` if that is right");
}

export const createAuthorizationFetch =
  (named: NamedHosts): FetchLike =>
  async (address, init) => {
    const url = new URL(address);
    assertSafe(url, named);
    await assertPublic(url, named);
    const response = await fetch(url, {
      ...init,
      // The SDK follows redirects by calling this function, so each is checked.
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { status, statusText, headers } = response;
    const body = await readBounded(response);
    return new Response(NO_BODY.has(status) ? null : body, { status, statusText, headers });
  };

const NO_BODY: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

async function readBounded({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new ChannelError("its authorization server's answer is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
