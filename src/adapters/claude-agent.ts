/**
 * An agent of the Claude Agent SDK (`@anthropic-ai/claude-agent-sdk`) behind a session. Calls of this program's tools
 * are decided when they run. The SDK's own tools, and those of its servers, are decided in its hooks and in
 * `canUseTool`.
 */
import type { Session } from "../runtime/index.ts";
import {
  createCanUseTool,
  createPostToolBatch,
  createPostToolUse,
  createPreToolUse,
} from "./claude-agent/answer-hooks.ts";
import type { Guarding } from "./claude-agent/guarding.ts";
import { RunningCalls } from "./claude-agent/outside-call.ts";
import type {
  AskedCall,
  CanUseTool,
  HookMatcher,
  PermissionHost,
  SdkTool,
} from "./claude-agent/sdk-shapes.ts";
import {
  assertGoverned,
  assertGuard,
  assertNames,
  callGuarded,
  type GuardOptions,
  type SessionSource,
  sessionOf,
} from "./guarded-call.ts";
import { describeFor, withEditNote } from "./model-notes.ts";
import { approvalIdIn, isFailure, toRefusedResult } from "./refusal.ts";
import { StepOrder } from "./turns.ts";

export type {
  AskedCall,
  CanUseTool,
  HookMatcher,
  PermissionHost,
  PermissionResult,
  SdkTool,
} from "./claude-agent/sdk-shapes.ts";
export type { SessionSource } from "./guarded-call.ts";
export { isRefusal, REFUSAL_META, type Refusal } from "./refusal.ts";

/** The host's `canUseTool` can only deny: what the gate doesn't admit isn't run. */
export interface ClaudeGuardOptions extends GuardOptions, PermissionHost {
  /**
   * The server under which the policy declares the tools, and the name of the SDK's server. Left out, they are looked
   * up by their names, and the SDK's server is called `tools`.
   */
  readonly server?: string;
}

/** The settings for the SDK. */
export interface Guarded<Tool extends SdkTool> {
  /**
   * For `createSdkMcpServer`: the same tools, whose calls are decided on when they run. Put it under its name in
   * `mcpServers`.
   */
  readonly server: { readonly name: string; readonly alwaysLoad: true; readonly tools: Tool[] };
  /** For the `options` of `query`, all of it. */
  readonly options: {
    readonly hooks: {
      readonly PreToolUse: HookMatcher[];
      readonly PostToolUse: HookMatcher[];
      readonly PostToolUseFailure: HookMatcher[];
      readonly PostToolBatch: HookMatcher[];
    };
    readonly canUseTool: CanUseTool;
    /** The SDK's own tools that the session sees now, and the ungoverned ones. */
    readonly tools: string[];
    /** The guarded tools that the session doesn't see now. */
    readonly disallowedTools: string[];
  };
}

/**
 * Puts an agent's tools behind a session: this program's tools and, by the SDK's hooks, all others. A tool that the
 * policy doesn't know is refused. A call that needs approval reaches `canUseTool`, and an approval in the SDK alone
 * has no effect.
 * @throws SluicegateError `invalid-tool` for tools without a handler, unless they are named in `ungoverned`.
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

/**
 * The id of the approval about which the SDK asks, from the argument of `canUseTool`; null for the SDK's own
 * questions.
 */
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

/** Outside of a session, a shared tool has its original description. */
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

/** What an SDK's server passes to a handler in addition to arguments. */
interface Extra {
  readonly signal?: AbortSignal;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** The key under which the SDK passes the id of the model's call. */
const TOOL_USE = "claudecode/toolUseId";
