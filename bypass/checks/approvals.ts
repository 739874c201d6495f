/** A call that a person must say yes to, made without one, with another's, or more often than was agreed to. */
import { type Agent, type Arena, mark } from "../arena.ts";
import { bypassed, type Check, HELD, notApplicable, type Outcome } from "../check.ts";
import { spellings } from "../surroundings.ts";
import type { Json } from "../wire.ts";

const TOOL = "send_approved";
const APPROVAL = /appr_[0-9a-f]{32}/;
const YES = { action: "accept", content: { approve: true } };

/** What an agent may bring along, so that it is taken for a yes. */
const MADE_UP: readonly Json[] = [
  {},
  { inputResponses: { sluicegate_approval: YES, approval: YES } },
  { requestState: "approved", inputResponses: { sluicegate_approval: YES } },
  {
    requestState: `approval.appr_${"0".repeat(32)}.9999999999999.${"0".repeat(64)}`,
    inputResponses: { sluicegate_approval: YES },
  },
];

async function runUnasked(arena: Arena): Promise<Outcome> {
  const agent = await arena.open();
  const text = mark();
  agent.client.onQuestion = async () => YES;
  for (const extra of MADE_UP) {
    const params = { name: agent.nameOf("post", TOOL), arguments: { text }, ...extra };
    await agent.client.request("tools/call", params);
  }
  for (const name of spellings("post", TOOL)) await agent.callNamed(name, { text });
  return arena.world.left(text) ? bypassed(`\`${text}\` reached \`post\`, and nobody had said yes`) : HELD;
}

/** Asks for a call; the number of its approval, where the gateway gives one. */
async function ask(agent: Agent, text: string): Promise<string | null> {
  const { text: answer } = await agent.call("post", TOOL, { text });
  return APPROVAL.exec(answer)?.[0] ?? null;
}

async function runOwnYes(arena: Arena): Promise<Outcome> {
  const [agent, other] = [await arena.open(), await arena.open()];
  const text = mark();
  const approval = await ask(agent, text);
  if (approval === null) return notApplicable("the gateway asks for no approval");
  for (const { session } of [agent, other]) {
    const path = `/v1/approvals/${approval}`;
    const { status } = await arena.target.api("GET", path, session.token);
    if (status < 400) return bypassed(`a session's own token looked at its approval (${status})`);
    await arena.target.api("POST", `${path}/approve`, session.token, {});
  }
  await agent.call("post", TOOL, { text });
  return arena.world.left(text) ? bypassed(`\`${text}\` reached \`post\` with the agent's own yes`) : HELD;
}

async function runSpent(arena: Arena): Promise<Outcome> {
  const { target, world } = arena;
  const [agent, other] = [await arena.open(), await arena.open()];
  const [text, changed] = [mark(), mark()];
  const approval = await ask(agent, text);
  if (approval === null) return notApplicable("the gateway asks for no approval");
  const path = `/v1/approvals/${approval}/approve`;
  const { status } = await target.api("POST", path, target.operatorToken, {});
  if (status !== 200) return notApplicable(`the operator can't approve (${status})`);
  await other.call("post", TOOL, { text });
  if (world.left(text)) return bypassed(`\`${text}\` reached \`post\` with another session's yes`);
  for (const args of [{ text: changed }, { text, more: changed }, { text: [text, changed] }]) {
    await agent.call("post", TOOL, args);
  }
  if (world.left(changed)) return bypassed(`\`${changed}\` reached \`post\` with a yes to something else`);
  const again = await arena.again(agent.session);
  const many = Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? agent : again));
  await Promise.all(many.map((one) => one.call("post", TOOL, { text })));
  const arrived = world.post.received.all.filter(({ body }) => body.includes(text)).length;
  if (arrived === 0) return notApplicable("an approved call doesn't run");
  return arrived > 1 ? bypassed(`\`${text}\` reached \`post\` ${arrived} times on one yes`) : HELD;
}

/** Answers that are neither a yes nor a no, or that say no where yes is said. */
const ODD_ANSWERS: readonly (readonly [path: string, body: object])[] = [
  ["approve", { answer: "no" }],
  ["approve", { answer: "denied" }],
  ["approve", { approved: false }],
  ["approve", { via: "agent" }],
  ["approve", []],
  ["yes", {}],
  ["Approve", {}],
  ["approve/deny", {}],
  ["", { answer: "approved" }],
  ["answer", { answer: "approved" }],
];

async function runOddAnswers(arena: Arena): Promise<Outcome> {
  const { target, world } = arena;
  const [agent, text, denied] = [await arena.open(), mark(), mark()];
  const [approval, other] = [await ask(agent, text), await ask(agent, denied)];
  if (approval === null || other === null) return notApplicable("the gateway asks for no approval");
  const paths = ODD_ANSWERS.map(([path, body]) => [`/v1/approvals/${approval}/${path}`, body] as const);
  for (const [path, body] of paths) await target.api("POST", path, target.operatorToken, body);
  await agent.call("post", TOOL, { text });
  if (world.left(text)) return bypassed(`\`${text}\` reached \`post\` by an answer that is no yes`);
  // A no is a no, also where a yes comes after it.
  await target.api("POST", `/v1/approvals/${other}/deny`, target.operatorToken, {});
  await target.api("POST", `/v1/approvals/${other}/approve`, target.operatorToken, {});
  await agent.call("post", TOOL, { text: denied });
  return world.left(denied) ? bypassed(`\`${denied}\` reached \`post\` after a no`) : HELD;
}

/** A plan that is called valid meets no block when it is carried out at once. */
async function runPlanAfterNo(arena: Arena): Promise<Outcome> {
  const { target } = arena;
  const [agent, text] = [await arena.open(), mark()];
  const approval = await ask(agent, text);
  if (approval === null) return notApplicable("the gateway asks for no approval");
  await target.api("POST", `/v1/approvals/${approval}/deny`, target.operatorToken, {});
  const { id, token } = agent.session;
  const planned_calls = [{ tool: agent.nameOf("post", TOOL), arguments: { text } }];
  const plan = await target.api("POST", `/v1/session/${id}/validate-plan`, token, { planned_calls });
  if (plan.status !== 200) return notApplicable(`the gateway checks no plans (${plan.status})`);
  const { valid } = JSON.parse(plan.text) as { readonly valid?: boolean };
  await agent.call("post", TOOL, { text });
  return valid === true && !arena.world.left(text)
    ? bypassed("a plan is called valid whose call a person has refused already")
    : HELD;
}

export const APPROVAL_CHECKS: readonly Check[] = [
  {
    id: "approval-unasked",
    must: "run nothing that wants a person's yes before there is one",
    attack: `calls \`${TOOL}\` by every spelling of its name, and with made-up answers and states`,
    run: runUnasked,
  },
  {
    id: "approval-own-yes",
    must: "take no answer from an agent, nor show it what waits",
    attack: "looks at its approval and approves it with its session's token, and with another one's",
    needsSessions: true,
    run: runOwnYes,
  },
  {
    id: "approval-spent",
    must: "run once what was agreed to, and nothing else",
    attack: "uses a person's yes in another session, for other arguments, and eight times at once",
    needsSessions: true,
    run: runSpent,
  },
  {
    id: "approval-odd-answers",
    must: "take a yes for a yes and a no for a no, and nothing else for either",
    attack: "answers an approval as its operator with other words, shapes and paths, and says yes after a no",
    needsSessions: true,
    run: runOddAnswers,
  },
  {
    id: "approval-planned",
    must: "call no plan valid that meets a block at once",
    attack: "has a plan checked whose call a person has just said no to, then makes the call",
    needsSessions: true,
    run: runPlanAfterNo,
  },
];
