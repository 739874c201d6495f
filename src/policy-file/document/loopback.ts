/** Which hosts are this machine, or an address rather than a name. Nothing is looked up. */
import { isIP } from "node:net";

const unbracketed = (host: string): string => (/^\[.*\]$/.test(host) ? host.slice(1, -1) : host);

const isLocalName = (host: string): boolean => /^localhost\.?$/i.test(host);

/** Whether a host is written as this machine: `localhost`, `127.0.0.1`, `[::1]`, or the folder of a socket. */
export function isLoopback(host: string): boolean {
  const plain = unbracketed(host);
  if (isLocalName(plain) || plain.startsWith("/") || plain === "::1") return true;
  return isIP(plain) === 4 && plain.startsWith("127.");
}

/** Whether a host is written as an address, or as this machine, so that no name leads to another one. */
export const isLiteralAddress = (host: string): boolean => isIP(unbracketed(host)) !== 0 || isLocalName(host);
