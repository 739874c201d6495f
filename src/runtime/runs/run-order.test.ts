import { describe, expect, it } from "vitest";
import { createRunOrder, type RunOrder, runInOrder } from "./run-order.ts";

const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  let isSettled = false;
  promise.finally(() => {
    isSettled = true;
  });
  await new Promise(setImmediate);
  return isSettled;
};

describe("the order of runs", () => {
  it("gives one turn of a session at a time, as they were asked for, each with a higher fence (B4-process)", async () => {
    const order = createRunOrder();
    const first = await order.enter("a");
    const [second, third] = [order.enter("a"), order.enter("a")];
    expect([await settled(second), await settled(order.enter("b"))]).toEqual([false, true]);
    await first.end();
    await first.end();
    const turn = await second;
    expect(await settled(third)).toBe(false);
    await turn.end();
    expect([first.fence, turn.fence, (await third).fence]).toEqual([1, 2, 3]);
  });

  it("passes over one that leaves before its turn, and doesn't let the next one in early", async () => {
    const order = createRunOrder();
    const first = await order.enter("a");
    const leaving = new AbortController();
    const second = order.enter("a", leaving.signal);
    const third = order.enter("a");
    leaving.abort(new Error("left"));
    await expect(second).rejects.toThrow("left");
    expect(await settled(third)).toBe(false);
    await first.end();
    await third;
    await expect(order.enter("c", AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    await order.enter("c");
  });

  it("ends the turn of a run that fails", async () => {
    const order = createRunOrder();
    const failing = runInOrder(order, "a", undefined, async () => {
      throw new Error("broken");
    });
    await expect(failing).rejects.toThrow("broken");
    expect(await runInOrder(order, "a", undefined, async () => "next")).toBe("next");
  });

  it("lets what a run starts in its own session through at once, and what outlives it queue again", async () => {
    const order = createRunOrder();
    const over = Promise.withResolvers<void>();
    const log: string[] = [];
    let late: Promise<unknown> = Promise.resolve();
    await runInOrder(order, "a", undefined, async () => {
      await runInOrder(order, "b", undefined, () =>
        runInOrder(order, "a", undefined, async () => void log.push("within")),
      );
      late = over.promise.then(() => runInOrder(order, "a", undefined, async () => void log.push("late")));
    });
    const next = await order.enter("a");
    over.resolve();
    expect(await settled(late)).toBe(false);
    log.push("next");
    await next.end();
    await late;
    expect(log).toEqual(["within", "next", "late"]);
  });

  it("is whatever is given: a turn that is lost tells its run so", async () => {
    const lease = new AbortController();
    const order: RunOrder = { enter: async () => ({ fence: 7, lost: lease.signal, end: async () => {} }) };
    const run = runInOrder(order, "a", undefined, async (lost) => {
      lease.abort();
      return lost?.aborted;
    });
    expect(await run).toBe(true);
  });
});

describe("runs that start runs of each other's sessions", () => {
  /** Starts a run of each session, whose tool then starts one of the next: all at once. */
  const runAround = (order: RunOrder, sessions: readonly string[]) => {
    const { promise: allRun, resolve } = Promise.withResolvers<void>();
    let started = 0;
    return Promise.allSettled(
      sessions.map((session, at) =>
        runInOrder(order, session, undefined, async () => {
          started += 1;
          if (started === sessions.length) resolve();
          await allRun;
          return runInOrder(order, `${sessions[(at + 1) % sessions.length]}`, undefined, async () => session);
        }),
      ),
    );
  };

  it.each([
    [["a", "b"]],
    [["a", "b", "c"]],
  ])("are told of the circle %j, and none waits for ever", async (sessions) => {
    const ended = await runAround(createRunOrder(), sessions);
    const [circle, ...others] = ended.filter(({ status }) => status === "rejected");
    expect(others).toEqual([]);
    expect(circle).toMatchObject({
      reason: {
        code: "invalid-request",
        why: expect.stringContaining("`a`"),
        details: { sessions: expect.arrayContaining(sessions) },
      },
    });
  });

  it("wait where there is no circle", async () => {
    const order = createRunOrder();
    const inner = (): Promise<string> => runInOrder(order, "b", undefined, async () => "b");
    const runs = [1, 2, 3].map(() => runInOrder(order, "a", undefined, inner));
    expect(await Promise.all([...runs, inner(), inner()])).toEqual(["b", "b", "b", "b", "b"]);
  });
});
