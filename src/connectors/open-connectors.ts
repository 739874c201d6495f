/** Every database and API of a policy as a provider. */
import type { Lattice } from "../core/index.ts";
import type { ToolProvider } from "../session/index.ts";
import { type ApiOptions, createApiProvider } from "./openapi/index.ts";
import { createDatabaseProvider, type DatabaseOptions } from "./sql/index.ts";

/** What of a configuration is needed: what `loadConfig` gives fits. */
export interface ConnectorsOptions {
  readonly policy: { readonly lattice: Lattice };
  readonly databases: ReadonlyMap<string, Omit<DatabaseOptions, "lattice">>;
  readonly apis: ReadonlyMap<string, Omit<ApiOptions, "lattice">>;
}

/** Opens them in the order of the policy. They are to be closed; one that can't be reached says so when it is called. */
export function openConnectors({ policy, databases, apis }: ConnectorsOptions): readonly ToolProvider[] {
  const { lattice } = policy;
  return [
    ...[...databases.values()].map((database) => createDatabaseProvider({ ...database, lattice })),
    ...[...apis.values()].map((api) => createApiProvider({ ...api, lattice })),
  ];
}
