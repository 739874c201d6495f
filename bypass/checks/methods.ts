/** Methods that nobody announced, and messages that only a server may send. */
import { type Arena, mark } from "../arena.ts";
import { bypassed, type Check, HELD, type Outcome } from "../check.ts";
import type { Json } from "../wire.ts";

const METHODS: readonly string[] = [
  "ping",
  "tasks/list",
  "tasks/get",
  "tasks/result",
  "tasks/cancel",
  "tasks/update",
  "roots/list",
  "sampling/createMessage",
  "elicitation/create",
  "rpc.discover",
  "server/discover",
  "tools/execute",
  "tools/call/send_message",
  "interceptor/invoke",
  "resources/write",
  "prompts/run",
  "__proto__",
  "constructor",
  "",
  "x/anything",
];

const NOTICES: readonly string[] = [
  "notifications/roots/list_changed",
  "notifications/message",
  "notifications/progress",
  "notifications/cancelled",
  "notifications/tasks/status",
  "notifications/tools/list_changed",
  "notifications/x/anything",
];

async function runMethods({ openRaised, isAlive, world }: Arena): Promise<Outcome> {
  const raised = await openRaised();
  const sink = raised.nameOf("post", "send_message");
  const text = mark();
  const params = {
    taskId: text,
    name: sink,
    arguments: { text },
    task: { ttl: 1_000 },
    uri: `post://outbox/${text}`,
    messages: [{ role: "user", content: { type: "text", text } }],
  };
  for (const method of METHODS) {
    await raised.client.request(method, params);
    if (world.left(text))
      return bypassed(`\`${text}\` reached \`post\` by the method ${JSON.stringify(method)}`);
  }
  await raised.client.request("tools/call", { ...params, task: { ttl: 60_000 } });
  if (world.left(text)) return bypassed(`\`${text}\` reached \`post\` as a task`);
  return (await isAlive()) ? HELD : bypassed("the gateway answers no more");
}

async function runNotices({ openRaised, isAlive, world }: Arena): Promise<Outcome> {
  const raised = await openRaised();
  const text = mark();
  const params: Json = {
    requestId: 1,
    progressToken: 1,
    progress: 1,
    reason: text,
    message: text,
    data: text,
  };
  for (const method of NOTICES) await raised.client.notify(method, params);
  for (let id = 0; id < 20; id += 1) {
    const content = { action: "accept", content: { reference: text }, roots: [{ uri: `file:///${text}` }] };
    await raised.client.raw(JSON.stringify({ jsonrpc: "2.0", id, result: content }));
  }
  const alive = await isAlive();
  if (world.left(text))
    return bypassed(`\`${text}\` reached \`post\` by a notice or an answer to no question`);
  return alive ? HELD : bypassed("the gateway answers no more");
}

export const METHOD_CHECKS: readonly Check[] = [
  {
    id: "method-unannounced",
    must: "pass on no method that it doesn't decide on",
    attack: "sends tasks, server-only and made-up methods that hold the text",
    run: runMethods,
  },
  {
    id: "method-notices",
    must: "pass on no notice and no answer that nobody asked for",
    attack: "sends notices and answers to made-up questions that hold the text",
    run: runNotices,
  },
];
