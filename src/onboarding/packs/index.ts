/** The servers that are known. */

import { LOCAL_PACKS } from "./local.ts";
import type { Pack } from "./pack.ts";
import type { Origin } from "./recognise.ts";
import { SERVICE_PACKS } from "./services.ts";
import { WEB_PACKS } from "./web.ts";

export const PACKS: readonly Pack[] = Object.freeze([...LOCAL_PACKS, ...SERVICE_PACKS, ...WEB_PACKS]);

const BY_ORIGIN: ReadonlyMap<string, Pack> = new Map(
  PACKS.flatMap((pack) => pack.origins.map((origin) => [origin, pack] as const)),
);

/** The pack of the server that comes from there. */
export const packFor = ({ kind, name }: Origin): Pack | null => BY_ORIGIN.get(`${kind}:${name}`) ?? null;
