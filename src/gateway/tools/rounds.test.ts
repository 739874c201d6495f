import { expect, it } from "vitest";
import { createRounds } from "./rounds.ts";

it("begins a round after each change that a running one didn't see, and one for many changes", async () => {
  const begun: (() => void)[] = [];
  const rounds = createRounds(
    () => new Promise((done) => begun.push(done)),
    () => {},
  );
  const first = rounds.next();
  const others = [rounds.next(), rounds.next(), rounds.next()];
  expect(begun).toHaveLength(1);
  begun[0]?.();
  await first;
  await expect.poll(() => begun.length).toBe(2);
  begun[1]?.();
  await Promise.all(others);
  expect(begun).toHaveLength(2);
});

it("tells of a round that failed, and tries again by itself", async () => {
  const faults: unknown[] = [];
  let tries = 0;
  const rounds = createRounds(
    async () => {
      tries += 1;
      if (tries === 1) throw new Error("disk full");
    },
    (cause) => faults.push(cause),
  );
  await rounds.next();
  expect(faults).toEqual([new Error("disk full")]);
  await expect.poll(() => tries, { timeout: 10_000 }).toBe(2);
  await rounds.close();
});

it("begins none once it was closed, and waits for the last one", async () => {
  let tries = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const rounds = createRounds(
    async () => {
      tries += 1;
      await promise;
    },
    () => {},
  );
  const asked = [rounds.next(), rounds.next()];
  let isClosed = false;
  const closed = rounds.close().then(() => {
    isClosed = true;
  });
  await Promise.resolve();
  expect(isClosed).toBe(false);
  resolve();
  await Promise.all([closed, ...asked, rounds.next()]);
  expect(tries).toBe(1);
});
