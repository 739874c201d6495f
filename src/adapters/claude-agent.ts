/**
 * An agent of the Claude Agent SDK (`@anthropic-ai/claude-agent-sdk`) behind a session. Tools of this program decide
 * where they are run, as everywhere; what the SDK runs by itself, its own tools and those of its servers, is decided in
 * its hooks, and by the answer to its question.
 */
import type { Session } from "../runtime/index.ts";
import { createPostToolBatch, createPostToolUse, createPreToolUse } from "./claude-agent/answer-hooks.ts";
import { createCanUseTool } from "./claude-agent/can-use-tool.ts";
import type { Guarding } from "./claude-agent/guarding.ts";
import { RunningCalls } from "./claude-agent/outside-call.ts";
import type {
  AskedCall,
  CanUseTool,
  HookMatcher,
  PermissionHost,
  SdkTool,
} from "./claude-agent/sdk-shapes.ts";
import { withEditNote } from "./edit-note.ts";
import {
  assertGuard,
  assertNames,
  callGuarded,
  type GuardOptions,
  type SessionSource,
  sessionOf,
} from "./guarded-call.ts";
import { isFailure, toRefusedResult } from "./mcp-result.ts";
import { approvalIdIn } from "./refusal.ts";
import { describeFor } from "./tool-notes.ts";
import { StepOrder } from "./turns.ts";
import { assertGoverned } from "./ungoverned.ts";

export type {
  AskedCall,
  CanUseTool,
  HookMatcher,
  PermissionHost,
  PermissionResult,
  SdkTool,
} from "./claude-agent/sdk-shapes.ts";
export type { SessionSource } from "./guarded-call.ts";
export { REFUSAL_META } from "./mcp-result.ts";
export { isRefusal, type Refusal } from "./refusal.ts";

/** Its `canUseTool` only narrows: what the gate doesn't admit isn't run, whatever the host said. */
export interface ClaudeGuardOptions extends GuardOptions, PermissionHost {
  /**
   * The server that the tools are declared under in the policy, and the name that the SDK's server gets. Left out, they
   * are looked up by their names alone, and the SDK's server is called `tools`.
   */
  readonly server?: string;
}

/** What the SDK takes. */
export interface Guarded<Tool extends SdkTool> {
  /**
   * What `createSdkMcpServer` takes: the same tools, each of whose calls is decided on when it is run. It belongs under
   * its name in `mcpServers`.
   */
  readonly server: { readonly name: string; readonly alwaysLoad: true; readonly tools: Tool[] };
  /** What `query` takes in its `options`, all of it. */
  readonly options: {
    readonly hooks: {
      readonly PreToolUse: HookMatcher[];
      readonly PostToolUse: HookMatcher[];
      readonly PostToolUseFailure: HookMatcher[];
      readonly PostToolBatch: HookMatcher[];
    };
    readonly canUseTool: CanUseTool;
    /** The SDK's own tools that the session sees at this moment, and the ungoverned ones. */
    readonly tools: string[];
    /** The guarded tools that the session doesn't see at this moment. */
    readonly disallowedTools: string[];
  };
}

/**
 * Puts an agent's tools behind a session: those of this program, and by the SDK's hooks all that it runs by itself.
 * What the policy doesn't know is refused. A call that a person must approve comes to `canUseTool`, and an approval given
 * to the SDK alone counts for nothing.
 * @throws SluicegateError `invalid-tool` for tools without a handler, unless they are named as `ungoverned`.
 */
export function guard<Tool extends SdkTool>(
  session: SessionSource,
  tools: readonly Tool[],
  options: ClaudeGuardOptions = {},
): Guarded<Tool> {
  assertGuard(session, options, ["waitSeconds", "ungoverned", "server", "canUseTool"]);
  const { server = "tools", ungoverned = [], canUseTool, waitSeconds } = options;
  const isGoverned = ({ handler }: Tool): boolean => typeof handler === "function";
  const elsewhere = tools.filter((tool) => !isGoverned(tool));
  assertGoverned(
    elsewhere.map(({ name }) => name),
    ungoverned,
  );
  const governed = tools.filter(isGoverned);
  const sdkName = (name: string): string => `mcp__${server}__${name}`;
  const policyName = ({ name }: SdkTool): string => (options.server === undefined ? name : sdkName(name));
  assertNames(session, governed.map(policyName));
  const guarding: Guarding = {
    source: session,
    own: new Map(governed.map((tool) => [sdkName(tool.name), policyName(tool)])),
    ungoverned: new Set([...ungoverned, ...elsewhere.map(({ name }) => sdkName(name))]),
    canUseTool,
    waitSeconds,
    order: new StepOrder(),
    running: new RunningCalls(),
  };
  const after = [{ hooks: [createPostToolUse(guarding)] }];
  const guarded = new Set<Tool>(governed);
  return {
    server: {
      name: server,
      alwaysLoad: true,
      tools: tools.map((tool) => (guarded.has(tool) ? guardTool(guarding, tool, policyName(tool)) : tool)),
    },
    options: {
      hooks: {
        PreToolUse: [{ hooks: [createPreToolUse(guarding)], onFailure: "block" }],
        PostToolUse: after,
        PostToolUseFailure: after,
        PostToolBatch: [{ hooks: [createPostToolBatch(guarding)] }],
      },
      canUseTool: createCanUseTool(guarding),
      get tools() {
        const own = new Set(guarding.own.values());
        const seen = sessionOf(session).tools.filter(({ server: of, id }) => of === null && !own.has(id));
        return [...seen.map(({ id }) => id), ...ungoverned];
      },
      get disallowedTools() {
        const now = sessionOf(session);
        return [...guarding.own].filter(([, known]) => now.tool(known) === null).map(([name]) => name);
      },
    },
  };
}

/** The id of the approval that the SDK asks about, out of what it gives `canUseTool`; null for a question of its own. */
export const approvalIdOf = (asked: Pick<AskedCall, "decisionReason">): string | null =>
  approvalIdIn(asked.decisionReason);

function guardTool<Tool extends SdkTool>(guarding: Guarding, tool: Tool, name: string): Tool {
  const { source } = guarding;
  const handler = (args: never, extra: unknown): Promise<unknown> =>
    run(guarding, { tool, name }, args, extra);
  const guarded = { ...tool, handler };
  return Object.defineProperty(guarded, "description", {
    get: () => describeNow(source, name, tool.description),
    enumerable: true,
  });
}

/** Outside of a session, a shared tool has its host's description. */
function describeNow(source: SessionSource, name: string, description: string): string {
  let session: Session;
  try {
    session = sessionOf(source);
  } catch {
    return description;
  }
  return describeFor(session, name, description);
}

interface NamedTool {
  readonly tool: SdkTool;
  readonly name: string;
}

async function run(
  { source, order, waitSeconds }: Guarding,
  { tool, name }: NamedTool,
  input: unknown,
  extra: unknown,
): Promise<unknown> {
  const session = sessionOf(source);
  const { signal, _meta: meta } = (extra ?? {}) as Extra;
  const { outcome } = await order.inOrder(session, String(meta?.[TOOL_USE]), () => ({
    outcome: callGuarded(session, {
      tool: name,
      input,
      run: async (copy, { fail }) => {
        const result = await tool.handler(copy as never, extra);
        if (isFailure(result)) fail();
        return result;
      },
      signal,
      waitSeconds,
    }),
  }));
  const decided = await outcome;
  return decided.effect === "allow" ? withEditNote(decided) : toRefusedResult(decided);
}

/** What an SDK's server gives a handler beside its arguments. */
interface Extra {
  readonly signal?: AbortSignal;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Where the SDK says which of the model's calls this is. */
const TOOL_USE = "claudecode/toolUseId";
