/** The sign-ins to those servers of a policy that ask for OAuth. */
import type { Config } from "../../policy-file/index.ts";
import { SignIns } from "../../providers/mcp/index.ts";
import type { RunOrder } from "../../runtime/index.ts";
import { SealedValues, type SealedValuesOptions } from "../../runtime/sealed-values.ts";

export function openSignIns(
  { servers }: Pick<Config, "servers">,
  sealing: SealedValuesOptions,
  order: RunOrder,
): ReadonlyMap<string, SignIns> {
  const values = new SealedValues(sealing);
  const { clock } = sealing;
  const found = new Map<string, SignIns>();
  for (const { id: server, transport, oauth: settings } of servers.values())
    if (settings !== undefined && transport.kind === "http")
      found.set(server, new SignIns({ server, url: transport.url, settings, values, clock, order }));
  return found;
}
