/** A tool's failure as its result, for the agent to read: what happened, why, and how to fix it. */
import type { CallToolResult } from "@modelcontextprotocol/server";

export interface ToolError {
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

export function toErrorResult(error: ToolError): CallToolResult {
  return { content: [{ type: "text", text: `${error.what} ${error.why} ${error.fix}` }], isError: true };
}

/** The words of whatever was thrown, with the cause that `fetch` hides behind "fetch failed". */
export function toMessage(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error ? `${thrown.message}: ${thrown.cause.message}` : thrown.message;
}
