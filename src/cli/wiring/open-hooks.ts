/** A policy's gate for the hooks of coding agents; what guards the gateway is kept from the agents' own tools. */
import { resolve } from "node:path";
import { createHookGate, type HookGate, type HookGateOptions } from "../../hooks/index.ts";
import { envFileOf } from "../../policy-file/document/env-file.ts";
import type { Config } from "../../policy-file/index.ts";
import { databaseFilesOf, stateFilesOf } from "./open-workspace.ts";

type OpenOptions = Pick<HookGateOptions, "store" | "key" | "inspect" | "onFault"> & {
  readonly storeFile: string;
};

/** @throws SluicegateError `usage` where the workspace's folder isn't there. */
export function openHooks(
  {
    file,
    files,
    policy,
    workspace,
    databases,
  }: Pick<Config, "file" | "files" | "policy" | "workspace" | "databases">,
  { storeFile, ...options }: OpenOptions,
): Promise<HookGate> {
  return createHookGate({
    ...options,
    policy,
    file,
    root: workspace?.root ?? null,
    protect: [...files, ...stateFilesOf(storeFile), ...databaseFilesOf(databases)],
    // The policy, but not what its variables stand for.
    plain: files.filter((each) => resolve(each) !== resolve(envFileOf(file))),
  });
}
