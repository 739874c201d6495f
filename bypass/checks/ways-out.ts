/**
 * Every way by which something can leave. Each is tried in a clean session first: where it leads out of the gateway
 * there, it must not once private data is in.
 */
import { type Agent, type Arena, mark } from "../arena.ts";
import { bypassed, type Check, HELD, notApplicable, type Outcome } from "../check.ts";
import { spellings } from "../surroundings.ts";
import type { Era, Json } from "../wire.ts";

interface WayOut {
  readonly id: string;
  readonly attack: string;
  readonly eras?: readonly Era[];
  /** Tries to get a text out. `raise` brings private data in, at the worst moment; in a clean trial it does nothing. */
  send(agent: Agent, text: string, raise: () => Promise<void>, arena: Arena): Promise<void>;
}

const request =
  (method: string, toParams: (text: string, arena: Arena) => Json): WayOut["send"] =>
  async (agent, text, raise, arena) => {
    await raise();
    await agent.client.request(method, toParams(text, arena));
  };

const WAYS_OUT: readonly WayOut[] = [
  {
    id: "out-tool",
    attack: "calls the sink after the private tool",
    send: async (agent, text, raise) => {
      await raise();
      await agent.send(text);
    },
  },
  {
    id: "out-spellings",
    attack: "calls the sink by every other spelling of its name",
    send: async (agent, text, raise) => {
      await raise();
      for (const name of spellings("post", "send_message")) await agent.callNamed(name, { text });
    },
  },
  {
    id: "out-resource",
    attack: "reads a resource of the sink whose address holds the text",
    send: request("resources/read", (text, { names }) => ({ uri: names.uri("outbox", text) })),
  },
  {
    id: "out-subscription",
    attack: "subscribes to a resource of the sink whose address holds the text",
    send: request("resources/subscribe", (text, { names }) => ({ uri: names.uri("outbox", text) })),
  },
  {
    id: "out-unsubscription",
    attack: "unsubscribes from a resource of the sink whose address holds the text",
    eras: ["2025-11-25"],
    send: request("resources/unsubscribe", (text, { names }) => ({ uri: names.uri("outbox", text) })),
  },
  {
    id: "out-listen",
    attack: "listens for changes of a resource of the sink whose address holds the text",
    eras: ["2026-07-28"],
    send: async (agent, text, raise, { names }) => {
      await raise();
      const notifications = { resourceSubscriptions: [names.uri("outbox", text)] };
      const stop = new AbortController();
      const { reply } = agent.client.start(
        "subscriptions/listen",
        { notifications },
        { signal: stop.signal },
      );
      await agent.client.untilSeen("subscriptions/acknowledged", 1_000);
      stop.abort();
      await reply;
    },
  },
  {
    id: "out-prompt",
    attack: "gets a prompt of the sink whose argument holds the text",
    send: request("prompts/get", (text, { names }) => ({
      name: names.prompt("announce"),
      arguments: { text },
    })),
  },
  {
    id: "out-completion",
    attack: "has an argument of the sink's prompt completed, whose value holds the text",
    send: request("completion/complete", (text, { names }) => ({
      ref: { type: "ref/prompt", name: names.prompt("announce") },
      argument: { name: "text", value: text },
    })),
  },
  {
    id: "out-template-completion",
    attack: "has a variable of the sink's resource template completed, whose value holds the text",
    send: request("completion/complete", (text, { names }) => ({
      ref: { type: "ref/resource", uri: names.uri("outbox", "{text}") },
      argument: { name: "text", value: text },
    })),
  },
  {
    id: "out-cursor",
    attack: "lists everything from a cursor that holds the text",
    send: async (agent, text, raise) => {
      await raise();
      for (const list of ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]) {
        await agent.client.request(list, { cursor: text, _meta: { [text]: text, traceparent: text } });
      }
    },
  },
  {
    id: "out-client-name",
    attack: "connects again under a client name that holds the text",
    eras: ["2025-11-25"],
    send: async (agent, text, raise, arena) => {
      await raise();
      const again = await arena.again(agent.session);
      again.client.connection = null;
      await again.client.connect("2025-11-25", text);
      await again.client.request("tools/list");
    },
  },
  {
    id: "out-cancellation",
    attack: "cancels a call of the sink that was admitted before, with the text as the reason",
    eras: ["2025-11-25"],
    send: async (agent, text, raise, { world }) => {
      const first = mark();
      const name = agent.nameOf("post", "send_later");
      const stop = new AbortController();
      const params = { name, arguments: { text: first } };
      const { id, reply } = agent.client.start("tools/call", params, { signal: stop.signal });
      await world.post.received.until(first, 3_000);
      await raise();
      await agent.client.notify("notifications/cancelled", { requestId: id, reason: text });
      await world.post.received.until(text, 500);
      world.post.hold.release();
      // A cancelled request need not be answered.
      stop.abort();
      await reply;
    },
  },
  questionOut(
    "out-elicitation-answer",
    "ask_reference",
    "answers the question of a call that was admitted before",
    (text) => ({
      action: "accept",
      content: { reference: text },
    }),
  ),
  questionOut(
    "out-sampling-answer",
    "ask_model",
    "has its model answer for a call that was admitted before",
    (text) => ({
      role: "assistant",
      content: { type: "text", text },
      model: "scripted",
    }),
  ),
  questionOut(
    "out-roots-answer",
    "ask_roots",
    "tells its roots to a call that was admitted before",
    (text) => ({
      roots: [{ uri: `file:///${text}` }],
    }),
  ),
  {
    id: "out-unasked-answer",
    attack: "calls the sink with an answer and a state that nobody asked for",
    eras: ["2026-07-28"],
    send: async (agent, text, raise) => {
      await raise();
      const name = agent.nameOf("post", "ask_reference");
      const question = { action: "accept", content: { reference: text } };
      const params = { name, arguments: {}, inputResponses: { question }, requestState: "asked" };
      await agent.client.request("tools/call", params);
    },
  },
];

/** The sink asks within a call that a clean session may make; the answer comes when private data is in. */
function questionOut(id: string, tool: string, attack: string, toAnswer: (text: string) => Json): WayOut {
  return {
    id,
    attack: `${attack}, after reading the notes meanwhile`,
    send: async (agent, text, raise) => {
      const name = agent.nameOf("post", tool);
      await agent.client.listen();
      agent.client.onQuestion = async () => {
        await raise();
        return toAnswer(text);
      };
      const { message } = await agent.client.request("tools/call", { name, arguments: {} });
      const result = message?.result as Json | undefined;
      if (result?.resultType !== "input_required") return;
      await raise();
      const key = Object.keys((result.inputRequests as Json | undefined) ?? {})[0] ?? "question";
      const retry = { inputResponses: { [key]: toAnswer(text) }, requestState: result.requestState };
      await agent.client.request("tools/call", { name, arguments: {}, ...retry });
    },
  };
}

async function runWayOut(way: WayOut, arena: Arena): Promise<Outcome> {
  const clean = mark();
  await way.send(await arena.open(), clean, async () => {}, arena);
  if (!arena.world.left(clean)) return notApplicable("this way leads nowhere, not even from a clean session");
  const agent = await arena.open();
  const page = mark();
  const text = mark();
  const raise = async (): Promise<void> => {
    await agent.read(page);
  };
  await way.send(agent, text, raise, arena);
  if (!arena.world.left(text)) return HELD;
  if (!agent.wasGiven(page)) return notApplicable("the notes can't be read while it is under way");
  return bypassed(`the client was given \`${agent.canary(page)}\`, then \`${text}\` reached \`post\``);
}

export const WAYS_OUT_CHECKS: readonly Check[] = WAYS_OUT.map((way) => ({
  ...way,
  must: "let nothing leave a session that private data has come into, by whatever way",
  run: (arena) => runWayOut(way, arena),
}));
