/** The state that a client carries between a question and its answer (2026-07-28), taken where it doesn't belong. */
import { type Agent, type Arena, mark } from "../arena.ts";
import { bypassed, type Check, HELD, notApplicable, type Outcome } from "../check.ts";
import type { Era, Json } from "../wire.ts";

const NEWER: readonly Era[] = ["2026-07-28"];
const NO_STATE = "the gateway passes no state to the client";

async function callFor(agent: Agent, name: string, params: Json): Promise<Json> {
  const { message } = await agent.client.request("tools/call", { name, ...params });
  return (message?.result as Json | undefined) ?? {};
}

const answered = (text: string): Json => ({
  question: { action: "accept", content: { reference: text } },
});

async function runForeign(arena: Arena): Promise<Outcome> {
  const [victim, own] = [await arena.open(), await arena.open()];
  const [page, other, text] = [mark(), mark(), mark()];
  const name = victim.nameOf("notes", "read_asking");
  const { requestState, inputRequests } = await callFor(victim, name, { arguments: { page } });
  if (typeof requestState !== "string") return notApplicable(NO_STATE);
  const [key = "question"] = Object.keys((inputRequests as Json | undefined) ?? {});
  const inputResponses = { [key]: { action: "accept", content: { reference: "x" } } };
  await callFor(own, name, { arguments: { page: other }, requestState, inputResponses });
  const state = `asked-${victim.canary(page)}`;
  const { all } = arena.world.notes.received;
  if (all.some(({ body }) => body.includes(other) && body.includes(state)))
    return bypassed("one session's `requestState` was taken from another, for other arguments");
  await callFor(own, name, { arguments: { page }, requestState, inputResponses });
  if (!own.wasGiven(page)) return HELD;
  return (await own.send(text))
    ? bypassed(`another session's state gave \`${own.canary(page)}\`, then \`${text}\` reached \`post\``)
    : HELD;
}

async function runReplayed(arena: Arena): Promise<Outcome> {
  const agent = await arena.open();
  const [first, second] = [mark(), mark()];
  const name = agent.nameOf("post", "ask_reference");
  const { requestState, inputRequests } = await callFor(agent, name, { arguments: {} });
  if (typeof requestState !== "string") return notApplicable(NO_STATE);
  const [key = "question"] = Object.keys((inputRequests as Json | undefined) ?? {});
  const answer = (text: string): Json => ({
    arguments: {},
    requestState,
    inputResponses: { ...answered(text), [key]: answered(text).question },
  });
  await callFor(agent, name, answer(first));
  if (!arena.world.left(first)) return notApplicable("a clean session can't answer");
  if (!(await agent.read())) return notApplicable("the notes can't be read");
  await callFor(agent, name, answer(second));
  return arena.world.left(second)
    ? bypassed(`\`${second}\` reached \`post\` with a state used before`)
    : HELD;
}

export const STATE_CHECKS: readonly Check[] = [
  {
    id: "state-foreign",
    must: "take a `requestState` only from the session that it was given to",
    attack: "answers another session's question with its state, for the same arguments and for others",
    eras: NEWER,
    run: runForeign,
  },
  {
    id: "state-replayed",
    must: "let a state that was used before carry nothing out",
    attack: "answers a question of the sink, reads the notes, and answers with the same state again",
    eras: NEWER,
    run: runReplayed,
  },
];
