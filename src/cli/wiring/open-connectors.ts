/** The databases, the APIs and the detectors of a policy. What none of them needs isn't loaded. */

import type { Detectors } from "../../detectors/index.ts";
import type { Config } from "../../policy-file/index.ts";
import type { ToolProvider } from "../../runtime/index.ts";

/** `log` is called for what an API's document offers and can't be a tool. */
export async function openConnectors(
  config: Config,
  log: (line: string) => void,
): Promise<readonly ToolProvider[]> {
  if (config.databases.size === 0 && config.apis.size === 0) return [];
  const connectors = await import("../../providers/index.ts");
  return connectors.openConnectors(config, {
    onLeftOut: (api, operation, why) => log(`${api}: \`${operation}\` is not offered. ${why}`),
  });
}

/** Null where the policy asks for none. To be closed. */
export async function openDetectors({ detectors, policy }: Config): Promise<Detectors | null> {
  if (detectors === null) return null;
  const { createDetectors } = await import("../../detectors/index.ts");
  return createDetectors({ ...detectors, lattice: policy.lattice });
}
