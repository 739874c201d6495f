/**
 * The port of whatever offers tools: an upstream MCP server, a database, an API, the workspace. The gate knows no
 * other difference between them.
 */

/** What a tool gives back, in MCP's shape: content blocks, or structured content, or an error. Plain JSON. */
export interface ToolResult {
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

/** A tool as its provider describes it. What a provider says is shown, never believed. */
export interface OfferedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** Whether a provider can be called: `starting` until it first answers, `down` between two attempts. */
export type ProviderStatus = "starting" | "ready" | "down" | "closed";

export interface ToolProvider {
  /** The server's id in the policy. */
  readonly id: string;
  readonly status: ProviderStatus;
  /** Why it isn't ready, for operators; null where it is. */
  readonly problem: string | null;
  /** What it offers, as of its last answer. */
  readonly tools: ReadonlyMap<string, OfferedTool>;
  /** Resolves when it has answered for the first time, or was given up for now. Never rejects. */
  readonly settled: Promise<void>;
  /**
   * Runs a tool by its own name with exactly these arguments.
   * @throws SluicegateError `upstream-unavailable`, `upstream-failed`, `upstream-timeout`, `result-too-large`.
   */
  run(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: { readonly signal?: AbortSignal },
  ): Promise<ToolResult>;
  /** Calls back when the status or the offered tools have changed. Returns how to stop. */
  watch(listener: () => void): () => void;
  close(): Promise<void>;
}
