/**
 * Where a gateway keeps what belongs to its store: the operator's token, the key of digests, the socket of hooks.
 * It loads nothing but Node, since a hook reads it before every call of an agent.
 */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The folder beside a policy file that holds its store, unless `--store` names another. */
export const STATE_FOLDER = ".sluicegate";
const STORE_NAME = "sluicegate.db";

/** Whether a store lies where a policy's own store does, so that all of its folder is the gateway's. */
export const isInStateFolder = (storeFile: string): boolean =>
  basename(storeFile) === STORE_NAME && basename(dirname(storeFile)) === STATE_FOLDER;

/** A file that belongs to a store: `.sluicegate/token`, or beside a store elsewhere `FILE.token`. */
export const stateFileOf = (storeFile: string, kind: "token" | "key" | "sock"): string =>
  isInStateFolder(storeFile) ? join(dirname(storeFile), kind) : `${storeFile}.${kind}`;

/** The store of a policy: `.sluicegate/sluicegate.db` beside it. */
export const stateStoreOf = (policyFile: string): string =>
  join(dirname(policyFile), STATE_FOLDER, STORE_NAME);

/** Where stores lay before there was a folder for them: beside the policy itself. */
export const olderStoreOf = (policyFile: string): string => join(dirname(policyFile), STORE_NAME);

/**
 * The store of a policy as it lies now: in its folder, or still beside the policy, where no gateway has moved it yet.
 * An older store whose database is gone is still the store: its secrets tell that something was lost.
 */
export function defaultStoreOf(policyFile: string): string {
  const store = stateStoreOf(policyFile);
  const older = olderStoreOf(policyFile);
  const remains = [older, stateFileOf(older, "token"), stateFileOf(older, "key")];
  return !existsSync(store) && remains.some((file) => existsSync(file)) ? older : store;
}
