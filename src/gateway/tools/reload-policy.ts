/** Takes up a changed policy file while the gateway runs: read whole, compared with the one in force, then swapped. */
import { type Policy, widenings } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { ToolRegistry } from "./tool-registry.ts";

/** Where the policy comes from. */
export interface PolicyFile {
  /** Throws where it can't be put in force. */
  load(): Promise<Policy>;
  /** Called once another version is in force. */
  onReload(policy: Policy): void;
}

export interface ReloadOptions {
  /** Takes up a policy that allows more than the one in force. */
  readonly allowsWidening: boolean;
}

export interface Reloaded {
  /** The version that is in force now. */
  readonly version: string;
  readonly isChanged: boolean;
  /** What it may allow beyond the one before, as sentences. */
  readonly widens: readonly string[];
}

/**
 * Puts the policy of the file in force. Sessions keep their labels; approvals that wait are asked for again.
 * @throws SluicegateError `reload-refused` for one that allows more and wasn't allowed to, and what reading it throws: then the
 * one before stays in force.
 */
export async function reloadPolicy(
  catalog: ToolRegistry,
  file: PolicyFile,
  { allowsWidening }: ReloadOptions,
): Promise<Reloaded> {
  const next = await file.load();
  let widens: readonly string[] = [];
  const isChanged = await catalog.usePolicy(next, (before, after) => {
    widens = widenings(before, after);
    if (widens.length > 0 && !allowsWidening) throw wouldWiden(widens);
  });
  if (isChanged) file.onReload(next);
  return { version: next.version, isChanged, widens };
}

const MAX_SHOWN = 20;

const wouldWiden = (widens: readonly string[]): SluicegateError =>
  new SluicegateError(
    "reload-refused",
    "The policy was not reloaded: it may allow more than the one in force.",
    {
      why: [
        ...widens.slice(0, MAX_SHOWN),
        ...(widens.length > MAX_SHOWN ? [`And ${widens.length - MAX_SHOWN} more.`] : []),
      ].join(" "),
      fix: "Look at these changes. If all of them are meant, reload with `--allow-widening` (`allow_widening` over REST).",
      details: { widens },
    },
  );

export const noPolicyFile = (): SluicegateError =>
  new SluicegateError("usage", "The policy can't be reloaded.", {
    why: "This gateway was started without a policy file.",
    fix: "Give `policyFile` to the gateway, or put another policy in force in the program itself.",
  });
