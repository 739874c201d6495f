/** Two gates with one SQLite file: the last use of a standing approval goes to one of them. */
import { describe, expect, it } from "vitest";
import { definePolicy } from "../../src/index.ts";
import { createGate } from "../../src/runtime/index.ts";
import { openSqliteStore } from "../../src/stores/index.ts";
import { temporaryFolder } from "../fixtures/temporary-folder.ts";

const files = temporaryFolder();
const POLICY = definePolicy(
  { tools: { pay: { permissions: ["write"], approval: "always" } } },
  { version: "v1" },
);
const digestKey = new Uint8Array(32).fill(5);

describe("a standing approval in a file of two gates", () => {
  it("with one use left admits one call, whoever makes it, and none once it is revoked by the other (X19, law-7)", async () => {
    const path = files.path();
    const stores = [openSqliteStore(path), openSqliteStore(path)] as const;
    const [here, there] = stores.map((store) => createGate({ policy: POLICY, store, digestKey }));
    if (!here || !there) throw new Error("no gates");
    const ran: unknown[] = [];
    const session = await here.open({ principal: "ada" });
    const other = await there.open({ principal: "ada" });
    const call = (by: typeof session, amount: number) =>
      by.call({ tool: "pay", arguments: { amount } }, (args) => ran.push(args));
    const give = async (amount: number, count: number) => {
      const { approval } = await call(session, amount);
      const standing = { arguments: { amount: { anything: true } }, for: "principal", count } as const;
      const given = await here.answerApproval(approval?.id ?? "", { answer: "approved", by: "bo", standing });
      await call(session, amount);
      ran.length = 0;
      return given.standing ?? "";
    };
    await give(1, 1);
    const outcomes = await Promise.all([2, 3, 4, 5].map((n) => call(n % 2 ? session : other, n)));
    expect(outcomes.map(({ effect }) => effect).toSorted()).toEqual(["allow", "ask", "ask", "ask"]);
    expect(ran).toHaveLength(1);
    const id = await give(10, 20);
    expect(await call(other, 11)).toMatchObject({ effect: "allow" });
    await here.revokeStandingApproval(id, "bo");
    expect(await call(other, 12)).toMatchObject({ effect: "ask" });
    expect((await there.verify()).ok).toBe(true);
    for (const store of stores) await store.close();
  });
});
