/**
 * Approvals over MCP: a call that asks is held until a person has answered elsewhere, or until the client's own person
 * has, where the policy lets it. With the official clients of each era, before a server that tells what arrived.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Arena, createArena, type Seat } from "../fixtures/approval-arena.ts";
import { type ApprovingAgent, type CallOptions, ERAS, type Question } from "../fixtures/approving-agent.ts";

const yes = () => ({ action: "accept", content: { approve: true } }) as const;
const no = () => ({ action: "accept", content: { approve: false } }) as const;
const never = (): Promise<never> => new Promise(() => {});
const textOf = (result: any): string => result.content.map((block: any) => block.text).join("\n");

let arena: Arena;
const agents: ApprovingAgent[] = [];
afterEach(async () => {
  await Promise.allSettled(agents.splice(0).map((agent) => agent.close()));
});

/** A new session's client; `answer` is its person. */
async function seat(options: Parameters<Arena["seat"]>[0]): Promise<Seat> {
  const taken = await arena.seat(options);
  agents.push(taken.agent);
  return taken;
}

const pay = ({ agent }: Seat, id: string, options?: CallOptions): Promise<any> =>
  agent.call("pay", { id, amount: 5 }, options);

describe("a client that may approve by itself", () => {
  beforeAll(async () => {
    arena = await createArena("approvals: { via: [console, terminal, client] }");
  });
  afterAll(() => arena.stop());

  it.each(ERAS)("%s: is asked once, and its yes runs the call once (D5-mcp, D6-binding)", async (era) => {
    const id = `yes-${era}`;
    const one = await seat({ era, answer: yes });
    const result = await pay(one, id);
    expect([result.isError ?? false, textOf(result)]).toEqual([false, `done: ${id}; `]);
    expect(arena.arrived(id)).toBe(1);
    expect(one.agent.asked).toHaveLength(1);
    const [{ message, schema } = {} as Question] = one.agent.asked;
    expect(message).toContain("An agent wants to call the tool `mcp__bank__pay`");
    expect(message).toContain(`>   "id": "${id}"`);
    expect(schema.properties).toEqual({ approve: expect.objectContaining({ type: "boolean" }) });
    expect((await one.journal()).map(({ kind, data }) => [kind, data.via, data.by])).toEqual([
      ["session-opened", undefined, undefined],
      ["approval-requested", undefined, undefined],
      ["approval-shown", "client", undefined],
      ["approval-answered", "client", "ada"],
      ["call-admitted", undefined, undefined],
      ["call-finished", undefined, undefined],
    ]);
  });

  it.each(ERAS)("%s: refuses for good with a no, or by declining (D5-mcp)", async (era) => {
    for (const [index, answer] of [no, () => ({ action: "decline" }) as const].entries()) {
      const id = `no-${index}-${era}`;
      const one = await seat({ era, answer });
      const result = await pay(one, id);
      expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining("denied")]);
      expect(await pay(one, id)).toMatchObject({ isError: true });
      expect([one.agent.asked.length, arena.arrived(id)]).toEqual([1, 0]);
    }
  });

  it.each(
    ERAS,
  )("%s: answers nothing when its person closes the question; others still can (D5-mcp)", async (era) => {
    const id = `cancel-${era}`;
    const one = await seat({ era, answer: () => ({ action: "cancel" }) });
    const held = pay(one, id);
    const approval = await one.untilWaiting();
    await arena.until(() => one.agent.asked.length === 1);
    expect(arena.arrived(id)).toBe(0);
    await arena.answer(approval, "approve");
    expect((await held).isError ?? false).toBe(false);
    expect([one.agent.asked.length, arena.arrived(id)]).toEqual([1, 1]);
  });

  it.each(
    ERAS.slice(0, 3),
  )("%s: has its question taken back when somebody else answers (D5-mcp)", async (era) => {
    const id = `elsewhere-${era}`;
    const one = await seat({ era, answer: never });
    const held = pay(one, id);
    const approval = await one.untilWaiting();
    await arena.until(() => one.agent.asked.length === 1);
    const [{ signal } = {} as Question] = one.agent.asked;
    await arena.answer(approval, "approve");
    expect((await held).isError ?? false).toBe(false);
    await arena.until(() => signal.aborted);
    expect(arena.arrived(id)).toBe(1);
  });

  it("2026-07-28: runs nothing on a yes after somebody else's no, nor on a no after somebody else's yes (D5-mcp)", async () => {
    for (const [mine, theirs] of [
      [yes, "deny"],
      [no, "approve"],
    ] as const) {
      const id = `late-${theirs}`;
      const asked = Promise.withResolvers<void>();
      const go = Promise.withResolvers<void>();
      const one = await seat({
        era: "2026-07-28",
        answer: async () => {
          asked.resolve();
          await go.promise;
          return mine();
        },
      });
      const held = pay(one, id);
      await asked.promise;
      await arena.answer(await one.untilWaiting(), theirs);
      go.resolve();
      expect(await held).toMatchObject({ isError: true });
      expect(arena.arrived(id)).toBe(0);
    }
  });

  it.each(ERAS)("%s: is asked for one call of its session at a time (D5-mcp)", async (era) => {
    const [first, second] = [`first-${era}`, `second-${era}`];
    const go = Promise.withResolvers<void>();
    const one = await seat({
      era,
      answer: async () => {
        await go.promise;
        return yes();
      },
    });
    const calls = [pay(one, first)];
    await arena.until(() => one.agent.asked.length === 1);
    calls.push(pay(one, second));
    await one.untilWaiting(2);
    expect(one.agent.asked).toHaveLength(1);
    go.resolve();
    for (const result of await Promise.all(calls)) expect(result.isError ?? false).toBe(false);
    expect(one.agent.asked.map(({ message }) => message.includes(second))).toEqual([false, true]);
    expect([arena.arrived(first), arena.arrived(second)]).toEqual([1, 1]);
  });

  it.each(ERAS)("%s: runs one of eight calls that wait for the same yes (D6-binding)", async (era) => {
    const id = `eight-${era}`;
    let asked = 0;
    // It says yes to what it was asked first, and closes what comes later.
    let approval = "";
    const one = await seat({
      era,
      answer: ({ message }) => {
        asked += 1;
        approval ||= /appr_[0-9a-f]{32}/.exec(message)?.[0] ?? "";
        return message.includes(approval) ? yes() : { action: "cancel" };
      },
    });
    const callers = Array.from({ length: 8 }, () => new AbortController());
    const calls = callers.map(({ signal }) => pay(one, id, { signal }).catch(() => null));
    const ran = await Promise.race(
      calls.map(async (call) => ((await call)?.isError === undefined ? await call : never())),
    );
    expect(textOf(ran)).toContain(id);
    for (const caller of callers) caller.abort();
    await Promise.all(calls);
    expect(asked).toBeGreaterThan(0);
    expect(arena.arrived(id)).toBe(1);
  });

  it.each(ERAS)("%s: can't approve what was not shown whole (D5-mcp)", async (era) => {
    const id = `long-${era}`;
    const one = await seat({ era, answer: yes });
    const left = new AbortController();
    const held = one.agent.call("pay", { id, note: "x".repeat(20_000) }, { signal: left.signal });
    const approval = await one.untilWaiting();
    await arena.until(() => one.agent.asked.length === 1);
    const [{ message, schema } = {} as Question] = one.agent.asked;
    expect(message).toMatch(
      /… \d+ more characters; look at it with `sluicegate pending` or in the console\./,
    );
    expect(Object.keys(schema.properties)).toEqual(["deny"]);
    expect(await one.untilWaiting()).toBe(approval);
    expect(arena.arrived(id)).toBe(0);
    left.abort();
    await expect(held).rejects.toThrow();
  });

  it.each(ERAS)("%s: is never asked to release anything (D5-mcp)", async (era) => {
    const id = `release-${era}`;
    const one = await seat({ era, answer: yes });
    await one.agent.call("read_account", { id: `account-${era}` });
    const held = one.agent.call("publish", { id });
    const approval = await one.untilWaiting();
    expect(await arena.approval(approval)).toMatchObject({ release: true });
    await arena.answer(approval, "approve");
    expect((await held).isError ?? false).toBe(false);
    expect([one.agent.asked.length, arena.arrived(id)]).toEqual([0, 1]);
  });
});
