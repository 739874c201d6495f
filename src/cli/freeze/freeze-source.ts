/** Where freezes are set and ended: at a gateway that runs, or, where none answers, in the store that it reads. */
import { SluicegateError } from "../../errors/index.ts";
import { freeze as freezeSchema, freezes, toWireFreeze } from "../../gateway/rest/freeze-routes.ts";
import { loadConfig } from "../../policy-file/index.ts";
import { createGate, type FreezeTarget, OPERATOR } from "../../runtime/index.ts";
import { findGateway, type GatewayClient, type Whereabouts } from "../wiring/gateway-client.ts";
import { isStoreThere, openStoreAt, storePlaceOf } from "../wiring/store-file.ts";

export type WireFreeze = ReturnType<typeof toWireFreeze>;

export interface FreezeSource {
  list(): Promise<readonly WireFreeze[]>;
  set(request: FreezeTarget & { readonly why?: string }): Promise<WireFreeze>;
  end(id: string): Promise<WireFreeze>;
  close(): Promise<void>;
}

/** @throws SluicegateError where there is neither a gateway nor a store. */
export async function openFreezes(options: Whereabouts): Promise<FreezeSource> {
  const client = await findGateway(options);
  return client === null ? inStore(options) : overRest(client);
}

function overRest(client: GatewayClient): FreezeSource {
  const readOne = (answer: unknown): WireFreeze | null => freezeSchema.safeParse(answer).data ?? null;
  return {
    list: () => client.ask("/v1/freezes", (answer) => freezes.safeParse(answer).data?.freezes ?? null),
    set: (request) => client.ask("/v1/freeze", readOne, request),
    end: (id) => client.delete(`/v1/freeze/${encodeURIComponent(id)}`, readOne),
    close: async () => {},
  };
}

async function inStore({ config, store: named }: Whereabouts): Promise<FreezeSource> {
  const place = storePlaceOf(config, named);
  if (!isStoreThere(place)) throw nothingThere(place.file);
  const { policy } = await loadConfig(config, { unset: "unset" });
  const gate = createGate({ policy, store: await openStoreAt(place) });
  return {
    list: async () => (await gate.freezes()).map(toWireFreeze),
    set: async (request) => toWireFreeze(await gate.freeze({ ...request, by: OPERATOR })),
    end: async (id) => toWireFreeze(await gate.unfreeze(id, OPERATOR)),
    close: () => gate.close(),
  };
}

const nothingThere = (file: string): SluicegateError =>
  new SluicegateError("not-found", "There is nothing to freeze.", {
    why: `No gateway answers, and there is no store at ${file}.`,
    fix: "Name the gateway with `--url`, the policy with `--config` or the store with `--store`.",
  });

/** What a freeze stops, in a few words. */
export function describeTarget({ principal, session, server, tool }: WireFreeze): string {
  if (principal !== null) return `all calls of the principal ${principal}`;
  if (session !== null) return `all calls of the session ${session}`;
  if (server !== null) return `all calls of the server ${server}`;
  return tool === null ? "all calls of all sessions" : `all calls of the tool ${tool}`;
}
