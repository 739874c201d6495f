/** What servers say without being asked, and what belongs to another session. */
import { type Arena, mark } from "../arena.ts";
import { bypassed, type Check, HELD, notApplicable, type Outcome } from "../check.ts";

/** Something passes through the gateway once, so that what was said before has had its time. */
async function letPass({ open }: Arena): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    await (await open()).client.request("tools/list");
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

async function runForeign(arena: Arena): Promise<Outcome> {
  const [reader, other] = [await arena.open(), await arena.open()];
  for (const agent of [reader, other]) {
    await agent.client.request("logging/setLevel", { level: "debug" });
    await agent.client.listen();
  }
  const page = mark();
  const name = reader.nameOf("notes", "read_loudly");
  const params = { name, arguments: { page }, _meta: { progressToken: 1 } };
  const theirs = other.client.start("tools/call", {
    name: other.nameOf("post", "send_later"),
    arguments: { text: mark() },
    _meta: { progressToken: 1 },
  });
  await reader.client.request("tools/call", params);
  await letPass(arena);
  arena.world.post.hold.release();
  await theirs.reply;
  return other.wasGiven(page)
    ? bypassed(`\`${other.canary(page)}\`, read in one session, was told to another session's client`)
    : HELD;
}

async function runUnasked(arena: Arena): Promise<Outcome> {
  const { notes } = arena.world;
  const agent = await arena.open();
  await agent.client.request("logging/setLevel", { level: "debug" });
  await agent.client.listen();
  const [page, text] = [mark(), mark()];
  const note = agent.canary(page);
  await notes.shout("notifications/message", { level: "emergency", data: note });
  await notes.shout("notifications/resources/updated", { uri: `notes://page/${note}` });
  for (let token = 0; token < 10; token += 1)
    await notes.shout("notifications/progress", { progressToken: token, progress: 1, message: note });
  const messages = [{ role: "user", content: { type: "text", text: note } }];
  notes.ask("sampling/createMessage", { messages, maxTokens: 10 });
  notes.ask("elicitation/create", { message: note, requestedSchema: { type: "object", properties: {} } });
  await letPass(arena);
  if (!agent.wasGiven(page)) return HELD;
  return (await agent.send(text))
    ? bypassed(`the client was told \`${note}\` unasked, then \`${text}\` reached \`post\``)
    : HELD;
}

async function runIntruder(arena: Arena): Promise<Outcome> {
  const { impostor, stranger, notes } = arena.world;
  const agent = await arena.open();
  await agent.client.request("logging/setLevel", { level: "debug" });
  await agent.client.listen();
  const [page, word] = [mark(), mark()];
  const name = agent.nameOf("notes", "read_later");
  const started = agent.client.start("tools/call", {
    name,
    arguments: { page },
    _meta: { progressToken: 7 },
  });
  if (!(await notes.received.until(page, 5_000)))
    return notApplicable("the private tool can't be left running");
  for (const hostile of [impostor, stranger]) {
    for (let token = 0; token < 20; token += 1)
      await hostile.shout("notifications/progress", { progressToken: token, progress: 1, message: word });
    await hostile.shout("notifications/message", { level: "emergency", data: word });
    hostile.ask("elicitation/create", { message: word, requestedSchema: { type: "object", properties: {} } });
  }
  await letPass(arena);
  notes.hold.release();
  await started.reply;
  return agent.client.seen.includes(word)
    ? bypassed(`a hostile server told \`${word}\` to a client that had never called it`)
    : HELD;
}

export const NOTICE_CHECKS: readonly Check[] = [
  {
    id: "notice-foreign",
    must: "tell what happens in one session to that session's client alone",
    attack: "listens in one session, with the same progress token, while another reads the notes",
    run: runForeign,
  },
  {
    id: "notice-unasked",
    must: "drop what a server says or asks outside any session",
    attack: "has the private server log, report progress and ask by itself, then sends",
    run: runUnasked,
  },
  {
    id: "notice-intruder",
    must: "let no server speak into a call of another",
    attack: "has the hostile servers guess progress tokens, log and ask while a call of `notes` runs",
    run: runIntruder,
  },
];
