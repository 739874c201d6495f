import { describe, expect, it } from "vitest";
import { createGate, createMemoryStore, definePolicy, type Session } from "../index.ts";
import { Appeals } from "./appeals.ts";

const policy = definePolicy({
  tools: {
    read_mail: { permissions: ["read"], source: { level: "internal" } },
    web_search: { permissions: ["connect"] },
  },
});

function createPlace() {
  const store = createMemoryStore();
  const gate = createGate({ policy, store });
  return { store, gate, newest: () => new Appeals(store).newest(new Date()) };
}

const refuse = async (session: Session): Promise<string> => {
  const [, refused] = await session.decide([{ tool: "read_mail" }, { tool: "web_search" }]);
  return refused?.callId ?? "";
};

describe("an appeal", () => {
  it("is recorded at the session's label, its words beside the journal, and grants nothing (X24)", async () => {
    const { gate, newest } = createPlace();
    const session = await gate.open({ principal: "ada" });
    const callId = await refuse(session);
    await session.appeal({ callId, text: "  The user asked for it,\n by name. " });
    const { kind, data } = (await session.journal()).at(-1) ?? {};
    expect(kind).toBe("refusal-appealed");
    expect(data).toEqual({ call: callId, tool: "web_search", label: session.label });
    const [appeal, ...others] = await newest();
    expect(others).toEqual([]);
    expect(appeal).toMatchObject({
      session: session.id,
      principal: "ada",
      call: callId,
      text: "The user asked for it, by name.",
      label: { level: "internal" },
    });
    expect((await session.call({ tool: "web_search" }, () => "x")).effect).toBe("deny");
  });

  it("is for a refused call of this session alone, once (X24)", async () => {
    const { gate } = createPlace();
    const session = await gate.open();
    const other = await gate.open();
    const callId = await refuse(session);
    const appeal = (text = "Please.", id = callId, by = session) => by.appeal({ callId: id, text });
    await expect(appeal("Please.", "call_none")).rejects.toMatchObject({ code: "call-not-found" });
    await expect(appeal("Please.", callId, other)).rejects.toMatchObject({ code: "call-not-found" });
    const [admitted] = await session.decide([{ tool: "read_mail" }]);
    await expect(appeal("Please.", admitted?.callId)).rejects.toMatchObject({ code: "call-not-found" });
    for (const text of ["", " \n", "x".repeat(501), "a\u202eb", "a\u0007b"])
      await expect(appeal(text)).rejects.toMatchObject({ code: "invalid-request" });
    await appeal();
    await expect(appeal()).rejects.toMatchObject({ code: "invalid-request" });
  });

  it("has a bound in a session, and a lower one in a fork; of each label holder a few are listed (X24)", async () => {
    const { gate, newest } = createPlace();
    const session = await gate.open();
    const fork = await session.fork({ sharesLabel: true });
    const other = await gate.open();
    await other.appeal({ callId: await refuse(other), text: "First." });
    const appealUntilRefused = async (by: Session): Promise<number> => {
      for (let count = 0; ; count += 1) {
        const callId = await refuse(by);
        try {
          await by.appeal({ callId, text: `Appeal ${count}.` });
        } catch (cause) {
          expect(cause).toMatchObject({ code: "limit-reached" });
          return count;
        }
      }
    };
    expect([await appealUntilRefused(session), await appealUntilRefused(fork)]).toEqual([20, 2]);
    const listed = await newest();
    expect(listed.filter(({ labelHolder }) => labelHolder === session.id)).toHaveLength(3);
    expect(listed.at(-1)).toMatchObject({ session: other.id, text: "First." });
  });

  it("is listed for a day, and its words go with its session (X24)", async () => {
    const { gate, store, newest } = createPlace();
    const session = await gate.open();
    const callId = await refuse(session);
    await session.appeal({ callId, text: "Please." });
    const appeals = new Appeals(store);
    const dayAfter = new Date(Date.now() + 25 * 60 * 60 * 1000);
    expect([await appeals.newest(dayAfter), await appeals.newest(dayAfter)]).toEqual([[], []]);
    expect(await appeals.words(session.id, callId)).toBe("Please.");
    await gate.reset(session.id);
    expect([await appeals.words(session.id, callId), await newest()]).toEqual([null, []]);
    await expect(session.appeal({ callId, text: "Please." })).rejects.toMatchObject({
      code: "session-closed",
    });
  });
});
