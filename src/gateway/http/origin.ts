/**
 * Checks Host and Origin on every route before a body is read: a web page in somebody's browser must not reach the
 * gateway under another name (DNS rebinding) or from another origin.
 */
import { SluicegateError } from "../../errors/index.ts";

export interface OriginRules {
  /** Accepted values of `Host`, such as `127.0.0.1:7311`. */
  readonly hosts: ReadonlySet<string>;
  /** The public address, such as `https://gate.acme.example/sluicegate`; left out, none. */
  readonly origin?: string;
  /** The prefix of its paths behind a proxy, such as `/sluicegate`; left out, none. */
  readonly basePath?: string;
}

/** `/`, or a path with or without a final slash, in characters that need no encoding anywhere. */
const BASE_PATH = /^(?<path>(?:\/[A-Za-z0-9_.~-]*[A-Za-z0-9_~-])*)\/?$/;

/** Without a final slash. @throws SluicegateError `usage` */
export function toBasePath(given: string): string {
  const path = BASE_PATH.exec(given)?.groups?.path;
  if (path !== undefined) return path;
  throw new SluicegateError("usage", "The base path can't be used.", {
    why: "It must begin with `/`, and have only letters, digits and any of `_ . ~ -` between its slashes.",
    fix: "For instance `--base-path /sluicegate`.",
  });
}

/** The path for routing. A proxy may have removed the base path or not. */
export const withoutBasePath = (path: string, base = ""): string =>
  path === base || path.startsWith(`${base}/`) ? path.slice(base.length) || "/" : path;

/** The rules of a gateway on this port of the loopback, with further accepted names. */
export function loopbackRules(port: number, further: readonly string[] = []): OriginRules {
  const names = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`);
  return { hosts: new Set([...names, ...further].map((host) => host.toLowerCase())) };
}

/** @throws SluicegateError `host-refused` or `origin-refused`. */
export function assertOrigin(rules: OriginRules, host: string | undefined, origin: string | undefined): void {
  if (host === undefined || !rules.hosts.has(host.toLowerCase())) {
    throw new SluicegateError("host-refused", "The request names a host that isn't this gateway.", {
      why: "Its `Host` header is none of the names that the gateway answers to.",
      fix: "Use the address that the gateway printed, or start it with `--allow-host NAME:PORT`.",
    });
  }
  if (origin === undefined) return;
  const from = /^https?:\/\/([^/]+)$/.exec(origin.toLowerCase())?.[1];
  if (from === undefined || !rules.hosts.has(from)) {
    throw new SluicegateError("origin-refused", "The request comes from another origin.", {
      why: "Its `Origin` header is a page that the gateway didn't serve.",
      fix: "Call from the gateway's own address, or from a program that isn't a browser page.",
    });
  }
}
