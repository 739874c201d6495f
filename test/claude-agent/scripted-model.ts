/** A model's API on the loopback that plays a script: one turn of tool calls after the other, then a word. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A tool call that the model makes. */
export interface ScriptedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ScriptedModel {
  readonly url: string;
  /** The tools that the agent showed, each with its description. */
  readonly shown: ReadonlyMap<string, string>;
  /** What the agent gave back to the model for each call so far, as text. */
  readonly results: readonly string[];
  close(): void;
}

interface Asked {
  readonly model?: string;
  readonly tools?: readonly { readonly name: string; readonly description?: string }[];
  readonly messages?: readonly { readonly content?: unknown }[];
}

/** The word by which a subagent's task is known. */
const SUBTASK = "SUBTASK";

/** Plays these turns to whatever agent asks, and the others to one whose task says `SUBTASK`. */
export async function startScriptedModel(
  turns: readonly (readonly ScriptedCall[])[],
  subagent: readonly (readonly ScriptedCall[])[] = [],
): Promise<ScriptedModel> {
  const results: string[] = [];
  const [given, shown] = [new Set<string>(), new Map<string, string>()];
  let count = 0;
  const server = createServer(async (request, response) => {
    const asked = await readBody(request);
    const isTurn = request.url?.startsWith("/v1/messages") && !request.url.includes("count_tokens");
    if (!isTurn)
      return void response.writeHead(200, { "content-type": "application/json" }).end(`{"input_tokens":1}`);
    const told = toolResults(asked);
    for (const { name, description = "" } of asked.tools ?? []) shown.set(name, description);
    for (const { id, text } of told) {
      if (!given.has(id)) results.push(text);
      given.add(id);
    }
    const script = JSON.stringify(asked.messages?.[0] ?? null).includes(SUBTASK) ? subagent : turns;
    // Whoever asks without tools wants a title or the like.
    const turn = asked.tools?.length ? script[doneTurns(script, told.length)] : undefined;
    count += 1;
    play(response, asked.model ?? "", turn ?? [], count);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // of a server that listens on a port
  return { url: `http://127.0.0.1:${port}`, results, shown, close: () => server.close() };
}

/** How many turns have had all their results. */
function doneTurns(turns: readonly (readonly ScriptedCall[])[], results: number): number {
  let left = results;
  const next = turns.findIndex((turn) => {
    left -= turn.length;
    return left < 0;
  });
  return next < 0 ? turns.length : next;
}

async function readBody(request: IncomingMessage): Promise<Asked> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text === "" ? {} : JSON.parse(text);
}

function toolResults({ messages = [] }: Asked): readonly { id: string; text: string }[] {
  return messages
    .flatMap(({ content }): readonly Record<string, unknown>[] => (Array.isArray(content) ? content : []))
    .filter(({ type }) => type === "tool_result")
    .map(({ tool_use_id, content }) => ({ id: String(tool_use_id), text: JSON.stringify(content) }));
}

function play(response: ServerResponse, model: string, turn: readonly ScriptedCall[], count: number): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type: string, data: object): void =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: `msg_${count}`, type: "message", role: "assistant", model, content: [], usage };
  send("message_start", { message: { ...message, stop_reason: null, stop_sequence: null } });
  if (turn.length === 0) {
    send("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
    send("content_block_delta", { index: 0, delta: { type: "text_delta", text: "done" } });
    send("content_block_stop", { index: 0 });
  }
  for (const [index, { name, input }] of turn.entries()) {
    const block = { type: "tool_use", id: `toolu_${count}_${index}`, name, input: {} };
    send("content_block_start", { index, content_block: block });
    const delta = { type: "input_json_delta", partial_json: JSON.stringify(input) };
    send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
  }
  const reason = turn.length === 0 ? "end_turn" : "tool_use";
  send("message_delta", { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 1 } });
  send("message_stop", {});
  response.end();
}
