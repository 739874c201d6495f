/** How each configured server is reached. Plain data; starting and connecting is somebody else's. */
import { dirname, resolve } from "node:path";
import type { PolicyDocument, ServerDocument } from "../schema.ts";

/** A program that is spoken to over its input and output. */
export interface StdioTransport {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** Variables that the policy gives it; what else it inherits is for who starts it to say. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
}

/** A server that answers MCP over HTTP. */
export interface HttpTransport {
  readonly kind: "http";
  /** An `http:` or `https:` address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An upstream MCP server. May hold secrets, which variables filled in. */
export interface ServerConfig {
  readonly id: string;
  readonly transport: StdioTransport | HttpTransport;
}

/** The servers of a document that was checked. `file` is absolute; paths are relative to it. */
export function toServers(document: PolicyDocument, file: string): ReadonlyMap<string, ServerConfig> {
  const servers = new Map<string, ServerConfig>();
  for (const [id, server] of Object.entries(document.servers ?? {})) {
    servers.set(id, Object.freeze({ id, transport: Object.freeze(toTransport(server, file)) }));
  }
  return servers;
}

function toTransport(server: ServerDocument, file: string): StdioTransport | HttpTransport {
  const { command, args = [], env = {}, cwd = ".", url = "", headers = {} } = server;
  // INVARIANT: a checked document has exactly one of `command` and `url`.
  if (command === undefined) return { kind: "http", url, headers: Object.freeze({ ...headers }) };
  return {
    kind: "stdio",
    command,
    args: Object.freeze([...args]),
    env: Object.freeze({ ...env }),
    cwd: resolve(dirname(file), cwd),
  };
}
