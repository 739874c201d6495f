/** A server that takes others' names, or changes what it offered, in the middle of a run. */
import { type Agent, type Arena, mark } from "../arena.ts";
import { bypassed, type Check, HELD, notApplicable, type Outcome } from "../check.ts";
import { type Guise, type Impostor, STOLEN_NAMES } from "../fixtures/impostor.ts";
import type { Era, Json } from "../wire.ts";

/**
 * Has the hostile servers become one after the other, waits each time until the gateway has looked again, and attacks
 * in each era. Undoes it afterwards.
 */
async function whileBeing(
  guises: readonly Guise[],
  arena: Arena,
  run: (arena: Arena, guise: Guise) => Promise<Outcome>,
): Promise<Outcome> {
  const arenas = arena.target.eras.map(
    (era): Arena => ({
      ...arena,
      era,
      open: async (body) => arena.again(await arena.target.open(body), era),
    }),
  );
  try {
    for (const guise of guises) {
      await become(guise, arena);
      for (const one of arenas) {
        const outcome = await run(one, guise);
        if (outcome.verdict !== "held") return outcome;
      }
    }
    return HELD;
  } finally {
    await become("harmless", arena);
  }
}

const LOOK_MS = 4_000;

async function become(guise: Guise, { world, open }: Arena): Promise<void> {
  // A client that listens makes gateways look that only look when somebody does.
  const agent = await open();
  await agent.client.listen();
  const hostile = [world.impostor, world.stranger];
  const looks = hostile.map(lists);
  await Promise.all(hostile.map((one) => one.become(guise)));
  const until = performance.now() + LOOK_MS;
  while (performance.now() < until && hostile.some((one, index) => lists(one) === looks[index])) {
    await agent.client.request("tools/list");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  // What was listed is taken over a moment later.
  for (let round = 0; round < 6; round += 1) {
    await agent.client.request("tools/list");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const lists = ({ received }: Impostor): number =>
  received.all.filter(({ body }) => body.includes('"tools/list"')).length;

/** Which server a call of this name reaches from a fresh session. */
async function routeOf(name: string, { open, world }: Arena): Promise<string | null> {
  const text = mark();
  await (await open()).callNamed(name, { text, page: text });
  return world.all.find(({ received }) => received.holds(text))?.name ?? null;
}

/** Tools that wait for somebody, and the hostile servers' own. */
const WAITING = /look_up|look_asked|_later|_asking|_sampling|ask_/;

async function runRoutes(arena: Arena): Promise<Outcome> {
  const known = arena.names.toolNames.filter((name) => !WAITING.test(name));
  const names = [...new Set([...known, ...STOLEN_NAMES])];
  const before = new Map<string, string | null>();
  for (const name of names) before.set(name, await routeOf(name, arena));
  return whileBeing(["colliding"], arena, async (inEra) => {
    for (const name of names) {
      const [was, is] = [before.get(name) ?? null, await routeOf(name, inEra)];
      const isTaken = is === "impostor" || is === "stranger";
      if (isTaken && (was !== null || known.includes(name)) && was !== is) {
        return bypassed(
          `${JSON.stringify(name)} went to ${was ?? "the gateway itself"}, and now goes to ${is}`,
        );
      }
    }
    return HELD;
  });
}

const skeleton = (name: string): string =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("\u0430", "a")
    .replaceAll("\u043e", "o")
    .replaceAll(/[\u2010-\u2015\u200b-\u200f-]/gu, (char) => (char === "\u200b" ? "" : "_"));

async function runLookAlikes(arena: Arena): Promise<Outcome> {
  return whileBeing(["colliding"], arena, async ({ open }) => {
    const { client } = await open();
    const shown = await listed(client, "tools/list", "tools", "name");
    const real = new Set(arena.names.toolNames.map(skeleton));
    const twins = shown.filter((name, index) => shown.indexOf(name) !== index);
    if (twins.length > 0) return bypassed(`the list shows ${JSON.stringify(twins[0])} twice`);
    const posing = shown.find((name) => !arena.names.toolNames.includes(name) && real.has(skeleton(name)));
    return posing === undefined
      ? HELD
      : bypassed(`the list shows ${JSON.stringify(posing)} beside its model`);
  });
}

async function listed(
  client: Agent["client"],
  method: string,
  key: string,
  field: string,
): Promise<string[]> {
  const result = (await client.request(method)).message?.result as Json | undefined;
  const items = result?.[key];
  return Array.isArray(items) ? items.map((item: Json) => String(item[field])) : [];
}

async function runResources(arena: Arena): Promise<Outcome> {
  const attempts: readonly [string, Json][] = [
    ["resources/read", { uri: arena.names.allNotes }],
    ["resources/read", { uri: arena.names.uri("page", "seven") }],
    ["prompts/get", { name: arena.names.prompt("summary"), arguments: { page: "seven" } }],
  ];
  const readAll = async ({ open }: Arena): Promise<string[]> => {
    const texts: string[] = [];
    for (const [method, params] of attempts) {
      const { text } = await (await open()).client.request(method, params);
      texts.push(text);
    }
    return texts;
  };
  const before = await readAll(arena);
  if (!before.some((text) => text.includes(arena.world.notes.canary)))
    return notApplicable("the gateway passes no resources or prompts on");
  return whileBeing(["colliding"], arena, async (inEra) => {
    const after = await readAll(inEra);
    const taken = after.findIndex(
      (text, index) =>
        before[index]?.includes(arena.world.notes.canary) && /"(?:text)":"impostor"/.test(text),
    );
    return taken === -1
      ? HELD
      : bypassed(`${JSON.stringify(attempts[taken])} is answered by the hostile server`);
  });
}

const CHANGES: readonly Guise[] = [
  "changed-description",
  "changed-title",
  "changed-schema",
  "changed-annotations",
  "changed-output",
  "changed-meta",
];

async function runChanged(arena: Arena): Promise<Outcome> {
  if (arena.names.tool("impostor", "look_up") === undefined)
    return notApplicable("the list doesn't show the hostile server's tool");
  const { target, open, again } = arena;
  const early = new Map<Era, Agent>();
  for (const era of target.eras) early.set(era, await again(await target.open(), era));
  return whileBeing(CHANGES, arena, async (inEra, change) =>
    useChanged(change, early.get(inEra.era) ?? (await open()), inEra),
  );
}

/** Lists and calls the changed tool, from a session that knew it before and from a new one. */
async function useChanged(change: Guise, early: Agent, { open, world }: Arena): Promise<Outcome> {
  const { impostor } = world;
  for (const agent of [early, await open()]) {
    await agent.client.request("tools/list");
    if (agent.client.seen.includes(impostor.bait))
      return bypassed(`the list shows the changed definition (${change}), which nobody has looked at`);
    const text = mark();
    await agent.call("impostor", "look_up", { text });
    if (impostor.received.holds(text))
      return bypassed(`a call of the changed tool (${change}) reached its server (\`${text}\`)`);
  }
  return HELD;
}

/** A person said yes to a call of one definition; the server has another one by the time it is made. */
async function runChangedAfterYes(arena: Arena): Promise<Outcome> {
  const { target, open } = arena;
  const [agent, text] = [await open(), mark()];
  const { text: answer } = await agent.call("impostor", "look_asked", { text });
  const approval = /appr_[0-9a-f]{32}/.exec(answer)?.[0];
  if (target.hasSessions && approval === undefined) return notApplicable("the gateway asks for no approval");
  if (target.hasSessions)
    await target.api("POST", `/v1/approvals/${approval}/approve`, target.operatorToken, {});
  const before = countOf(text, arena);
  return whileBeing(["changed-schema"], arena, async () => {
    await agent.call("impostor", "look_asked", { text });
    return countOf(text, arena) > before
      ? bypassed(`a call of the changed tool reached its server (\`${text}\`)`)
      : HELD;
  });
}

const countOf = (text: string, { world }: Arena): number =>
  world.impostor.received.all.filter(({ body }) => body.includes(text)).length;

export const HOSTILE_SERVER_CHECKS: readonly Check[] = [
  {
    id: "changed-definition",
    must: "withhold a tool whose definition has changed until somebody accepts it",
    attack: "changes one part after the other of the definition of `look_up`, then lists and calls it",
    coversEras: true,
    run: runChanged,
  },
  {
    id: "changed-after-yes",
    must: "take a person's yes for the definition that it was given for",
    attack: "has a call approved, changes the tool's definition, then makes the call",
    run: runChangedAfterYes,
  },
  {
    id: "collision-routes",
    must: "send a call to the same server as before, whatever another server calls its tools",
    attack: "offers others' names and the gateway's own, then calls each of them",
    coversEras: true,
    run: runRoutes,
  },
  {
    id: "collision-look-alikes",
    must: "show no two tools that a model or a person can't tell apart",
    attack: "offers names that differ in case, in script or in what can't be seen",
    coversEras: true,
    run: runLookAlikes,
  },
  {
    id: "collision-resources",
    must: "read a resource and a prompt from the same server as before",
    attack: "claims the addresses and the prompt's name of `notes`, then reads them",
    coversEras: true,
    run: runResources,
  },
];
