/**
 * What all providers offer together: keeps the gate's policy in step with what servers really have, and finds the
 * provider and the definition behind a tool.
 */
import {
  type Call,
  type Facts,
  lookUp,
  type Policy,
  parseToolId,
  type Tool,
  withOffered,
} from "../core/index.ts";
import type { Gate, OfferedTool, ToolProvider } from "../session/index.ts";

export interface Catalog {
  readonly providers: readonly ToolProvider[];
  /** The provider with a server's id; undefined for null, as of a tool that the agent runs itself. */
  provider(server: string | null): ToolProvider | undefined;
  /** How its provider describes a tool; undefined where it doesn't offer it now. */
  definitionOf(tool: Tool): OfferedTool | undefined;
  /** Resolves when each provider has answered or was given up for now. */
  readonly settled: Promise<void>;
  close(): Promise<void>;
}

/** A catalog that keeps the gate's policy in step from now on. */
export function createCatalog(gate: Gate, base: Policy, providers: readonly ToolProvider[]): Catalog {
  const byId = new Map(providers.map((provider) => [provider.id, provider]));
  const follow = (): void => {
    let policy = base;
    for (const provider of providers) {
      // INVARIANT: a server that never answered has no list; its declared tools stay known and fault when called.
      if (provider.tools.size > 0 || provider.status === "ready") {
        policy = withOffered(policy, provider.id, [...provider.tools.keys()]);
      }
    }
    gate.usePolicy(policy);
  };
  const stops = providers.map((provider) => provider.watch(follow));
  const provider = (server: string | null): ToolProvider | undefined =>
    server === null ? undefined : byId.get(server);
  return {
    providers,
    provider,
    definitionOf: (tool) => provider(tool.server)?.tools.get(parseToolId(tool.id).tool),
    settled: Promise.all(providers.map(({ settled }) => settled)).then(follow),
    close: async () => {
      for (const stop of stops) stop();
      await Promise.allSettled(providers.map((provider) => provider.close()));
    },
  };
}

/** The fact that a call of an upstream's tool needs: whether that upstream can be called now. */
export function providerFacts(policy: Policy, providers: readonly ToolProvider[], call: Call): Facts {
  const server = lookUp(policy, call.tool).tool?.server ?? null;
  if (server === null) return {};
  const provider = providers.find(({ id }) => id === server);
  if (provider?.status === "ready") return {};
  const message = provider
    ? `The server \`${server}\` can't be called now: ${provider.problem ?? "it has not answered yet"}.`
    : `The server \`${server}\` is not connected to this gateway.`;
  return { faults: [{ code: "provider", message }] };
}
