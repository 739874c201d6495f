import { expect, it } from "vitest";
import { currentOwner, inTurnOf } from "./current-owner.ts";
import { FairPlaces } from "./fair-places.ts";
import { FairQueue } from "./fair-queue.ts";
import { ownedBy } from "./owner.test-kit.ts";

const tooMany = () => new Error("too many");

/** Pieces of work by the name of each, which run until they are ended. */
function createWorks(places: FairPlaces) {
  const running = new Map<string, () => void>();
  const run = async (principal: string, labelHolder: string, name: string, signal?: AbortSignal) => {
    const owner = ownedBy(labelHolder, principal);
    const work = async (): Promise<void> => {
      // Also where another's end has begun it.
      expect(currentOwner()).toEqual(owner);
      await new Promise<void>((resolve) => running.set(name, resolve));
      running.delete(name);
    };
    await inTurnOf(owner, () => places.run(work, { signal }));
  };
  const end = async (name: string) => {
    running.get(name)?.();
    await new Promise(setImmediate);
    return [...running.keys()];
  };
  return { run, end };
}

it("leaves a place to other principals, and takes each one's label holders in turns (D5-queue)", async () => {
  const { run, end } = createWorks(new FairPlaces({ places: 3, ofParty: 2, maxWaiting: 9, tooMany }));
  const all = [
    ...["1", "2", "3", "4"].map((name) => run("ada", "one session", name)),
    run("ada", "another session", "5"),
    run("bob", "bob's session", "6"),
  ];
  expect(await end("")).toEqual(["1", "2", "6"]);
  expect(await end("6")).toEqual(["1", "2"]);
  expect(await end("1")).toEqual(["2", "5"]);
  expect(await end("2")).toEqual(["5", "3"]);
  expect(await end("3")).toEqual(["5", "4"]);
  await Promise.all([end("4"), end("5"), ...all]);
});

it("begins a principal's quick work beside slow work of its own, though another's is never done (D5-queue)", async () => {
  const { run, end } = createWorks(new FairPlaces({ places: 4, ofParty: 3, maxWaiting: 99, tooMany }));
  const all = [
    ...["slow 1", "slow 2"].map((name) => run("ada", name, name)),
    ...["eve 1", "eve 2", "eve 3", "eve 4"].map((name) => run("eve", "eve's session", name)),
    run("ada", "another session", "quick 1"),
  ];
  expect(await end("")).toEqual(["slow 1", "slow 2", "eve 1", "eve 2"]);
  expect(await end("eve 1")).toEqual(["slow 1", "slow 2", "eve 2", "quick 1"]);
  all.push(run("ada", "another session", "quick 2"));
  expect(await end("quick 1")).toEqual(["slow 1", "slow 2", "eve 2", "eve 3"]);
  expect(await end("eve 2")).toEqual(["slow 1", "slow 2", "eve 3", "quick 2"]);
  for (const name of ["slow 1", "slow 2", "eve 3", "quick 2", "eve 4"]) await end(name);
  await Promise.all(all);
});

it("begins no work whose caller has left, and goes on after work that failed", async () => {
  const places = new FairPlaces({ places: 1, maxWaiting: 1, tooMany });
  const { run, end } = createWorks(places);
  const leaving = new AbortController();
  const first = run("ada", "a", "first");
  const left = run("ada", "a", "left", leaving.signal);
  await expect(run("ada", "a", "one too many")).rejects.toThrow("too many");
  leaving.abort(new Error("the client left"));
  await expect(left).rejects.toThrow("the client left");
  const failing = expect(places.run(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  const last = run("ada", "a", "last");
  await end("first");
  await first;
  await failing;
  await end("last");
  await last;
  await expect(places.run(async () => 1, { signal: leaving.signal })).rejects.toThrow("the client left");
});

it("isn't held up by the thousands of label holders of a principal that has its share (D5-queue)", () => {
  const queue = new FairQueue();
  for (let at = 0; at < 5000; at += 1)
    queue.add({ owner: ownedBy(`session ${at}`, "eve"), length: 0, drop: () => {} });
  const bobs = { owner: ownedBy("bob's session", "bob"), length: 0, drop: () => {} };
  queue.add(bobs);
  let asked = 0;
  const running = {
    parties: { of: (party: string) => (party.endsWith("eve") ? 7 : 0) },
    holders: { of: () => asked++ },
  };
  const share = { party: 7, holder: 4 };
  expect(queue.take(running, share)).toBe(bobs);
  expect(queue.take(running, share)).toBeUndefined();
  expect(asked).toBe(1);
});
