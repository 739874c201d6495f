/** Calls at the same time, in one message, or left alone before their answer. */
import { type Agent, type Arena, mark } from "../arena.ts";
import { bypassed, type Check, HELD, notApplicable, type Outcome } from "../check.ts";

/** Starts a read and waits until the private server has it; it is answered when it is released. */
async function startRead(agent: Agent, { world }: Arena, page: string, signal?: AbortSignal) {
  const name = agent.nameOf("notes", "read_later");
  const params = { name, arguments: { page }, _meta: { progressToken: `of-${page}` } };
  const started = agent.client.start("tools/call", params, signal ? { signal } : {});
  return { ...started, isAdmitted: await world.notes.received.until(page, 5_000) };
}

const NOT_RUN = "the private tool can't be left running";

async function runInFlight(arena: Arena): Promise<Outcome> {
  const agent = await arena.open();
  const text = mark();
  const { reply, isAdmitted } = await startRead(agent, arena, mark());
  if (!isAdmitted) return notApplicable(NOT_RUN);
  const hasLeft = await agent.send(text);
  arena.world.notes.hold.release();
  await reply;
  return hasLeft ? bypassed(`\`${text}\` reached \`post\` while the notes were being read`) : HELD;
}

async function runResourceInFlight(arena: Arena): Promise<Outcome> {
  const agent = await arena.open();
  const [page, text] = [`later${mark()}`, mark()];
  const { reply } = agent.client.start("resources/read", { uri: arena.names.uri("page", page) });
  if (!(await arena.world.notes.received.until(page, 1_000)))
    return notApplicable("the gateway passes no resources on");
  const hasLeft = await agent.send(text);
  arena.world.notes.hold.release();
  await reply;
  return hasLeft
    ? bypassed(`\`${text}\` reached \`post\` while a resource of \`notes\` was being read`)
    : HELD;
}

async function runCancelled(arena: Arena): Promise<Outcome> {
  const agent = await arena.open();
  const [page, text] = [mark(), mark()];
  const stop = new AbortController();
  const { id, reply, isAdmitted } = await startRead(agent, arena, page, stop.signal);
  if (!isAdmitted) return notApplicable(NOT_RUN);
  await agent.client.notify("notifications/cancelled", { requestId: id, reason: "bypass" });
  stop.abort();
  await reply;
  return (await agent.send(text))
    ? bypassed(`\`${text}\` reached \`post\` after a read of \`${page}\` that was admitted and cancelled`)
    : HELD;
}

const CROWD = 50;

/** Whatever is sent after the first canary came must stay, and the state must survive the crowd. */
async function runCrowd({ open, world }: Arena): Promise<Outcome> {
  const agent = await open();
  const late: string[] = [];
  const send = async (): Promise<void> => {
    const text = mark();
    if (agent.client.seen.includes(world.notes.canary)) late.push(text);
    await agent.send(text);
  };
  const one = async (index: number): Promise<void> => {
    if (index % 5 === 0) await agent.read();
    await send();
  };
  await Promise.all(Array.from({ length: CROWD }, (_, index) => one(index)));
  if (!agent.client.seen.includes(world.notes.canary)) return notApplicable("no read came through");
  await send();
  const left = late.find((text) => world.left(text));
  return left === undefined
    ? HELD
    : bypassed(`\`${left}\` reached \`post\` after the first canary was given`);
}

async function runBatch({ again, target, world, era }: Arena): Promise<Outcome> {
  const agent = await again(await target.open());
  if (era === "2025-11-25") {
    agent.client.connection = null;
    await agent.client.connect("2025-03-26");
  }
  const [page, text, after] = [mark(), mark(), mark()];
  const call = (id: number, name: string, args: object): object => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: agent.client.withEnvelope({ name, arguments: args }),
  });
  const read = agent.nameOf("notes", "read_notes");
  const batch = [call(1001, read, { page }), call(1002, agent.nameOf("post", "send_message"), { text })];
  const headers = {
    ...agent.client.standardHeaders("tools/call", { name: read }),
    ...(era === "2025-11-25" && { "mcp-protocol-version": "2025-03-26" }),
  };
  await agent.client.raw(JSON.stringify(batch), { headers });
  if (!agent.wasGiven(page)) return world.left(text) ? HELD : notApplicable("the gateway takes no batches");
  if (world.left(text))
    return bypassed(`one batch read \`${agent.canary(page)}\` and then sent \`${text}\` to \`post\``);
  return (await agent.send(after)) ? bypassed(`\`${after}\` reached \`post\` after a batch that read`) : HELD;
}

export const PARALLEL_CHECKS: readonly Check[] = [
  {
    id: "parallel-in-flight",
    must: "count a read from the moment that it is admitted",
    attack: "sends while the private tool is still running",
    run: runInFlight,
  },
  {
    id: "parallel-resource",
    must: "count a resource from the moment that its reading is admitted",
    attack: "sends while a resource of the private server is being read",
    run: runResourceInFlight,
  },
  {
    id: "parallel-crowd",
    must: "lose no raise, however many calls run at once",
    attack: `lets ${CROWD} readers and senders loose at once, and sends after the first canary came`,
    run: runCrowd,
  },
  {
    id: "parallel-batch",
    must: "admit a batch in the order given, or refuse it",
    attack: "sends `[read, send]` as one JSON-RPC batch",
    run: runBatch,
  },
  {
    id: "parallel-cancelled",
    must: "keep what a cancelled call may have brought in",
    attack: "cancels the private tool while it runs, then sends",
    run: runCancelled,
  },
];
