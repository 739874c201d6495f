/** The databases and APIs of a document that was checked. */
import { createLattice, type Lattice } from "../../core/index.ts";
import type { ApiFiles } from "../document/read-documents.ts";
import type { PolicyDocument } from "../schema.ts";
import { type ApiConfig, toApi } from "./apis.ts";
import { type DatabaseConfig, toDatabase } from "./databases.ts";
import type { Declared } from "./declared.ts";

/** Both by the server under which their tools stand. */
export interface Connectors {
  readonly lattice: Lattice;
  readonly databases: ReadonlyMap<string, DatabaseConfig>;
  readonly apis: ReadonlyMap<string, ApiConfig>;
}

/** `file` is the policy file, absolute. */
export function toConnectors(
  { levels, trust, databases = {}, apis = {} }: PolicyDocument,
  declared: Declared,
  documents: ApiFiles,
  file: string,
): Connectors {
  const lattice = createLattice({ ...(levels && { levels }), ...(trust && { trust }) });
  const places = new Map(declared.databases.map(({ key, at }) => [key, at.file]));
  return {
    lattice,
    databases: new Map(
      Object.entries(databases).map(([id, database]) => [
        id,
        toDatabase(id, database, lattice, places.get(id) ?? file),
      ]),
    ),
    apis: new Map(
      Object.entries(apis).flatMap(([id, api]) => {
        const found = documents.get(id);
        return found ? [[id, toApi(id, api, found, lattice)] as const] : [];
      }),
    ),
  };
}
