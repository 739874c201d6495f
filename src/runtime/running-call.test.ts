import { describe, expect, it } from "vitest";
import { createMemoryStore, definePolicy } from "../index.ts";
import { createGate } from "./index.ts";

const policy = definePolicy({
  tools: { look: { permissions: ["read"] } },
  roles: { reader: { tools: ["look"] } },
});
const open = () => {
  const [store, digestKey] = [createMemoryStore(), new Uint8Array(32).fill(7)];
  return { gate: () => createGate({ policy, store, digestKey }) };
};

describe("a call that a host knows by what was called", () => {
  it("is the oldest of that tool with these arguments that runs, in another process too", async () => {
    const { gate } = open();
    const session = await gate().open();
    const calls = [{ at: 1 }, { at: 2 }, { at: 1 }].map((args) => ({ tool: "look", arguments: args }));
    const [first, second, third] = (await session.decide(calls)).map(({ callId }) => callId);
    const elsewhere = await gate().session(session.id);
    const running = (at: unknown) => elsewhere?.runningCall({ tool: "look", arguments: { at } });
    expect([await running(1), await running(2), await running(3)]).toEqual([first, second, null]);
    await session.report({ callId: first ?? "" });
    expect(await running(1)).toBe(third);
    expect(await elsewhere?.runningCall({ tool: "nonesuch", arguments: { at: 1 } })).toBeNull();
  });
});

describe("the session that a principal falls back to", () => {
  it("is opened in the role that is asked for, once, and stays in it", async () => {
    const { gate } = open();
    const [one, other] = await Promise.all([
      gate().sticky("ada", { role: "reader" }),
      gate().sticky("ada", { role: "reader" }),
    ]);
    expect([one.id, one.role]).toEqual([other.id, "reader"]);
    expect((await gate().sticky("ada")).role).toBe("reader");
  });
});
