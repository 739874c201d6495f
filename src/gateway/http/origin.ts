/**
 * Host and Origin, checked on every route before a body is read: a web page that a person has open must not
 * reach the gateway under another name (DNS rebinding) or from another origin.
 */
import { SluicegateError } from "../../errors/index.ts";

export interface OriginRules {
  /** Values of `Host` that are ours, such as `127.0.0.1:7311`. */
  readonly hosts: ReadonlySet<string>;
  /** The address that people are given, such as `http://127.0.0.1:7311`; left out, none. */
  readonly origin?: string;
}

/** The rules of a gateway on this port of the loopback, with further names that it is reached by. */
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
