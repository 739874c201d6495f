/** Every database and API of a policy as a provider. */
import type { Lattice } from "../core/index.ts";
import type { ToolProvider } from "../runtime/index.ts";
import { type ApiOptions, createApiProvider } from "./openapi/index.ts";
import { createDatabaseProvider, type DatabaseOptions } from "./sql/index.ts";

/** The needed parts of a configuration; the result of `loadConfig` fits. */
export interface ConnectorsOptions {
  readonly policy: { readonly lattice: Lattice };
  readonly databases: ReadonlyMap<string, Omit<DatabaseOptions, "lattice">>;
  readonly apis: ReadonlyMap<string, Omit<ApiOptions, "lattice">>;
}

export interface OpenConnectorsOptions {
  /** Called once for each operation of an API that can't be a tool, with the reason. */
  readonly onLeftOut?: (api: string, operation: string, why: string) => void;
}

/**
 * Opens them in the order of the policy. Close them afterwards; one that can't be reached says so when it is called.
 */
export function openConnectors(
  { policy: { lattice }, databases, apis }: ConnectorsOptions,
  { onLeftOut }: OpenConnectorsOptions = {},
): readonly ToolProvider[] {
  return [
    ...[...databases.values()].map((database) => createDatabaseProvider({ ...database, lattice })),
    ...[...apis.values()].map((api) => {
      const provider = createApiProvider({ ...api, lattice });
      provider.settled.then(() => {
        for (const [name, why] of provider.leftOut) onLeftOut?.(api.id, name, why);
      });
      return provider;
    }),
  ];
}
