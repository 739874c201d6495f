/** The base of an API's requests: one origin and a path prefix. */
import { isIP } from "node:net";
import { hasDotSegment } from "./document/path-template.ts";

export interface BaseUrl {
  readonly isSecure: boolean;
  /** For URLs: an IPv6 address in brackets. */
  readonly host: string;
  /** For resolving. */
  readonly hostname: string;
  readonly port: number;
  readonly origin: string;
  /** Without a final slash. */
  readonly path: string;
}

/** A base URL, or why it is invalid. */
export function parseBaseUrl(text: string): BaseUrl | string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:") || url.hostname === "") {
    return "Its `base_url` is no `http` or `https` address.";
  }
  if (url.username !== "" || url.password !== "") {
    return "Its `base_url` holds a name or a password, which belong into `headers`.";
  }
  if (url.search !== "" || url.hash !== "" || text.includes("?") || text.includes("#")) {
    return "Its `base_url` holds a query or a fragment; a fixed query belongs into `query`.";
  }
  if (hasDotSegment(url.pathname)) return "Its `base_url` has a dot segment in its path.";
  const isSecure = url.protocol === "https:";
  return {
    isSecure,
    host: url.hostname,
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port),
    origin: url.origin,
    path: url.pathname.replace(/\/+$/, ""),
  };
}

/** Whether a path, with or without a query, is below the base, however a server reads it. */
export function isWithinBase({ path }: Pick<BaseUrl, "path">, target: string): boolean {
  const [plain = ""] = target.split("?");
  return !hasDotSegment(plain) && !plain.includes("\\") && (plain === path || plain.startsWith(`${path}/`));
}

/** Whether the host is an address, or the name of this machine. */
export const isWrittenAddress = ({ hostname }: Pick<BaseUrl, "hostname">): boolean =>
  hostname === "localhost" || isIP(hostname) !== 0;
