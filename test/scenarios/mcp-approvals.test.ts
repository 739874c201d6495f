/**
 * Approvals over MCP: a call that asks is held until a person has answered elsewhere, or until the client's own person
 * has, where the policy lets it. With the official clients of each era, before a server that tells what arrived.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Arena, createArena, type Seat } from "../fixtures/approval-arena.ts";
import {
  type Answer,
  type ApprovingAgent,
  type CallOptions,
  ERAS,
  type Question,
} from "../fixtures/approving-agent.ts";

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
      expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining("said no")]);
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
    // The older SDK takes nothing back that has the number 0, so another question comes before.
    let answer: () => Answer = yes;
    const one = await seat({ era, answer: () => answer() });
    await pay(one, `before-${era}`);
    answer = never;
    let isOver = false;
    const slow = one.agent.call("pay", { id, manner: "slow", after: 1500 });
    const held = slow.finally(() => {
      isOver = true;
    });
    const approval = await one.untilWaiting();
    await arena.until(() => one.agent.asked.length === 2);
    const [, { signal } = {} as Question] = one.agent.asked;
    await arena.answer(approval, "approve");
    await arena.until(() => signal.aborted);
    expect(isOver).toBe(false);
    expect((await held).isError ?? false).toBe(false);
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
      calls.map(async (call) => {
        const result = await call;
        return result === null || result.isError ? never() : result;
      }),
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

describe("a client that may not approve by itself", () => {
  beforeAll(async () => {
    arena = await createArena("approvals: { wait: 20 }");
  });
  afterAll(() => arena.stop());

  it.each(ERAS)("%s: is held and told so, until a person has answered (D5-mcp)", async (era) => {
    const id = `held-${era}`;
    const one = await seat({ era, answer: yes });
    const told: { progress: number; message?: string | undefined }[] = [];
    const held = pay(one, id, { onProgress: (progress) => told.push(progress) });
    const approval = await one.untilWaiting();
    await arena.until(() => told.length > 0);
    expect(told[0]?.message).toBe(
      `Waits for a person: approval ${approval}, answer it with \`sluicegate approve ${approval}\` or in the console.`,
    );
    expect(told[0]?.progress).toBeGreaterThan(0);
    expect(arena.arrived(id)).toBe(0);
    await arena.answer(approval, "approve");
    expect(textOf(await held)).toBe(`done: ${id}; `);
    expect([one.agent.asked.length, arena.arrived(id)]).toEqual([0, 1]);
  });

  it.each(ERAS)("%s: is told of a no, and asks no agent (D5-mcp)", async (era) => {
    const id = `held-no-${era}`;
    const one = await seat({ era });
    const held = pay(one, id);
    await arena.answer(await one.untilWaiting(), "deny");
    const result = await held;
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining("said no")]);
    expect(result._meta["dev.sluicegate/decision"]).toMatchObject({ effect: "deny" });
    expect(arena.arrived(id)).toBe(0);
  });

  it.each(ERAS)("%s: runs nothing once it has left, also when the yes comes later (D5-mcp)", async (era) => {
    for (const leaves of ["cancels", "closes"] as const) {
      const id = `${leaves}-${era}`;
      const one = await seat({ era });
      const caller = new AbortController();
      const held = pay(one, id, { signal: caller.signal }).catch(() => "left");
      const approval = await one.untilWaiting();
      if (leaves === "cancels") caller.abort();
      else await one.agent.close();
      expect(await held).toBe("left");
      await arena.untilTaken(one.agent);
      expect(await arena.answer(approval, "approve")).toMatchObject({ status: "approved" });
      // Another call with the same words that is answered shows that the first was not still on its way.
      const after = `after-${id}`;
      const other = await seat({ era });
      const second = pay(other, after);
      await arena.answer(await other.untilWaiting(), "approve");
      expect((await second).isError ?? false).toBe(false);
      expect([arena.arrived(id), arena.arrived(after)]).toEqual([0, 1]);
      expect((await one.journal()).at(-1)?.kind).toBe("approval-answered");
    }
  });
});

describe("a client whose call has waited long enough", () => {
  beforeAll(async () => {
    arena = await createArena("approvals: { wait: 1 }");
  });
  afterAll(() => arena.stop());

  it.each(ERAS)("%s: gets the question's number, and calls again after a yes (D5-mcp)", async (era) => {
    const id = `again-${era}`;
    const one = await seat({ era });
    const result = await pay(one, id);
    const approval = await one.untilWaiting();
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining(approval)]);
    expect(textOf(result)).toContain("Call it again with the same arguments");
    expect(result._meta["dev.sluicegate/decision"]).toMatchObject({
      effect: "ask",
      approval: { id: approval },
    });
    await arena.answer(approval, "approve");
    expect((await pay(one, id)).isError ?? false).toBe(false);
    expect(arena.arrived(id)).toBe(1);
  });
});
