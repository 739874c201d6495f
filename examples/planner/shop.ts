/** The tools of the examples beside it, and a model that plays a script in place of yours. */
import { jsonSchema, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";

const query = jsonSchema<{ query: string }>({
  type: "object",
  properties: { query: { type: "string" } },
  required: ["query"],
});
const order = jsonSchema<{ order: string }>({
  type: "object",
  properties: { order: { type: "string" } },
  required: ["order"],
});

export const tools = {
  search_email: tool({
    description: "Searches the shop's mail.",
    inputSchema: query,
    execute: async () => "Order 17 came broken, writes Linus.",
  }),
  web_search: tool({
    description: "Searches the web.",
    inputSchema: query,
    execute: async () => "Parcels break more often in winter.",
  }),
  refund: tool({
    description: "Pays an order back.",
    inputSchema: order,
    execute: async ({ order: paid }) => `Order ${paid} is paid back.`,
  }),
};

type Call = readonly [tool: string, input: object];

/** Makes the calls that the script has for the user's words, one at each step, and then repeats what it was told. */
export const scriptedModel = (script: Readonly<Record<string, readonly Call[]>>) =>
  new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const said = prompt.findLast(({ role }) => role === "user")?.content[0];
      const words = typeof said === "object" && said.type === "text" ? said.text : "";
      const turn = prompt.slice(prompt.findLastIndex(({ role }) => role === "user"));
      const step = turn.filter(({ role }) => role === "assistant").length;
      const next = script[words]?.[step];
      const count = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };
      const usage = { inputTokens: count, outputTokens: { total: 1, text: 1, reasoning: 0 } };
      const unified = next ? "tool-calls" : "stop";
      const finishReason = { unified, raw: unified } as const;
      if (next === undefined) {
        return { content: [{ type: "text", text: toldIn(turn) }], finishReason, usage, warnings: [] };
      }
      const [toolName, input] = next;
      const call = { toolCallId: `call-${step}`, toolName, input: JSON.stringify(input) };
      return { content: [{ type: "tool-call", ...call }], finishReason, usage, warnings: [] };
    },
  });

/** The texts of all results. */
const toldIn = (turn: readonly { readonly role: string; readonly content: unknown }[]): string =>
  turn
    .filter(({ role }) => role === "tool")
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .flatMap(({ output }) => (typeof output?.value === "string" ? [output.value] : []))
    .join(" ");
