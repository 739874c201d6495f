/**
 * Which addresses a hostname may resolve to. A hostname is resolved once for each request; all of its addresses are
 * checked, and the connection goes to one of these, so a second DNS answer has no effect. THREAT: whoever controls
 * the DNS answers could choose this machine or its network.
 */
import { lookup } from "node:dns/promises";
import { BlockList, isIP, isIPv4 } from "node:net";
import { SluicegateError } from "../../../errors/index.ts";
import { type BaseUrl, isWrittenAddress } from "../base-url.ts";
import { unreachable } from "./exchange-failure.ts";

export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export type LookUpHost = (hostname: string) => Promise<readonly HostAddress[]>;

export const lookUpHost: LookUpHost = async (hostname) => {
  const found = await lookup(hostname, { all: true, order: "verbatim" });
  return found.map(({ address }) => ({ address, family: isIPv4(address) ? 4 : 6 }));
};

type Subnets = readonly (readonly [network: string, prefix: number])[];

function createList(subnets: Subnets): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, isIPv4(network) ? "ipv4" : "ipv6");
  return list;
}

const LOOPBACK = createList([
  ["127.0.0.0", 8],
  ["::1", 128],
]);

/** Private networks. */
const PRIVATE = createList([
  ["127.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["::1", 128],
  ["fc00::", 7],
]);

/** Never reached by a hostname: this host, cloud metadata (usually link-local), multicast, reserved ranges. */
const NEVER = createList([
  ["100.100.100.200", 32],
  ["168.63.129.16", 32],
  ["0.0.0.0", 8],
  ["169.254.0.0", 16],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  ["fd00:ec2::", 32],
  ["fd20:ce::", 32],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
  // Teredo, documentation and 6to4: they embed other addresses, or none.
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
]);

/** Globally routed IPv6: other IPv6 addresses aren't public. */
const GLOBAL = createList([["2000::", 3]]);

/** Whether a hostname may resolve to an address. */
export function isAllowed({ address }: HostAddress, allowPrivate: boolean): boolean {
  const version = isIP(address);
  if (version === 0 || address.includes("%")) return false;
  const family = version === 4 ? "ipv4" : "ipv6";
  // An IPv4 address written as IPv6, in any notation.
  const isMapped = version === 6 && new URL(`http://[${address}]`).hostname.startsWith("[::ffff:");
  if (isMapped || NEVER.check(address, family)) return false;
  if (PRIVATE.check(address, family)) return allowPrivate;
  return version === 4 || GLOBAL.check(address, family);
}

/**
 * The checked addresses for a request.
 * @throws SluicegateError `upstream-unavailable` if the hostname has none, or a forbidden one.
 */
export async function resolveHost(
  base: BaseUrl,
  allowPrivate: boolean,
  lookUp: LookUpHost,
): Promise<readonly HostAddress[]> {
  const version = isIP(base.hostname);
  if (version !== 0) return [{ address: base.hostname, family: version === 4 ? 4 : 6 }];
  const found = await lookUp(base.hostname).catch(() => []);
  if (found.length === 0) throw unreachable("The name in its `base_url` couldn't be resolved.");
  const isRight = (one: HostAddress): boolean =>
    isWrittenAddress(base)
      ? LOOPBACK.check(one.address, one.family === 4 ? "ipv4" : "ipv6")
      : isAllowed(one, allowPrivate);
  if (found.every(isRight)) return found;
  throw new SluicegateError("upstream-unavailable", "The API was not called.", {
    why: "The name in its `base_url` stands for an address that is private, local or reserved.",
    fix: "If the API runs there, let the operator write its address into `base_url`, or declare `private_addresses: allow`.",
  });
}
