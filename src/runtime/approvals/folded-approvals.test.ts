/** A folded list of what waits: room for many, read once, and forgotten as soon as it is over. */
import { describe, expect, it } from "vitest";
import { createMemoryStore, definePolicy } from "../../index.ts";
import { createGate, type Gate, type Store } from "../index.ts";

const KEY = new Uint8Array(32).fill(7);
const LONG = 1024 * 1024;
const no = { answer: "denied", by: "bo" } as const;

function openOffice() {
  const memory = createMemoryStore();
  const reads = { of: 0 };
  const store: Store = {
    ...memory,
    kept: (session, key) => {
      if (key.startsWith("approval-details:")) reads.of += 1;
      return memory.kept(session, key);
    },
  };
  const policy = definePolicy({ tools: { pay: { permissions: ["write"], approval: "always" } } });
  return { reads, gate: createGate({ policy, store, digestKey: KEY }) };
}

async function ask(gate: Gate, text: string): Promise<string> {
  const session = await gate.open();
  const [decision] = await session.decide([{ tool: "pay", arguments: { text } }]);
  return decision?.approval?.id ?? "none";
}

describe("A folded list of what waits", () => {
  it("has room for many that are long, with the length of each (D5-queue)", async () => {
    const { gate } = openOffice();
    const ids: string[] = [];
    for (let at = 0; at < 12; at += 1) ids.push(await ask(gate, `${at}`.padEnd(LONG, "x")));
    expect(await gate.pendingApprovals()).toHaveLength(3);
    const folded = await gate.pendingApprovals({ fold: 100 });
    expect(folded.map(({ id }) => id)).toEqual(ids);
    expect(folded[3]?.arguments).toEqual({ text: "3".padEnd(100, "x") });
    expect(folded[3]?.folded).toEqual([{ part: "arguments", pointer: "/text", characters: LONG }]);
    expect(await gate.approval(ids[3] ?? "")).toMatchObject({
      arguments: { text: "3".padEnd(LONG, "x") },
      folded: [],
    });
  });

  it("is read once, however many look and however often, and never shows what is over", async () => {
    const { gate, reads } = openOffice();
    const ids = [await ask(gate, "one".padEnd(LONG)), await ask(gate, "two".padEnd(LONG))];
    const look = async (fold: number): Promise<readonly string[]> =>
      (await gate.pendingApprovals({ fold })).map(({ id, arguments: { text } }) => `${id} ${text}`);
    await Promise.all([look(3), look(3), look(3)]);
    expect(await look(3)).toEqual([`${ids[0]} one`, `${ids[1]} two`]);
    expect(reads.of).toBe(2);
    expect(await look(2)).toEqual([`${ids[0]} on`, `${ids[1]} tw`]);
    await gate.answerApproval(ids[0] ?? "", no);
    expect(await look(3)).toEqual([`${ids[1]} two`]);
  });
});
