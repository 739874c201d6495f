/**
 * Where a gateway stores what belongs to its store: the operator's token, the key of digests, the socket of hooks. It
 * imports only Node, since a hook loads it before every call of an agent.
 */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The folder of the store, beside the policy file, unless `--store` names another. */
export const STATE_FOLDER = ".sluicegate";
const STORE_NAME = "sluicegate.db";

/** Whether a store is at the default place, so that the whole folder is the gateway's. */
export const isInStateFolder = (storeFile: string): boolean =>
  basename(storeFile) === STORE_NAME && basename(dirname(storeFile)) === STATE_FOLDER;

/** A file that belongs to a store: `.sluicegate/token`, or beside a store elsewhere `FILE.token`. */
export const stateFileOf = (storeFile: string, kind: "token" | "key" | "sock"): string =>
  isInStateFolder(storeFile) ? join(dirname(storeFile), kind) : `${storeFile}.${kind}`;

/** The store of a policy: `.sluicegate/sluicegate.db` beside it. */
export const stateStoreOf = (policyFile: string): string =>
  join(dirname(policyFile), STATE_FOLDER, STORE_NAME);

/** The store's earlier place, beside the policy itself. */
export const olderStoreOf = (policyFile: string): string => join(dirname(policyFile), STORE_NAME);

/**
 * The present store of a policy: in its folder, or at its earlier place if no gateway has moved it yet. An older
 * store without its database counts too: its secrets show that something was lost.
 */
export function defaultStoreOf(policyFile: string): string {
  const store = stateStoreOf(policyFile);
  const older = olderStoreOf(policyFile);
  const remains = [older, stateFileOf(older, "token"), stateFileOf(older, "key")];
  return !existsSync(store) && remains.some((file) => existsSync(file)) ? older : store;
}
