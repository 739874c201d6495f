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

/** What of the agent's own environment says which files its searches read, and where its own files lie. */
export const AGENT_VARIABLES = [
  "HOME",
  "XDG_CONFIG_HOME",
  "RIPGREP_CONFIG_PATH",
  "CLAUDE_CODE_GLOB_NO_IGNORE",
  "CLAUDE_CONFIG_DIR",
  "CLAUDE_PROJECT_DIR",
] as const;

export type AgentEnvironment = Readonly<Partial<Record<(typeof AGENT_VARIABLES)[number], string>>>;

/** A hook has its agent's environment. */
export const agentEnvironment = (environment: Readonly<Record<string, unknown>>): AgentEnvironment =>
  Object.fromEntries(
    AGENT_VARIABLES.flatMap((name) => {
      const value = environment[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
