/** What is used of the Claude Agent SDK, by its shape: the SDK itself is never imported. */
import type { HookAnswer } from "../claude-code/hook-answer.ts";

/** A tool as the SDK's `tool()` makes it. */
export interface SdkTool {
  readonly name: string;
  readonly description: string;
  handler(args: never, extra: unknown): Promise<unknown>;
}

/** A hook in this process. What it is given is read as data that nobody vouches for. */
export type HookCallback = (
  input: unknown,
  toolUseId: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<HookAnswer>;

/** Hooks of one event; these are for every tool. */
export interface HookMatcher {
  readonly hooks: HookCallback[];
  /** What comes of a call whose hook fails. */
  readonly onFailure?: "block";
}

/** What is told beside a call that the SDK asks its host about. */
export interface AskedCall {
  readonly signal: AbortSignal;
  readonly toolUseID: string;
  readonly agentID?: string;
  /** The server that the tool is one of, and where the SDK knows it from: `sdk` for those of this program. */
  readonly mcpServer?: { readonly name: string; readonly source: string };
  /** Why it is asked about; of a call that the gate asks about, the gate's own words. */
  readonly decisionReason?: string;
}

/** What a host answers. */
export type PermissionResult =
  | { behavior: "allow"; updatedInput?: Record<string, unknown> }
  | { behavior: "deny"; message: string; interrupt?: boolean };

/** What the SDK asks before a call, where a hook or its own rules want to know. */
export type CanUseTool = (
  tool: string,
  input: Record<string, unknown>,
  asked: AskedCall,
) => Promise<PermissionResult>;

/** The host's answer to that. It is a method, since the host's own function may take more of what the SDK tells. */
export interface PermissionHost {
  canUseTool?(
    tool: string,
    input: Record<string, unknown>,
    asked: AskedCall,
  ): Promise<PermissionResult | null>;
}
