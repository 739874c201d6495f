/** Sessions that are somebody else's, over, or reached by another door. */
import { type Agent, type Arena, mark } from "../arena.ts";
import { bypassed, type Check, HELD, notApplicable, type Outcome } from "../check.ts";
import type { Access, SendOptions } from "../wire.ts";

const OLDER = ["2025-11-25"] as const;

/** A raised session tries to send as somebody whose session is clean. */
async function sendAs(
  arena: Arena,
  disguise: (clean: Agent, raised: Agent) => SendOptions,
): Promise<Outcome> {
  const [clean, raised] = [await arena.open(), await arena.openRaised()];
  const [own, text] = [mark(), mark()];
  if (!(await clean.send(own))) return notApplicable("a clean session can't send");
  const { connection } = raised.client;
  await raised.call("post", "send_message", { text }, disguise(clean, raised));
  raised.client.connection = connection;
  return arena.world.left(text)
    ? bypassed(`\`${text}\` reached \`post\` under another session's name`)
    : HELD;
}

/** A stranger tries to read as somebody else; a clean session of its own stays clean then. */
async function readAs(arena: Arena, disguise: (victim: Agent, own: Agent) => SendOptions): Promise<Outcome> {
  const [victim, own] = [await arena.open(), await arena.open()];
  const [page, text] = [mark(), mark()];
  await own.call("notes", "read_notes", { page }, disguise(victim, own));
  if (!own.wasGiven(page)) return HELD;
  return (await own.send(text))
    ? bypassed(
        `the client was given \`${own.canary(page)}\` by another session, and \`${text}\` reached \`post\``,
      )
    : HELD;
}

const both = async (arena: Arena, disguise: (other: Agent, own: Agent) => SendOptions): Promise<Outcome> => {
  const sent = await sendAs(arena, disguise);
  return sent.verdict === "held" ? readAs(arena, disguise) : sent;
};

async function runStream(arena: Arena): Promise<Outcome> {
  const [victim, own] = [await arena.open(), await arena.open()];
  const { connection } = victim.client;
  if (connection === null) return notApplicable("the gateway gives no connection ids");
  const status = await own.client.listen({ headers: { "mcp-session-id": connection } });
  return status >= 200 && status < 300 ? bypassed(`another session's stream opened (${status})`) : HELD;
}

async function runDelete(arena: Arena): Promise<Outcome> {
  const [victim, own] = [await arena.open(), await arena.open()];
  const { connection } = victim.client;
  if (connection === null) return notApplicable("the gateway gives no connection ids");
  const headers = { ...own.session.headers, "mcp-session-id": connection };
  await fetch(own.session.url, { method: "DELETE", headers, signal: AbortSignal.timeout(5_000) });
  const { message } = await victim.client.request("tools/list");
  return message?.result === undefined ? bypassed("another session's connection was ended") : HELD;
}

async function runNoToken(arena: Arena): Promise<Outcome> {
  const agent = await arena.open();
  for (const authorization of ["", "Bearer ", "Bearer x", "Basic eDp4", `Bearer sess_${"0".repeat(32)}`]) {
    const page = mark();
    await agent.call("notes", "read_notes", { page }, { headers: { authorization } });
    if (agent.wasGiven(page))
      return bypassed(`\`${agent.canary(page)}\` was given for \`Authorization: ${authorization}\``);
  }
  return HELD;
}

async function runTokenReach(arena: Arena): Promise<Outcome> {
  const { target } = arena;
  const [other, { session }] = [await arena.open(), await arena.open()];
  const reach: readonly [string, string, object?][] = [
    ["POST", "/v1/session", {}],
    ["POST", `/v1/session/${session.id}/reset`, {}],
    ["GET", `/v1/session/${session.id}/journal`],
    ["GET", `/v1/session/${other.session.id}`],
    ["GET", `/v1/session/${other.session.id}/manifest`],
    ["POST", `/v1/session/${other.session.id}/call`, { tool: "send_message", arguments: { text: mark() } }],
    ["GET", "/v1/approvals"],
    ["POST", "/v1/approvals/appr_0/approve", {}],
    ["GET", "/metrics"],
  ];
  for (const [method, path, body] of reach) {
    const { status } = await target.api(method, path, session.token, body);
    if (status < 400) return bypassed(`a session's own token got ${status} for ${method} ${path}`);
  }
  return HELD;
}

async function runClosed(arena: Arena): Promise<Outcome> {
  const agent = await arena.openRaised();
  const { id, token } = agent.session;
  const operator = arena.target.operatorToken;
  const { status } = await arena.target.api("POST", `/v1/session/${id}/reset`, operator, {});
  if (status >= 300) return notApplicable(`the gateway ends no session (${status})`);
  const [text, page] = [mark(), mark()];
  await agent.send(text);
  await agent.call("notes", "read_notes", { page });
  await arena.target.api("POST", `/v1/session/${id}/call`, token, {
    tool: agent.nameOf("post", "send_message"),
    arguments: { text },
  });
  if (arena.world.left(text)) return bypassed(`\`${text}\` reached \`post\` from a session that was over`);
  return agent.wasGiven(page) ? bypassed("a session that was over was given notes") : HELD;
}

async function runAgain(arena: Arena): Promise<Outcome> {
  const raised = await arena.openRaised();
  for (const era of arena.target.eras) {
    const text = mark();
    if (await (await arena.again(raised.session, era)).send(text))
      return bypassed(`\`${text}\` reached \`post\` over a new connection of the same session (${era})`);
  }
  return HELD;
}

async function runOtherDoor(arena: Arena): Promise<Outcome> {
  const call = (agent: Agent, tool: string, args: object) =>
    arena.target.api("POST", `/v1/session/${agent.session.id}/call`, agent.session.token, {
      tool,
      arguments: args,
    });
  const [overMcp, overRest] = [await arena.openRaised(), await arena.open()];
  const [first, page, second] = [mark(), mark(), mark()];
  const { status } = await call(overMcp, overMcp.nameOf("post", "send_message"), { text: first });
  if (status === 404) return notApplicable("the gateway runs no calls over REST");
  if (arena.world.left(first)) return bypassed(`read over MCP, \`${first}\` sent over REST`);
  const { text } = await call(overRest, overRest.nameOf("notes", "read_notes"), { page });
  if (!text.includes(overRest.canary(page))) return notApplicable("REST reads no notes");
  return (await overRest.send(second)) ? bypassed(`read over REST, \`${second}\` sent over MCP`) : HELD;
}

const connectionOf = (agent: Agent): Record<string, string> =>
  agent.client.connection === null ? {} : { "mcp-session-id": agent.client.connection };

const withToken = (from: Access, url: string): Access => ({ url, headers: from.headers });

export const SESSION_CHECKS: readonly Check[] = [
  {
    id: "session-no-token",
    must: "give nothing to whoever shows no token, or a wrong one",
    attack: "reads the notes without a token and with made-up ones",
    run: runNoToken,
  },
  {
    id: "session-foreign-connection",
    must: "take another session's `Mcp-Session-Id` for nothing",
    attack: "sends and reads with its own token and another session's connection id",
    eras: OLDER,
    needsSessions: true,
    run: (arena) => both(arena, (other) => ({ headers: connectionOf(other) })),
  },
  {
    id: "session-foreign-url",
    must: "refuse a session's token at another session's address",
    attack: "sends and reads at another session's address with its own token",
    needsSessions: true,
    run: (arena) =>
      both(arena, (other, own) => ({
        access: withToken(own.session, other.session.url),
        headers: connectionOf(other),
      })),
  },
  {
    id: "session-foreign-header",
    must: "refuse a header that names another session",
    attack: "sends and reads with `Sluicegate-Session` naming another session",
    needsSessions: true,
    run: (arena) => both(arena, (other) => ({ headers: { "sluicegate-session": other.session.id } })),
  },
  {
    id: "session-foreign-stream",
    must: "open no stream of another session's connection",
    attack: "opens the event stream of another session's connection with its own token",
    eras: OLDER,
    needsSessions: true,
    run: runStream,
  },
  {
    id: "session-foreign-delete",
    must: "end no connection of another session",
    attack: "deletes another session's connection with its own token",
    eras: OLDER,
    needsSessions: true,
    run: runDelete,
  },
  {
    id: "session-token-reach",
    must: "let a session's token use that session and nothing else",
    attack: "opens, resets, approves, reads journals and other sessions with a session's token",
    needsSessions: true,
    run: runTokenReach,
  },
  {
    id: "session-replayed",
    must: "give nothing for a session that is over",
    attack: "goes on with the token and the connection of a session that was reset",
    needsSessions: true,
    run: runClosed,
  },
  {
    id: "session-new-connection",
    must: "keep what a session holds over every new connection, in every era",
    attack: "reads, then connects again with the same token, in each era, and sends",
    needsSessions: true,
    run: runAgain,
  },
  {
    id: "session-other-door",
    must: "have one state for all of a session's doors",
    attack: "reads over MCP and sends over REST, and the other way round",
    needsSessions: true,
    run: runOtherDoor,
  },
];
