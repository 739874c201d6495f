/** What a server's other offers bring in and take out while its private tool and its sink are switched off. */
import { type Agent, type Arena, mark } from "../arena.ts";
import { bypassed, type Check, HELD, notApplicable, type Outcome } from "../check.ts";
import type { Json } from "../wire.ts";

interface Offer {
  readonly id: string;
  readonly what: string;
  /** The requests by which it may be had, whatever a gateway makes of addresses and names. */
  readonly requests: (page: string) => readonly (readonly [string, Json])[];
}

const ADDRESSES = ["drawer://sheet/", "sluicegate://drawer/drawer://sheet/"];
const PROMPTS = ["contents", "drawer__contents"];

const OFFERS: readonly Offer[] = [
  {
    id: "resource",
    what: "a resource",
    requests: (page) => ADDRESSES.map((address) => ["resources/read", { uri: `${address}${page}` }]),
  },
  {
    id: "prompt",
    what: "a prompt",
    requests: (page) => PROMPTS.map((name) => ["prompts/get", { name, arguments: { page } }]),
  },
  {
    id: "completion",
    what: "the completion of a prompt's argument",
    requests: (page) =>
      PROMPTS.map((name) => [
        "completion/complete",
        { ref: { type: "ref/prompt", name }, argument: { name: "page", value: page } },
      ]),
  },
  {
    id: "template-completion",
    what: "the completion of a template's variable",
    requests: (page) =>
      ADDRESSES.map((address) => [
        "completion/complete",
        { ref: { type: "ref/resource", uri: `${address}{page}` }, argument: { name: "page", value: page } },
      ]),
  },
];

/** The agent itself folds the drawer; true once the gateway knows. */
async function fold({ open, names }: Arena): Promise<boolean> {
  const name = names.tool("drawer", "toggle_drawer");
  if (name === undefined) return false;
  const agent = await open();
  await agent.callNamed(name, { page: mark() });
  for (let round = 0; round < 40; round += 1) {
    const { text } = await (round === 0 ? agent : await open()).client.request("tools/list");
    if (!text.includes("take_out")) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

const NO_SWITCH = "the gateway shows no tools of `drawer`, or doesn't follow its list";

async function folded(arena: Arena, run: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return (await fold(arena)) ? await run() : notApplicable(NO_SWITCH);
  } finally {
    await arena.world.drawer.fold(false);
  }
}

async function request(agent: Agent, offer: Offer, page: string): Promise<void> {
  for (const [method, params] of offer.requests(page)) await agent.client.request(method, params);
}

const runIn = (arena: Arena, use: (agent: Agent, page: string) => Promise<void>): Promise<Outcome> =>
  folded(arena, async () => {
    const agent = await arena.open();
    const [page, text] = [mark(), mark()];
    await use(agent, page);
    if (!agent.wasGiven(page)) return notApplicable("this way brings nothing in");
    return (await agent.send(text))
      ? bypassed(`the client was given \`${agent.canary(page)}\`, then \`${text}\` reached \`post\``)
      : HELD;
  });

const runOut = (arena: Arena, offer: Offer): Promise<Outcome> =>
  folded(arena, async () => {
    const { received } = arena.world.drawer;
    const [clean, text] = [mark(), mark()];
    await request(await arena.open(), offer, clean);
    if (!received.holds(clean)) return notApplicable("this way leads nowhere, not even from a clean session");
    await request(await arena.openRaised(), offer, text);
    return received.holds(text) ? bypassed(`\`${text}\` reached \`drawer\` from a raised session`) : HELD;
  });

/** A policy says what a server's methods bring in by a pattern as well as by a name. */
async function runPattern({ open, world }: Arena): Promise<Outcome> {
  const [agent, text] = [await open(), mark()];
  for (const uri of ["impostor://word/{text}", "sluicegate://impostor/impostor://word/{text}"]) {
    const argument = { name: "text", value: text };
    await agent.client.request("completion/complete", { ref: { type: "ref/resource", uri }, argument });
  }
  if (!world.impostor.received.holds(text)) return notApplicable("the gateway passes no completions on");
  return (await agent.send()) ? bypassed("what a pattern declares private was taken for public") : HELD;
}

/** A tool of the drawer's that is harmless, but asks with what is private. */
async function useQuestion(agent: Agent, page: string): Promise<void> {
  await agent.client.listen();
  agent.client.onQuestion = async () => ({ action: "decline" });
  await agent.call("drawer", "ask_drawer", { page });
}

export const SWITCHED_CHECKS: readonly Check[] = [
  ...OFFERS.map(
    (offer): Check => ({
      id: `switched-in-${offer.id}`,
      must: "take a server for as private as the tools that it is known for, not as those that it lists now",
      attack: `switches a server's private tool off, uses ${offer.what} at it, then calls the sink`,
      run: (arena) => runIn(arena, (agent, page) => request(agent, offer, page)),
    }),
  ),
  {
    id: "switched-in-question",
    must: "take a server's question for as private as the tools that it is known for",
    attack: "switches a server's private tool off, is asked by another tool of it, then calls the sink",
    run: (arena) => runIn(arena, useQuestion),
  },
  ...OFFERS.map(
    (offer): Check => ({
      id: `switched-out-${offer.id}`,
      must: "let a server learn as little as the tools that it is known for may, whatever it lists now",
      attack: `switches a server's public sink off, then uses ${offer.what} at it from a raised session`,
      run: (arena) => runOut(arena, offer),
    }),
  ),
  {
    id: "switched-in-pattern",
    must: "apply what the policy says of a server's methods by a pattern",
    attack:
      "has a variable completed by a server whose completions a pattern declares private, then calls the sink",
    run: runPattern,
  },
];
