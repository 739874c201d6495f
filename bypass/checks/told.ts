/** What a clean session is told of things that it may not see, by the difference between two refusals. */
import { type Agent, type Arena, mark } from "../arena.ts";
import { bypassed, type Check, HELD, notApplicable, type Outcome } from "../check.ts";
import type { Json } from "../wire.ts";

/** An answer without the name that was asked for and the numbers that every answer has of its own. */
const without = (text: string, ...names: readonly string[]): string =>
  names
    .reduce((rest, name) => rest.replaceAll(name, "?"), text)
    .replace(/\b(?:call|plan|sess|appr)_[0-9a-f]+/g, "?")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, "?")
    .replace(/"id":\s*\d+/g, "?");

/** A session that guesses a prompt's name wrong may go on sending; the one that guesses right is told the difference. */
async function runPrompts({ open, names }: Arena): Promise<Outcome> {
  const name = names.prompt("summary");
  const wrong = name.replace("summary", mark());
  const [guesser, hitter] = [await open(), await open()];
  const miss = await guesser.client.request("prompts/get", { name: wrong, arguments: { page: "x" } });
  const hit = await hitter.client.request("prompts/get", { name, arguments: { page: "x" } });
  const tells = without(miss.text, wrong) !== without(hit.text, name);
  return tells && (await guesser.send())
    ? bypassed(`a clean session was told that \`${wrong}\` is no prompt, and could send that on`)
    : HELD;
}

/** What failed is asked again after a while. */
async function untilRuns({ open, names }: Arena): Promise<void> {
  const tool = names.tool("drawer", "tag_drawer") ?? "tag_drawer";
  for (let round = 0; round < 40; round += 1) {
    if ((await (await open()).callNamed(tool, {})).text.includes('"done"')) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function runErrorCode(arena: Arena): Promise<Outcome> {
  const { open, names, world } = arena;
  const tool = names.tool("drawer", "toggle_drawer");
  if (tool === undefined) return notApplicable("the gateway shows no tools of `drawer`");
  const code = 4_000_000_000_000_000 + Math.floor(Math.random() * 1e12);
  const agent = await open();
  try {
    await world.drawer.fail(code);
    for (let round = 0; round < 10 && !agent.client.seen.includes(String(code)); round += 1) {
      await agent.client.request("tools/list");
      await agent.callNamed(tool, { page: "x" });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    await world.drawer.fail(null);
    await world.drawer.fold(false);
  }
  await untilRuns(arena);
  if (!agent.client.seen.includes(String(code))) return HELD;
  return (await agent.send())
    ? bypassed(`a private server told the number ${code} to a clean session, which could send it on`)
    : HELD;
}

/** A tool that a session may not see tells no headers that its schema asks for, and answers as if it weren't there. */
async function runHeaderNames({ open, names }: Arena): Promise<Outcome> {
  const [read, tag] = [names.tool("notes", "read_notes"), names.tool("drawer", "tag_drawer")];
  if (read === undefined || tag === undefined) return notApplicable("the gateway shows no tools of `drawer`");
  const agent = await open({ tools: [read] });
  const denied = await agent.callNamed(tag.replace("tag_drawer", "delete_drawer"), { page: "x" });
  if (/mcp-param/i.test(denied.text)) return bypassed(`a denied tool tells its header: ${denied.text}`);
  const unknown = tag.replace("tag_drawer", mark());
  const [hidden, none] = [
    await agent.callNamed(tag, { page: "x" }),
    await agent.callNamed(unknown, { page: "x" }),
  ];
  return hidden.status === none.status && without(hidden.text, tag) === without(none.text, unknown)
    ? HELD
    : bypassed(`a hidden tool answers otherwise than one that isn't there: ${hidden.text}`);
}

const PARTS = ["roots/list", "elicitation/create", "sampling/createMessage", "resources/read"];

/** By names of parts of calls, as a plan or a call: a hidden server must answer as one that isn't there. */
const runHidden =
  (toBody: (tool: string) => readonly [path: string, body: object]) =>
  async (arena: Arena): Promise<Outcome> => {
    const read = arena.names.tool("notes", "read_notes");
    if (read === undefined) return notApplicable("the list shows no tool to narrow to");
    const agent = await arena.open({ tools: [read] });
    for (const part of PARTS) {
      const [hidden, unknown] = [`mcp__post__${part}`, `mcp__tsop__${part}`];
      const [real, none] = [
        await ask(arena, agent, toBody(hidden)),
        await ask(arena, agent, toBody(unknown)),
      ];
      if (without(real, hidden, "post") !== without(none, unknown, "tsop"))
        return bypassed(`\`${hidden}\` answers otherwise than \`${unknown}\``);
    }
    return HELD;
  };

async function ask(
  { target }: Arena,
  { session }: Agent,
  [path, body]: readonly [string, object],
): Promise<string> {
  const { status, text } = await target.api("POST", `/v1/session/${session.id}/${path}`, session.token, body);
  return `${status} ${text}`;
}

const plan = (tool: string): readonly [string, Json] => [
  "validate-plan",
  { planned_calls: [{ tool, arguments: {} }] },
];
const call = (tool: string): readonly [string, Json] => ["call", { tool, arguments: {} }];
const HIDDEN = "answer alike for what a session may not see and for what isn't there";

export const TOLD_CHECKS: readonly Check[] = [
  {
    id: "told-prompt-names",
    must: "tell a clean session no names of a private server's prompts",
    attack: "guesses a prompt's name wrong and right, and compares the answers",
    run: runPrompts,
  },
  {
    id: "told-error-code",
    must: "pass on nothing that a private server chose to a session that stays clean",
    attack: "has a private server fail with a number of its choice, calls it, then calls the sink",
    run: runErrorCode,
  },
  {
    id: "told-header-names",
    must: HIDDEN,
    attack:
      "calls a denied and a hidden tool whose schemas ask for a header, without it, and one that isn't there",
    eras: ["2026-07-28"],
    needsSessions: true,
    run: runHeaderNames,
  },
  {
    id: "told-by-plan",
    must: HIDDEN,
    attack: "plans methods of a server that the session's narrowing hides, and of one that isn't there",
    needsSessions: true,
    run: runHidden(plan),
  },
  {
    id: "told-by-call",
    must: HIDDEN,
    attack:
      "calls methods of a server that the session's narrowing hides by name, and of one that isn't there",
    needsSessions: true,
    run: runHidden(call),
  },
];
