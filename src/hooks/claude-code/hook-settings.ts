import type { AgentEnvironment } from "./agent-environment.ts";

/** What a decision may take beyond the time that a call is held; the agent is told to wait longer than that. */
export const DECISION_SECONDS = 15;

/** What a hook is set up with: by the words of its command line, and again in what it asks a gateway. */
export interface HookSettings {
  /** The policy's file, absolute. */
  readonly config: string;
  /** The store's file, absolute. */
  readonly store: string;
  readonly role: string | null;
  /** What is said to tools that the policy doesn't name: what it says of the unclassified, or nothing. */
  readonly unlisted: "policy" | "defer" | "pass";
  /** How long a call that asks is held, at most. */
  readonly waitSeconds: number;
  readonly environment: AgentEnvironment;
  /** The agent's settings that hold the hook, absolute; null where its command doesn't say. */
  readonly settings: string | null;
}
