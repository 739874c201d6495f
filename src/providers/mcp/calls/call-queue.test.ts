import { describe, expect, it } from "vitest";
import { ownedBy } from "../../../threads/owner.test-kit.ts";
import { createManualSchedule } from "../upstream.test-kit.ts";
import { createCallQueue, type Slot } from "./call-queue.ts";

const release = (slot: Slot): void => {
  if (slot.kind === "taken") slot.release();
};

describe("a queue of calls", () => {
  it("lets so many run at a time and the others in the order they came", async () => {
    const { schedule, delays } = createManualSchedule();
    const queue = createCallQueue({ inFlight: 2, waiting: 10, schedule });
    const order: number[] = [];
    const take = (number: number): Promise<Slot> =>
      queue.take(1000).then((slot) => {
        order.push(number);
        return slot;
      });
    const [first, second, third, fourth] = [take(1), take(2), take(3), take(4)];
    release(await second);
    release(await third);
    release(await first);
    release(await fourth);
    expect(order).toEqual([1, 2, 3, 4]);
    expect(delays()).toEqual([]);
    expect((await take(5)).kind).toBe("taken");
  });

  it("gives a slot back once, however often that is said", async () => {
    const queue = createCallQueue({ inFlight: 1, waiting: 10, schedule: createManualSchedule().schedule });
    const first = await queue.take(1000);
    release(first);
    release(first);
    expect((await queue.take(1000)).kind).toBe("taken");
    const waiting = queue.take(1000);
    expect(await Promise.race([waiting, Promise.resolve("waits")])).toBe("waits");
  });

  it("turns away who comes when too many wait, who waits too long and who gives up", async () => {
    const { schedule, elapse } = createManualSchedule();
    const queue = createCallQueue({ inFlight: 1, waiting: 2, schedule });
    const abort = new AbortController();
    const running = await queue.take(1000);
    const late = queue.take(50);
    const aborted = queue.take(1000, abort.signal);
    expect(await queue.take(1000)).toEqual({ kind: "full" });
    elapse(50);
    abort.abort();
    expect(await late).toEqual({ kind: "late" });
    expect(await aborted).toEqual({ kind: "aborted" });
    expect(await queue.take(1000, abort.signal)).toEqual({ kind: "aborted" });
    const next = queue.take(1000);
    release(running);
    expect((await next).kind).toBe("taken");
  });

  it("leaves three quarters of its places to others, and lets the one go next who has the fewest", async () => {
    const { schedule } = createManualSchedule();
    const queue = createCallQueue({ inFlight: 8, waiting: 16, schedule });
    const order: string[] = [];
    const take = (session: string): Promise<Slot> =>
      queue.take(1000, undefined, ownedBy(session)).then((slot) => {
        order.push(session);
        return slot;
      });
    const [first, second] = [await take("greedy"), await take("greedy")];
    const crowd = [1, 2, 3, 4].map(() => take("greedy"));
    expect(await queue.take(1000, undefined, ownedBy("greedy"))).toEqual({ kind: "full" });
    const [ada, bob] = [await take("ada"), await take("bob")];
    const late = take("ada");
    expect(order).toEqual(["greedy", "greedy", "ada", "bob"]);
    release(bob);
    await late;
    release(first);
    await crowd[0];
    expect(order.slice(4)).toEqual(["ada", "greedy"]);
    for (const slot of [second, ada]) release(slot);
  });

  it("leaves some of its places to other principals, and lets the one with the fewest calls go next", async () => {
    const { schedule } = createManualSchedule();
    const queue = createCallQueue({ inFlight: 8, waiting: 64, schedule });
    const order: string[] = [];
    const take = async (session: string, principal: string): Promise<Slot> => {
      const slot = await queue.take(1000, undefined, ownedBy(session, principal));
      order.push(session);
      return slot;
    };
    const sessions = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const running = sessions.map((session) => take(session, "ada"));
    const bob = await take("bob", "bob");
    expect(order).toEqual(["a", "b", "c", "d", "e", "f", "g", "bob"]);
    const again = take("bob", "bob");
    release(await (running[0] as Promise<Slot>));
    await again;
    expect(order.at(-1)).toBe("bob");
    release(bob);
  });

  it("lets one that has nothing waiting wait, though others have filled all places", async () => {
    const { schedule } = createManualSchedule();
    const queue = createCallQueue({ inFlight: 4, waiting: 4, schedule });
    const names = ["a", "b", "c", "d"];
    const held = await Promise.all(names.map((name) => queue.take(1000, undefined, ownedBy(name))));
    const next = names.map((name) => queue.take(1000, undefined, ownedBy(name)));
    expect(await queue.take(1000, undefined, ownedBy("a"))).toEqual({ kind: "full" });
    const victim = queue.take(1000, undefined, ownedBy("victim"));
    for (const slot of held) release(slot);
    for (const slot of next) release(await slot);
    expect((await victim).kind).toBe("taken");
  });

  it("lets a principal wait with a few calls, though another's have filled all places (D5-queue)", async () => {
    const { schedule } = createManualSchedule();
    const queue = createCallQueue({ inFlight: 1, waiting: 64, schedule });
    const eves = Array.from({ length: 100 }, (_, at) =>
      queue.take(1000, undefined, ownedBy(`session ${at}`, "eve")),
    );
    const bobs = [1, 2, 3].map(() => queue.take(1000, undefined, ownedBy("bob's session", "bob")));
    expect(await bobs[2]).toEqual({ kind: "full" });
    release(await (eves[0] as Promise<Slot>));
    const first = await (bobs[0] as Promise<Slot>);
    expect(first.kind).toBe("taken");
    release(first);
    release(await (eves[1] as Promise<Slot>));
    expect((await bobs[1])?.kind).toBe("taken");
  });

  it("gives who calls quickly a place again, though slow calls of others wait for it (D5-queue)", async () => {
    const { schedule } = createManualSchedule();
    const queue = createCallQueue({ inFlight: 8, waiting: 64, schedule });
    const slow = ["eve", "carol"].flatMap((name) =>
      Array.from({ length: 8 }, (_, at) => queue.take(1000, undefined, ownedBy(`${name} ${at % 4}`, name))),
    );
    const bobs = ownedBy("bob's session", "bob");
    const first = queue.take(1000, undefined, bobs);
    release(await (slow[0] as Promise<Slot>));
    let bob = await first;
    for (let call = 0; call < 10; call += 1) {
      const next = queue.take(1000, undefined, bobs);
      release(bob);
      bob = await next;
      expect(bob.kind).toBe("taken");
    }
  });
});
