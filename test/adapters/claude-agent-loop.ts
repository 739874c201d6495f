/**
 * The loop of the Claude Agent SDK, as far as `guard` meets it, since the SDK itself is too big to install for every
 * test: hooks, the question to the host, the run, and the hooks after it, in the SDK's shapes. It starts all calls of a
 * step at once, as the SDK does with tools that only read. `npm run test:claude` holds the same against the SDK itself.
 */
import type { guard } from "../../src/adapters/claude-agent.ts";
import type { ScriptedCall } from "../cases/adapter-driver.ts";

type Parts = ReturnType<typeof guard>;

export interface LoopParts extends Parts {
  /** The SDK's own tools, and those of other servers, by the names that the model knows them by. */
  readonly outside?: ReadonlyMap<string, (args: any) => unknown>;
  /** The id that the SDK gives a subagent whose loop it is. */
  readonly agent?: string;
}

export interface Loop {
  /** What the model was shown, by the names that it calls tools by, each with its description. */
  readonly shown: Readonly<Record<string, string>>;
  /** What the model was told of each call. */
  readonly told: Record<string, string>;
  /** Why the agent was ended. */
  readonly stopped: string | null;
  /** Makes the calls of a step; resolves once all are over. */
  step(calls: readonly ScriptedCall[]): Promise<void>;
}

type Shape = Record<string, any>;

export function createLoop({ server, options, outside = new Map(), agent }: LoopParts): Loop {
  const { hooks, canUseTool } = options;
  const nameOf = (name: string): string => `mcp__${server.name}__${name}`;
  const disallowed = new Set(options.disallowedTools);
  const own = new Map(
    server.tools.map((tool) => [nameOf(tool.name), tool] as const).filter(([name]) => !disallowed.has(name)),
  );
  const [told, stopped]: [Record<string, string>, string[]] = [{}, []];
  const signal = new AbortController().signal;
  const hear = async (event: keyof typeof hooks, more: Shape): Promise<Shape> => {
    const base = { hook_event_name: event, session_id: "conversation", transcript_path: "/t", cwd: "/work" };
    const input = JSON.parse(JSON.stringify({ ...base, ...(agent && { agent_id: agent }), ...more }));
    const answers: Shape[] = [];
    for (const { hooks: callbacks, onFailure } of hooks[event]) {
      for (const callback of callbacks) {
        const denied = {
          hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "hook error" },
        };
        const answer = await callback(input, more.tool_use_id, { signal }).catch(() =>
          onFailure === "block" ? denied : {},
        );
        answers.push(answer);
      }
    }
    const ended = answers.find((answer) => answer.continue === false);
    if (ended) stopped.push(ended.stopReason);
    return Object.assign({}, ...answers);
  };
  const permitted = async (
    name: string,
    input: Shape,
    use: string,
    source: Shape,
  ): Promise<{ input: Shape } | { no: string }> => {
    const about = { tool_name: name, tool_input: input, tool_use_id: use, ...source };
    const { permissionDecision, permissionDecisionReason } =
      (await hear("PreToolUse", about)).hookSpecificOutput ?? {};
    if (permissionDecision === "deny") return { no: permissionDecisionReason };
    if (permissionDecision === "allow") return { input };
    const asked = {
      signal,
      toolUseID: use,
      ...(agent && { agentID: agent }),
      ...(permissionDecision === "ask" && { decisionReason: permissionDecisionReason }),
    };
    const said = await canUseTool(name, input, asked);
    return said.behavior === "allow" ? { input: said.updatedInput ?? input } : { no: said.message };
  };
  const make = async ({ id, tool: name, args }: ScriptedCall): Promise<void> => {
    const [tool, run] = [own.get(name), outside.get(name)];
    if (!tool && !run) {
      told[id] = `Error: No such tool available: ${name}`;
      return;
    }
    const source = tool ? { mcp_server: { name: server.name, source: "sdk" } } : {};
    const permission = await permitted(name, args, id, source);
    if ("no" in permission) {
      told[id] = permission.no;
      return;
    }
    const { input } = permission;
    const extra = { signal, _meta: { "claudecode/toolUseId": id } };
    const about = { tool_name: name, tool_input: input, tool_use_id: id, ...source };
    let result: any;
    try {
      result = tool ? await tool.handler(input as never, extra) : await run?.(input);
    } catch (cause) {
      result = { isError: true, content: [{ type: "text", text: (cause as Error).message }] };
    }
    const text = textOf(result);
    const after = result?.isError
      ? await hear("PostToolUseFailure", { ...about, error: text })
      : await hear("PostToolUse", { ...about, tool_response: result?.content ?? result });
    const { updatedToolOutput } = after.hookSpecificOutput ?? {};
    told[id] = updatedToolOutput === undefined ? text : textOf({ content: updatedToolOutput });
  };
  return {
    shown: Object.fromEntries([
      ...[...own].map(([name, { description }]) => [name, description]),
      ...options.tools.filter((name) => outside.has(name)).map((name) => [name, ""]),
    ]),
    told,
    get stopped() {
      return stopped[0] ?? null;
    },
    step: async (calls) => {
      await Promise.all(calls.map(make));
      const over = calls.map(({ id }) => ({ tool_use_id: id, tool_response: told[id] }));
      await hear("PostToolBatch", { tool_calls: over });
    },
  };
}

const textOf = (result: any): string =>
  Array.isArray(result?.content) ? result.content.map(({ text }: Shape) => text).join("\n") : String(result);
