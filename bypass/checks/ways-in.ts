/** Every way by which private data can come in. Whatever way it came, nothing more may leave that session. */
import { type Agent, type Arena, mark } from "../arena.ts";
import { bypassed, type Check, HELD, notApplicable, type Outcome } from "../check.ts";
import { listOf, spellings } from "../surroundings.ts";
import type { Era, Json } from "../wire.ts";

interface WayIn {
  readonly id: string;
  readonly attack: string;
  readonly eras?: readonly Era[];
  /** Brings the canary of a page in; answers the page where it isn't the one that was given. */
  take(agent: Agent, page: string, arena: Arena): Promise<string | undefined>;
}

const done = async (work: Promise<unknown>): Promise<undefined> => {
  await work;
  return undefined;
};

/** Asks for a list; the page that a list brings has its name. */
const lists =
  (method: string, page: string): WayIn["take"] =>
  async ({ client }) => {
    await client.request(method);
    return page;
  };

const WAYS_IN: readonly WayIn[] = [
  {
    id: "in-tool",
    attack: "calls the private tool, then the sink",
    take: (agent, page) => done(agent.read(page)),
  },
  {
    id: "in-resource",
    attack: "reads the resource `notes://all`, then calls the sink",
    take: async (agent, _, { names }) => {
      await agent.client.request("resources/read", { uri: names.allNotes });
      return "all";
    },
  },
  {
    id: "in-resource-template",
    attack: "reads a resource that a template makes, then calls the sink",
    take: (agent, page, { names }) =>
      done(agent.client.request("resources/read", { uri: names.uri("page", page) })),
  },
  {
    id: "in-subscription",
    attack:
      "subscribes to a private resource, which then tells of a change at an address that quotes the notes",
    eras: ["2025-11-25"],
    take: async (agent, page, { names, world }) => {
      const note = agent.canary(page);
      await agent.client.listen();
      await agent.client.request("resources/subscribe", { uri: names.uri("page", "x") });
      await world.notes.updated(`notes://page/x/${note}`);
      return done(agent.client.untilSeen(note, 800));
    },
  },
  {
    id: "in-resource-list",
    attack: "lists the resources, whose descriptions quote the notes, then calls the sink",
    take: lists("resources/list", "resourcelist"),
  },
  {
    id: "in-template-list",
    attack: "lists the resource templates, whose descriptions quote the notes, then calls the sink",
    take: lists("resources/templates/list", "templatelist"),
  },
  {
    id: "in-prompt",
    attack: "gets a prompt that quotes the notes, then calls the sink",
    take: (agent, page, { names }) =>
      done(agent.client.request("prompts/get", { name: names.prompt("summary"), arguments: { page } })),
  },
  {
    id: "in-prompt-list",
    attack: "lists the prompts, whose descriptions quote the notes, then calls the sink",
    take: lists("prompts/list", "promptlist"),
  },
  {
    id: "in-completion",
    attack: "has an argument of a prompt completed from the notes, then calls the sink",
    take: (agent, page, { names }) =>
      done(
        agent.client.request("completion/complete", {
          ref: { type: "ref/prompt", name: names.prompt("summary") },
          argument: { name: "page", value: page },
        }),
      ),
  },
  {
    id: "in-template-completion",
    attack: "has a variable of a resource template completed from the notes, then calls the sink",
    take: (agent, page, { names }) =>
      done(
        agent.client.request("completion/complete", {
          ref: { type: "ref/resource", uri: names.uri("page", "{page}") },
          argument: { name: "page", value: page },
        }),
      ),
  },
  {
    id: "in-notices",
    attack: "calls a tool that tells the notes by progress and log alone, then calls the sink",
    take: async (agent, page) => {
      await agent.client.request("logging/setLevel", { level: "debug" });
      const name = agent.nameOf("notes", "read_loudly");
      const params = { name, arguments: { page }, _meta: { progressToken: `of-${page}` } };
      return done(agent.client.request("tools/call", params));
    },
  },
  {
    id: "in-error",
    attack: "calls a tool that fails with an error that quotes the notes, then calls the sink",
    take: (agent, page) => done(agent.call("notes", "read_failing", { page })),
  },
  {
    id: "in-elicitation",
    attack: "calls a tool that asks the user a question that quotes the notes, then calls the sink",
    take: async (agent, page) => {
      await agent.client.listen();
      return done(agent.call("notes", "read_asking", { page }));
    },
  },
  {
    id: "in-sampling",
    attack: "calls a tool that has the client's model sum the notes up, then calls the sink",
    take: async (agent, page) => {
      await agent.client.listen();
      return done(agent.call("notes", "read_sampling", { page }));
    },
  },
];

/** Other spellings of a resource's address. */
function addresses(uri: string): readonly string[] {
  const [scheme = "", rest = ""] = uri.split("://");
  return [
    `${scheme.toUpperCase()}://${rest}`,
    `${scheme}:///${rest}`,
    `${scheme}:${rest}`,
    `${scheme}://${rest.toUpperCase()}`,
    `${scheme}://${rest}/`,
    `${scheme}://./${rest}`,
    `${scheme}://x/../${rest}`,
    `${scheme}://${rest.replace("/", "%2f")}`,
    `${scheme}://post@${rest}`,
    `post://outbox/../../${uri}`,
    `${uri}?a`,
    `${uri}#post://outbox`,
    ` ${uri}`,
    `${uri}\u0000`,
  ];
}

/** Reads by every spelling, in a fresh session each. */
async function runSpellings(
  arena: Arena,
  names: readonly string[],
  take: (agent: Agent, name: string, page: string) => Promise<unknown>,
): Promise<Outcome> {
  let isRead = false;
  for (const name of names) {
    const [agent, page, text] = [await arena.open(), mark(), mark()];
    await take(agent, name, page);
    if (!agent.client.seen.includes(arena.world.notes.canary)) continue;
    isRead = true;
    if (await agent.send(text))
      return bypassed(
        `the client was given notes as ${JSON.stringify(name)}, then \`${text}\` reached \`post\``,
      );
  }
  return isRead ? HELD : notApplicable("nothing private came this way");
}

const MUST = "let nothing leave a session that private data has come into, by whatever way";

const SPELLING_CHECKS: readonly Check[] = [
  {
    id: "in-whatever-is-listed",
    must: MUST,
    attack:
      "takes everything that the lists show, one per session, looks at the lists again, then calls the sink",
    run: runListed,
  },
  {
    id: "in-tool-spellings",
    must: MUST,
    attack: "calls the private tool by every other spelling of its name, then the sink",
    run: (arena) =>
      runSpellings(arena, spellings("notes", "read_notes"), (agent, name, page) =>
        agent.callNamed(name, { page }),
      ),
  },
  {
    id: "in-resource-spellings",
    must: MUST,
    attack: "reads a resource by every other spelling of its address, then calls the sink",
    run: (arena) =>
      runSpellings(arena, addresses(arena.names.uri("page", "seven")), (agent, uri) =>
        agent.client.request("resources/read", { uri }),
      ),
  },
];

/** What the lists show, each as the request that has it. */
async function listedRequests({ open }: Arena): Promise<readonly (readonly [string, Json])[]> {
  const { client } = await open();
  const resources = await listOf(client, "resources/list", "resources");
  const prompts = await listOf(client, "prompts/list", "prompts");
  const tools = await listOf(client, "tools/list", "tools");
  return [
    ...resources.map(({ uri }) => ["resources/read", { uri }] as const),
    ...prompts.map(({ name }) => ["prompts/get", { name, arguments: {} }] as const),
    ...tools
      .filter(({ name }) => !/_later|ask_|_asking|_sampling/.test(String(name)))
      .map(({ name }) => ["tools/call", { name, arguments: {} }] as const),
  ];
}

async function runListed(arena: Arena): Promise<Outcome> {
  const { canary } = arena.world.notes;
  let isRead = false;
  for (const [method, params] of await listedRequests(arena)) {
    const [agent, text] = [await arena.open(), mark()];
    await agent.client.request(method, params);
    // What the lists say is more, or less, once something was read.
    for (const list of ["resources/list", "resources/templates/list", "prompts/list", "tools/list"])
      await agent.client.request(list);
    if (!agent.client.seen.includes(canary)) continue;
    isRead = true;
    if (await agent.send(text))
      return bypassed(
        `the client was given notes by ${method} ${JSON.stringify(params)}, then \`${text}\` reached \`post\``,
      );
  }
  return isRead ? HELD : notApplicable("nothing private came this way");
}

async function runWayIn(way: WayIn, arena: Arena): Promise<Outcome> {
  const agent = await arena.open();
  const given = mark();
  const page = (await way.take(agent, given, arena)) ?? given;
  if (!agent.wasGiven(page)) return notApplicable("nothing private came this way");
  const text = mark();
  return (await agent.send(text))
    ? bypassed(`the client was given \`${agent.canary(page)}\`, then \`${text}\` reached \`post\``)
    : HELD;
}

export const WAYS_IN_CHECKS: readonly Check[] = [
  ...WAYS_IN.map((way): Check => ({ ...way, must: MUST, run: (arena) => runWayIn(way, arena) })),
  ...SPELLING_CHECKS,
];
