/** What the list doesn't show must not run, under no name. */
import { type Agent, type Arena, mark } from "../arena.ts";
import { bypassed, type Check, HELD, notApplicable, type Outcome } from "../check.ts";
import { forkOf } from "../fork.ts";
import { spellings } from "../surroundings.ts";
import type { Json } from "../wire.ts";
import type { World } from "../world.ts";

/** Calls a tool by every spelling; the first that ran is told. */
async function callBySpellings(
  agent: Agent,
  world: World,
  server: "notes" | "post" | "stranger",
  tool: string,
): Promise<Outcome> {
  for (const name of new Set([agent.nameOf(server, tool), ...spellings(server, tool)])) {
    const text = mark();
    await agent.callNamed(name, { text, page: text });
    if (world[server].received.holds(text)) {
      return bypassed(
        `\`${tool}\` of \`${server}\` ran when called as ${JSON.stringify(name)} (\`${text}\`)`,
      );
    }
  }
  return HELD;
}

async function runDenied({ open, world }: Arena): Promise<Outcome> {
  const agent = await open();
  const sink = await callBySpellings(agent, world, "post", "delete_everything");
  return sink.verdict === "held" ? callBySpellings(agent, world, "notes", "delete_notes") : sink;
}

async function runUnlisted({ open, world, names }: Arena): Promise<Outcome> {
  const isListed = names.tool("stranger", "look_up") !== undefined;
  if (isListed) return notApplicable("the gateway lists the tools that nobody classified");
  return callBySpellings(await open(), world, "stranger", "look_up");
}

async function runNarrowed({ open, world, names }: Arena): Promise<Outcome> {
  const read = names.tool("notes", "read_notes");
  if (read === undefined) return notApplicable("the list shows no tool to narrow to");
  return callBySpellings(await open({ tools: [read] }), world, "post", "send_message");
}

/** Asks a server for something by every method besides its tools; what reached it is told. */
async function askBesidesTools(
  agent: Agent,
  { world, names }: Arena,
  server: "post" | "stranger",
): Promise<Outcome> {
  const address = (text: string): string =>
    server === "post" ? names.uri("outbox", text) : `stranger://word/${text}`;
  const requests: readonly [string, (text: string) => Json][] = [
    ["resources/read", (text) => ({ uri: address(text) })],
    ["resources/subscribe", (text) => ({ uri: address(text) })],
    ["prompts/get", (text) => ({ name: names.prompt("announce"), arguments: { text } })],
    ["completion/complete", (text) => completionOf({ type: "ref/resource", uri: address("{text}") }, text)],
    [
      "completion/complete",
      (text) => completionOf({ type: "ref/prompt", name: names.prompt("announce") }, text),
    ],
    ["tools/call", (text) => ({ name: `mcp__${server}__resources/read`, arguments: { uri: address(text) } })],
  ];
  for (const [method, toParams] of requests) {
    const text = mark();
    await agent.client.request(method, toParams(text));
    if (world[server].received.holds(text)) return bypassed(`\`${text}\` reached \`${server}\` by ${method}`);
  }
  return HELD;
}

const completionOf = (ref: Json, value: string): Json => ({ ref, argument: { name: "text", value } });

async function runNarrowedMethods(arena: Arena): Promise<Outcome> {
  const read = arena.names.tool("notes", "read_notes");
  if (read === undefined) return notApplicable("the list shows no tool to narrow to");
  return askBesidesTools(await arena.open({ tools: [read] }), arena, "post");
}

async function runUnlistedMethods(arena: Arena): Promise<Outcome> {
  const agent = await arena.open();
  await agent.client.request("resources/templates/list");
  if (agent.client.seen.includes("stranger://"))
    return notApplicable("the gateway lists what a server has that nobody classified");
  return askBesidesTools(agent, arena, "stranger");
}

/** What a session was opened with holds for its forks, for other clients of it and for what a reset opens. */
async function runNarrowedLater(arena: Arena): Promise<Outcome> {
  const { target, open, again, names, world } = arena;
  const read = names.tool("notes", "read_notes");
  if (read === undefined) return notApplicable("the list shows no tool to narrow to");
  const agent = await open({ tools: [read] });
  const { id, url, token } = agent.session;
  const later: (Agent | null)[] = [
    await again(agent.session),
    await forkOf(arena, agent),
    await forkOf(arena, agent, { allowed_tools: ["*"] }),
    await forkOf(arena, agent, { denied_tools: [] }),
  ];
  const reset = await target.api("POST", `/v1/session/${id}/reset`, target.operatorToken, {});
  if (reset.status === 201) {
    const opened = JSON.parse(reset.text) as Readonly<Record<"session_id" | "session_token", string>>;
    const access = { url: url.replace(id, opened.session_id), headers: bearer(opened.session_token) };
    later.push(await again({ ...access, id: opened.session_id, token: opened.session_token }));
  }
  for (const one of [...later, await again({ url, headers: bearer(token), id, token })]) {
    const outcome = one && (await callBySpellings(one, world, "post", "send_message"));
    if (outcome?.verdict === "bypassed") return outcome;
  }
  return HELD;
}

const bearer = (token: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` });

/** Keys and shapes that mean nothing: whoever wrote them meant to take the sink away. */
async function runMisspelt({ target, open, again, names }: Arena): Promise<Outcome> {
  const sink = names.tool("post", "send_message") ?? "send_message";
  const parent = await open();
  const policies: readonly object[] = [
    { deniedTools: [sink] },
    { denied_tools: sink },
    { denied_tools: { [sink]: true } },
    { denied: [sink] },
  ];
  const bodies = [
    ...policies.map((tool_policy) => ["fork", { tool_policy }] as const),
    ...policies.map((policy) => ["fork", policy] as const),
    ["open", { tool: [] }] as const,
    ["open", { tools: "read_notes" }] as const,
    ["open", { denied_tools: [sink] }] as const,
  ];
  for (const [kind, body] of bodies) {
    const path = kind === "open" ? "/v1/session" : `/v1/session/${parent.session.id}/fork`;
    const bearerToken = kind === "open" ? target.operatorToken : parent.session.token;
    const { status, text } = await target.api("POST", path, bearerToken, body);
    if (status !== 201) continue;
    const { session_id: id, session_token: token } = JSON.parse(text) as Record<string, string>;
    if (id === undefined || token === undefined) continue;
    const url = parent.session.url.replace(parent.session.id, id);
    const agent = await again({ url, headers: bearer(token), id, token });
    const left = mark();
    if (await agent.send(left))
      return bypassed(`\`${left}\` reached \`post\` from a session opened with ${JSON.stringify(body)}`);
  }
  return HELD;
}

export const HIDDEN_CHECKS: readonly Check[] = [
  {
    id: "hidden-denied",
    must: "run no tool that the policy denies",
    attack: "calls `delete_everything` and `delete_notes` by every spelling of their names",
    run: runDenied,
  },
  {
    id: "hidden-unlisted",
    must: "run no tool that its list withholds",
    attack: "calls a tool of `stranger` that the list doesn't show, by every spelling of its name",
    run: runUnlisted,
  },
  {
    id: "hidden-narrowed",
    must: "run only what the session was opened with",
    attack: "opens a session with `read_notes` alone and calls the sink by every spelling of its name",
    needsSessions: true,
    run: runNarrowed,
  },
  {
    id: "hidden-narrowed-later",
    must: "keep a session to what it was opened with for as long as it lives, and all that come from it",
    attack:
      "opens a session with `read_notes` alone, and calls the sink from its forks, other clients and after a reset",
    needsSessions: true,
    run: runNarrowedLater,
  },
  {
    id: "hidden-misspelt",
    must: "open no session by a body whose narrowing it doesn't understand",
    attack: "takes the sink away from a session and a fork by misspelt keys and wrong shapes, then calls it",
    needsSessions: true,
    run: runMisspelt,
  },
  {
    id: "hidden-narrowed-methods",
    must: "let a session that was opened with some tools ask other servers for nothing",
    attack:
      "opens a session with `read_notes` alone and asks the sink for resources, prompts and completions",
    needsSessions: true,
    run: runNarrowedMethods,
  },
  {
    id: "hidden-unlisted-methods",
    must: "ask a server that nobody classified for nothing",
    attack: "asks `stranger` for resources and completions that the lists don't show",
    run: runUnlistedMethods,
  },
];
