/** Anthropic's Messages API, as far as a model that calls tools needs it. */
import { z } from "zod";
import type { Conversation, ModelAnswer, ModelMaker, ModelTool, Turn } from "./model.ts";
import { otherShape, postJson } from "./post-json.ts";

const VERSION = "2023-06-01";
const MAX_TOKENS = 2048;

const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.record(z.string(), z.unknown()).optional(),
});
const message = z.object({ content: z.array(block) });

export interface ModelOptions {
  readonly key: string;
  readonly baseUrl: string;
  readonly model: string;
}

/** A model behind `{baseUrl}/v1/messages`. */
export const anthropic = ({ key, baseUrl, model }: ModelOptions): ModelMaker => ({
  name: model,
  key: "ANTHROPIC_API_KEY",
  converse: (system, tools) => {
    const messages: unknown[] = [];
    const ask = async (content: unknown): Promise<Turn> => {
      messages.push({ role: "user", content });
      const body = { model, max_tokens: MAX_TOKENS, system, messages, tools: tools.map(toTool) };
      const headers = { "x-api-key": key, "anthropic-version": VERSION };
      const answer = message.safeParse(await postJson(`${baseUrl}/v1/messages`, headers, body));
      if (!answer.success) throw otherShape();
      messages.push({ role: "assistant", content: answer.data.content });
      return toTurn(answer.data.content);
    };
    return {
      begin: ask,
      answer: (answers) => ask(answers.map(toResult)),
    } satisfies Conversation;
  },
});

const toTool = ({ name, description, inputSchema }: ModelTool) => ({
  name,
  description,
  input_schema: inputSchema,
});

const toResult = ({ id, text, failed }: ModelAnswer) => ({
  type: "tool_result",
  tool_use_id: id,
  content: text,
  is_error: failed,
});

const toTurn = (content: readonly z.infer<typeof block>[]): Turn => ({
  text: content.map(({ text }) => text ?? "").join(""),
  calls: content
    .filter(({ type }) => type === "tool_use")
    .map(({ id = "", name = "", input = {} }) => ({ id, tool: name, arguments: input })),
});
