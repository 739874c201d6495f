/** What calls on paper would bring in: the databases that they ask look at them. Nothing is run. */

import { type Call, type KnownFacts, type Label, lookUp, parseToolId } from "../../core/index.ts";
import type { Config } from "../../policy-file/index.ts";
import type { ToolProvider } from "../../runtime/index.ts";
import { openConnectors } from "../wiring/open-connectors.ts";

/** A call with what it was found to bring in, and what else is known of it; left out, it is taken at its worst. */
export type SourcedCall = Call & { readonly source?: Label; readonly known?: KnownFacts };

/** The same calls. One whose database can't be reached, or whose arguments aren't given, stays as it is. */
export async function withSources<Planned extends Call>(
  config: Config,
  calls: readonly Planned[],
): Promise<readonly (Planned & { readonly source?: Label })[]> {
  const asked = new Set(calls.flatMap((call) => databaseOf(config, call) ?? []));
  const databases = new Map([...config.databases].filter(([id]) => asked.has(id)));
  const providers = await openConnectors({ ...config, databases, apis: new Map() }, () => {});
  try {
    return await Promise.all(
      calls.map(async (call) => {
        const provider = providers.find(({ id }) => id === databaseOf(config, call));
        const source = provider && (await sourceOf(config, provider, call).catch(() => undefined));
        return source === undefined ? call : { ...call, source };
      }),
    );
  } finally {
    await Promise.all(providers.map((provider) => provider.close()));
  }
}

/** The database whose tool a call with arguments names; null where there is none, or nothing to find out. */
function databaseOf({ policy, databases }: Config, call: Call): string | null {
  if (call.arguments === undefined) return null;
  const { tool } = lookUp(policy, call.tool);
  const isOpen = tool?.sourceBound === "most" && tool.server !== null && databases.has(tool.server);
  return isOpen ? tool.server : null;
}

async function sourceOf({ policy }: Config, provider: ToolProvider, call: Call): Promise<Label | undefined> {
  await provider.settled;
  const { tool } = parseToolId(lookUp(policy, call.tool).tool?.id ?? "");
  return (await provider.examine?.(tool, call.arguments ?? {}))?.source;
}
