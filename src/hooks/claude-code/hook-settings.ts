import type { AgentEnvironment } from "./agent-environment.ts";

/** A hook's own time limit beyond the wait for an approval. The agent's limit for the hook is longer. */
export const DECISION_SECONDS = 15;

/** The options of a hook: from its command line, and in its requests to a gateway. */
export interface HookSettings {
  /** The policy's file, absolute. */
  readonly config: string;
  /** The store's file, absolute. */
  readonly store: string;
  readonly role: string | null;
  /** What to do with a tool that the policy doesn't name: apply `unclassified`, end the run, or give no answer. */
  readonly unlisted: "policy" | "defer" | "pass";
  /** The longest wait for an approval. */
  readonly waitSeconds: number;
  readonly environment: AgentEnvironment;
  /** The settings file with the hook, absolute; null if its command doesn't name it. */
  readonly settings: string | null;
}
