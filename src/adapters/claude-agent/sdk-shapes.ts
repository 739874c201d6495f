/** The used parts of the Claude Agent SDK, by their shape: the SDK itself is never imported. */
import type { HookAnswer } from "../claude-code/hook-answer.ts";

/** A tool made by the SDK's `tool()`. */
export interface SdkTool {
  readonly name: string;
  readonly description: string;
  handler(args: never, extra: unknown): Promise<unknown>;
}

/** A hook in this process. Its input isn't trusted. */
export type HookCallback = (
  input: unknown,
  toolUseId: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<HookAnswer>;

/** Hooks of one event, for every tool. */
export interface HookMatcher {
  readonly hooks: HookCallback[];
  /** What happens to a call whose hook fails. */
  readonly onFailure?: "block";
}

/** What the SDK passes to `canUseTool` in addition to the call. */
export interface AskedCall {
  readonly signal: AbortSignal;
  readonly toolUseID: string;
  readonly agentID?: string;
  /** The tool's server, and its source: `sdk` for those of this program. */
  readonly mcpServer?: { readonly name: string; readonly source: string };
  /** Why the SDK asks; for a question by the gate, the gate's own words. */
  readonly decisionReason?: string;
}

/** A host's answer. */
export type PermissionResult =
  | { behavior: "allow"; updatedInput?: Record<string, unknown> }
  | { behavior: "deny"; message: string; interrupt?: boolean };

/** The SDK's question before a call, if a hook or its own rules require one. */
export type CanUseTool = (
  tool: string,
  input: Record<string, unknown>,
  asked: AskedCall,
) => Promise<PermissionResult>;

/** The host's answer to that. A method, so that the host's function may use more parameters of the SDK. */
export interface PermissionHost {
  canUseTool?(
    tool: string,
    input: Record<string, unknown>,
    asked: AskedCall,
  ): Promise<PermissionResult | null>;
}
