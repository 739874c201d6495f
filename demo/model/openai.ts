/** The chat completions API that OpenAI began and many serve, as far as a model that calls tools needs it. */
import { z } from "zod";
import type { ModelOptions } from "./anthropic.ts";
import type { Conversation, ModelAnswer, ModelMaker, ModelTool, Turn } from "./model.ts";
import { otherShape, postJson } from "./post-json.ts";

const toolCall = z.looseObject({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const message = z.looseObject({ content: z.string().nullish(), tool_calls: z.array(toolCall).nullish() });
const completion = z.object({ choices: z.tuple([z.object({ message })]).rest(z.unknown()) });

/** A model behind `{baseUrl}/chat/completions`. */
export const openai = ({ key, baseUrl, model }: ModelOptions): ModelMaker => ({
  name: model,
  key: "OPENAI_API_KEY",
  converse: (system, tools) => {
    const messages: unknown[] = [{ role: "system", content: system }];
    const ask = async (added: readonly unknown[]): Promise<Turn> => {
      messages.push(...added);
      const body = { model, messages, tools: tools.map(toTool) };
      const headers = { authorization: `Bearer ${key}` };
      const answer = completion.safeParse(await postJson(`${baseUrl}/chat/completions`, headers, body));
      if (!answer.success) throw otherShape();
      const said = answer.data.choices[0].message;
      messages.push({ role: "assistant", ...said });
      return toTurn(said);
    };
    return {
      begin: (task) => ask([{ role: "user", content: task }]),
      answer: (answers) => ask(answers.map(toResult)),
    } satisfies Conversation;
  },
});

const toTool = ({ name, description, inputSchema }: ModelTool) => ({
  type: "function",
  function: { name, description, parameters: inputSchema },
});

const toResult = ({ id, text }: ModelAnswer) => ({ role: "tool", tool_call_id: id, content: text });

const toTurn = ({ content, tool_calls }: z.infer<typeof message>): Turn => ({
  text: content ?? "",
  calls: (tool_calls ?? []).map(({ id, function: { name, arguments: json } }) => ({
    id,
    tool: name,
    arguments: parseArguments(json),
  })),
});

/** Arguments as the model wrote them; what isn't a JSON object is none. */
function parseArguments(json: string): Readonly<Record<string, unknown>> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(json));
  } catch {
    return {};
  }
}
