/** Starts servers for one look at what they offer, and ends them again. */

import type { Listed } from "../../onboarding/propose/propose-policy.ts";
import { connectUpstream, type UpstreamServer } from "../../providers/mcp/upstream.ts";
import { packageVersion } from "../version.ts";

const AT_A_TIME = 16;
/** A package may have to be fetched first. */
const LIMITS = { connectMs: 45_000, probeMs: 8_000, listMs: 20_000 };

/** Asks servers for their tools, all of them at once where they aren't very many. Never rejects. */
export async function listTools(servers: readonly UpstreamServer[]): Promise<ReadonlyMap<string, Listed>> {
  const listed = new Map<string, Listed>();
  const waiting = [...servers];
  const work = async (): Promise<void> => {
    for (let server = waiting.shift(); server !== undefined; server = waiting.shift()) {
      listed.set(server.id, await listOne(server));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return listed;
}

async function listOne(server: UpstreamServer): Promise<Listed> {
  const written: string[] = [];
  const onLog = (line: string): void => void written.push(line);
  const provider = connectUpstream(failingSoon(server), { version: packageVersion(), limits: LIMITS, onLog });
  try {
    await provider.settled;
    if (provider.status !== "ready") {
      const reason = provider.problem ?? provider.status;
      return { kind: "failed", reason: withCause(reason, server, written) };
    }
    return { kind: "tools", tools: [...provider.tools.values()] };
  } finally {
    await provider.close();
  }
}

/** npm tries for over a minute before it says what is wrong. */
function failingSoon(server: UpstreamServer): UpstreamServer {
  const { transport } = server;
  if (transport.kind !== "stdio") return server;
  const patience = { npm_config_fetch_retries: "1", npm_config_fetch_retry_mintimeout: "1000" };
  return { ...server, transport: { ...transport, env: { ...patience, ...transport.env } } };
}

/** What starters and servers write when something around them is missing. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [
    /self[- _]signed|unable[ _]to[ _](?:get|verify)[ _]|certificate[ _]verify[ _]failed|unknown ?issuer|CERT_/i,
    "the certificate of what it fetches from isn't trusted; behind a proxy of a company, set NODE_EXTRA_CA_CERTS and SSL_CERT_FILE to the file with its certificate",
  ],
  [
    /E404|404 Not Found|No matching (?:version|distribution)|not found in the package registry/i,
    "its package or that version of it was not found",
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|Could not resolve|dns error|error sending request|proxy/i,
    "the network could not be reached; where it needs a proxy, set HTTPS_PROXY",
  ],
  [/EACCES|Permission denied/i, "it may not read or run something that it needs"],
  [/command not found|Cannot find module|No such file/i, "a program or a file that it needs isn't there"],
];
const FETCHES = /^(?:npx|bunx|pnpm|yarn|npm|uvx|uv|pipx|docker|podman)$/;

/**
 * Why a server didn't start, with what is likely behind it, in words of ours alone.
 * THREAT: what the server writes may hold anything, so none of it is shown.
 */
function withCause(reason: string, { transport }: UpstreamServer, written: readonly string[]): string {
  if (transport.kind !== "stdio") return reason;
  const text = written.filter((line) => line.startsWith("stderr: ")).join("\n");
  const [, cause] = CAUSES.find(([pattern]) => pattern.test(text)) ?? [];
  if (cause !== undefined) return `${reason}: ${cause}`;
  if (/does not exist/.test(reason)) return `${reason}: install it, or put it on the PATH`;
  if (/in time/.test(reason) && FETCHES.test(transport.command))
    return `${reason}: its package may still be on its way, or the network may need a proxy or a certificate (HTTPS_PROXY, NODE_EXTRA_CA_CERTS); run its command by itself to see`;
  return reason;
}
