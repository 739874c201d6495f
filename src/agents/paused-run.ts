/** What is stored of a run while it waits for a person, and which of it still applies when it continues. */
import type { ModelMessage } from "ai";
import type { Permission, ToolPolicy } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import { parseJson } from "../json/parse-json.ts";
import type { PlanProgress } from "./plan-step.ts";

/** A call that waits for a person's answer. */
export interface WaitingCall {
  /** The model's own id of the call. */
  readonly id: string;
  /** The tool, as the model named it. */
  readonly tool: string;
  readonly arguments: unknown;
  /** The SDK's id of its request. */
  readonly request: string;
  /** The approval that it waits for. */
  readonly approval: string;
}

/** A paused run. Plain data; a resumed run has at most these rights. */
export interface PausedRun {
  readonly version: typeof VERSION;
  readonly principal: string;
  readonly messages: readonly ModelMessage[];
  readonly waiting: readonly WaitingCall[];
  /** Identities of the tools that it saw. */
  readonly visible: readonly string[];
  /** Its granted permissions; null if only its role restricts them. */
  readonly granted: readonly Permission[] | null;
  /** The tool policies that it ran under. */
  readonly policies: readonly ToolPolicy[];
  readonly used: { readonly steps: number; readonly tokens: number };
  readonly plan: PlanProgress;
}

export const VERSION = 2;

/** A text for `parsePaused`. Binary parts become base64, which the SDK accepts too. */
export function writePaused(run: PausedRun): string {
  return JSON.stringify(run, function replace(this: unknown, key, value) {
    // JSON has called the Buffer's `toJSON` already.
    const raw: unknown = Object(this)[key];
    return raw instanceof Uint8Array ? Buffer.from(raw).toString("base64") : value;
  });
}

/** @throws SluicegateError `run-not-found` for a run of another version of the program. */
export function parsePaused(text: string): PausedRun {
  const run = parseJson<PausedRun>(text);
  if (run.version === VERSION) return run;
  throw new SluicegateError("run-not-found", "The paused run can't be resumed.", {
    why: "Another version of the program has paused it.",
    fix: "Run the task again.",
  });
}
