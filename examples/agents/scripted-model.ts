/** A model that plays a script, in place of yours: at each step some calls, then its last words. */
import { MockLanguageModelV4 } from "ai/test";

type Call = readonly [tool: string, input: object];

export const scriptedModel = (script: readonly (readonly Call[])[], words: string) =>
  new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const step = prompt.filter(({ role }) => role === "assistant").length;
      const calls = script[step] ?? [];
      const count = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };
      const usage = { inputTokens: count, outputTokens: { total: 1, text: 1, reasoning: 0 } };
      const unified = calls.length > 0 ? "tool-calls" : "stop";
      const finishReason = { unified, raw: unified } as const;
      if (calls.length === 0)
        return { content: [{ type: "text", text: words }], finishReason, usage, warnings: [] };
      const content = calls.map(([toolName, input], index) => ({
        type: "tool-call" as const,
        toolCallId: `call-${step}-${index}`,
        toolName,
        input: JSON.stringify(input),
      }));
      return { content, finishReason, usage, warnings: [] };
    },
  });
