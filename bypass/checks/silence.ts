/**
 * What a server learns from what an agent does with calls and questions that were open before private data came in:
 * which of them it drops or answers would tell something, so the server must hear of none.
 */
import { type Agent, type Arena, mark } from "../arena.ts";
import { bypassed, type Check, HELD, notApplicable, type Outcome } from "../check.ts";
import { forkOf } from "../fork.ts";
import type { Json } from "../wire.ts";

/** Who has something open at `post`, and who reads the notes meanwhile. */
interface Pair {
  readonly caller: Agent;
  readonly reader: Agent;
}

interface Family {
  readonly id: string;
  readonly who: string;
  pair(arena: Arena): Promise<Pair | null>;
}

const OWN: Family = {
  id: "own",
  who: "a session that has read the notes meanwhile",
  pair: async ({ open }) => {
    const agent = await open();
    return { caller: agent, reader: agent };
  },
};

const FORK: Family = {
  id: "fork",
  who: "a fork whose session has read the notes meanwhile",
  pair: async (arena) => {
    const reader = await arena.open();
    const caller = await forkOf(arena, reader);
    return caller && { caller, reader };
  },
};

const SESSION: Family = {
  id: "session",
  who: "a session whose fork has read the notes meanwhile",
  pair: async (arena) => {
    const caller = await arena.open();
    const reader = await forkOf(arena, caller);
    return reader && { caller, reader };
  },
};

const CHAIN: Family = {
  id: "chain",
  who: "a fork's fork whose session has read the notes meanwhile",
  pair: async (arena) => {
    const reader = await arena.open();
    const between = await forkOf(arena, reader);
    const caller = between && (await forkOf(arena, between));
    return caller && { caller, reader };
  },
};

/** Brings private data in where `isRaised`, or nothing; true where that could be done. */
interface Raise {
  readonly isRaised: boolean;
  /** How long `post` is listened to. */
  readonly limitMs: number;
  run(): Promise<boolean>;
}

/** Opens something at `post`, has private data come in, lets go; true where `post` heard of it. */
type Drop = (arena: Arena, pair: Pair, raise: Raise) => Promise<boolean | null>;

/** What comes in a clean session is waited for. */
const CLEAN_MS = 5_000;
/** What must not come is given as long as the whole attack took in a clean session, within these. */
const RAISED_MS = { min: 200, max: 3_000 };

async function until(isTrue: () => boolean, limitMs: number): Promise<boolean> {
  for (const end = performance.now() + limitMs; performance.now() < end; ) {
    if (isTrue()) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return isTrue();
}

/** Leaves a call alone that runs at `post`, over MCP or REST. */
const hangUp =
  (door: "MCP" | "REST"): Drop =>
  async ({ world }, { caller }, raise) => {
    const text = mark();
    const stop = new AbortController();
    const name = caller.nameOf("post", "send_later");
    const start = () =>
      caller.client.start("tools/call", { name, arguments: { text } }, { signal: stop.signal });
    const overMcp = door === "MCP" ? start() : null;
    const overRest = overMcp
      ? null
      : fetch(`${caller.session.url.replace(/\/s\/.*/, "")}/v1/session/${caller.session.id}/call`, {
          method: "POST",
          headers: { authorization: `Bearer ${caller.session.token}`, "content-type": "application/json" },
          body: JSON.stringify({ tool: name, arguments: { text } }),
          signal: stop.signal,
        }).catch(() => {});
    if (!(await world.post.received.until(text, 3_000))) return null;
    await until(() => world.post.hold.waiting > 0, 3_000);
    if (world.post.hold.waiting === 0 || !(await raise.run())) return null;
    if (overMcp && caller.client.era === "2025-11-25")
      await caller.client.notify("notifications/cancelled", { requestId: overMcp.id });
    stop.abort();
    await Promise.all([overMcp?.reply, overRest]);
    const hasHeard = await until(() => world.post.hold.waiting === 0, raise.limitMs);
    world.post.hold.release();
    return hasHeard;
  };

/** Answers a question of `post`, or not. */
const answer =
  (content: Json | null): Drop =>
  async ({ world }, { caller }, raise) => {
    const { received } = world.post;
    const stop = new AbortController();
    const name = caller.nameOf("post", "ask_reference");
    const asked = Promise.withResolvers<boolean>();
    let before = 0;
    const raiseOnce = async (): Promise<void> => {
      const isRaised = await raise.run();
      before = received.all.length;
      asked.resolve(isRaised);
    };
    await caller.client.listen();
    caller.client.onQuestion = async () => {
      await raiseOnce();
      return content;
    };
    const first = caller.client.request("tools/call", { name, arguments: {} }, { signal: stop.signal });
    void first.then(async ({ message }) => {
      const result = message?.result as Json | undefined;
      if (result?.resultType !== "input_required") return asked.resolve(false);
      await raiseOnce();
      const key = Object.keys((result.inputRequests as Json | undefined) ?? {})[0] ?? "question";
      const inputResponses = content === null ? {} : { [key]: content };
      const params = { name, arguments: {}, inputResponses, requestState: result.requestState };
      await caller.client.request("tools/call", params, { signal: stop.signal });
    });
    if (!(await asked.promise)) return null;
    const isAnswer = (body: string): boolean =>
      /"inputResponses"|"notifications\/cancelled"/.test(body) ||
      (/"(?:result|error)":/.test(body) && !body.includes('"method":'));
    const hasHeard = await until(
      () => received.all.slice(before).some(({ body }) => isAnswer(body)),
      raise.limitMs,
    );
    stop.abort();
    return hasHeard;
  };

interface Dropping {
  readonly id: "accept" | "decline" | "cancel" | "error" | "hang-up" | "rest-hang-up";
  readonly what: string;
  readonly drop: Drop;
}

const ANSWERS: readonly Dropping[] = [
  {
    id: "accept",
    what: "accepts a question of `post`",
    drop: answer({ action: "accept", content: { reference: "x" } }),
  },
  { id: "decline", what: "declines a question of `post`", drop: answer({ action: "decline" }) },
  { id: "cancel", what: "cancels a question of `post`", drop: answer({ action: "cancel" }) },
  { id: "error", what: "answers a question of `post` with an error", drop: answer(null) },
];
const HANG_UP: Dropping = { id: "hang-up", what: "leaves a call of `post` over MCP", drop: hangUp("MCP") };
/** What can be heard of a session that doesn't know yet what another one that shares its label has read. */
const UNAWARE: readonly Dropping[] = [
  HANG_UP,
  { id: "rest-hang-up", what: "leaves a call of `post` over REST", drop: hangUp("REST") },
  ...ANSWERS.filter(({ id }) => id === "decline"),
];

/** Clean first: where `post` hears of nothing then, there is nothing to attack. */
async function run(arena: Arena, family: Family, drop: Drop): Promise<Outcome> {
  const attempt = async (isRaised: boolean, limitMs: number): Promise<boolean | null> => {
    const pair = await family.pair(arena);
    return pair && drop(arena, pair, { isRaised, limitMs, run: async () => !isRaised || pair.reader.read() });
  };
  const start = performance.now();
  if ((await attempt(false, CLEAN_MS)) !== true)
    return notApplicable("not even a clean session's server hears of it");
  const took = performance.now() - start;
  const limitMs = Math.min(RAISED_MS.max, Math.max(RAISED_MS.min, took));
  return (await attempt(true, limitMs)) === true
    ? bypassed("`post` heard of it after the notes were read")
    : HELD;
}

const check = (family: Family, { id, what, drop }: Dropping): Check => ({
  id: `silence-${family.id}-${id}`,
  must: "tell a server nothing by what a session drops or answers once private data is in",
  attack: `${what}, from ${family.who}`,
  ...(family !== OWN && { needsSessions: true }),
  run: (arena) => run(arena, family, drop),
});

export const SILENCE_CHECKS: readonly Check[] = [
  ...[...ANSWERS, HANG_UP].map((dropping) => check(OWN, dropping)),
  ...[FORK, CHAIN].flatMap((family) => UNAWARE.map((dropping) => check(family, dropping))),
  ...ANSWERS.filter(({ id }) => id === "decline").map((dropping) => check(SESSION, dropping)),
];
