/** Starts servers for one look at what they offer, and ends them again. */
import { connectUpstream, type UpstreamServer } from "../../gateway/upstream/upstream.ts";
import type { OfferedTool } from "../../session/index.ts";
import { packageVersion } from "../version.ts";

/** What came of asking one server. */
export type Listed =
  | { readonly kind: "tools"; readonly tools: readonly OfferedTool[] }
  | { readonly kind: "failed"; readonly reason: string };

const AT_A_TIME = 4;
/** A package may have to be fetched first. */
const LIMITS = { connectMs: 60_000, probeMs: 8_000, listMs: 20_000 };

/** Asks servers for their tools, a few at a time. Never rejects. */
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
  const provider = connectUpstream(server, { version: packageVersion(), limits: LIMITS });
  try {
    await provider.settled;
    if (provider.status !== "ready") return { kind: "failed", reason: provider.problem ?? provider.status };
    return { kind: "tools", tools: [...provider.tools.values()] };
  } finally {
    await provider.close();
  }
}
