/** Freezes: what an operator stops is denied before anything else, here and on other nodes, also while it runs. */
import { describe, expect, it } from "vitest";
import { createMemoryStore, definePolicy } from "../index.ts";
import { createGate, type FreezeRequest, type Gate, type Session, type Store } from "./index.ts";

const policy = definePolicy({
  servers: { mail: { tools: { search: { permissions: ["read"] } } } },
  tools: { note: { permissions: ["write"] }, pay: { permissions: ["write"], approval: "always" } },
});
const openGate = (store: Store = createMemoryStore()): Gate => createGate({ policy, store });
const codes = async (session: Session, tool = "note") =>
  (await session.decide([{ tool }]))[0]?.reasons.map(({ code }) => code);
const by = "operator";

describe("a freeze", () => {
  it.each<[string, FreezeRequest, readonly string[], readonly string[]]>([
    ["everything", { by }, ["frozen"], ["frozen"]],
    ["a principal", { by, principal: "ada" }, ["frozen"], []],
    ["a tool", { by, tool: "note" }, ["frozen"], ["frozen"]],
    ["another tool", { by, tool: "mcp__mail__search" }, [], []],
    ["a server", { by, server: "mail" }, [], []],
  ])("of %s stops what it names and nothing else (X22)", async (_, request, ada, bo) => {
    const gate = openGate();
    const sessions = [await gate.open({ principal: "ada" }), await gate.open({ principal: "bo" })];
    await gate.freeze(request);
    expect(await Promise.all(sessions.map((session) => codes(session)))).toEqual([ada, bo]);
  });

  it("of a session stops it and its forks, and no other (X22)", async () => {
    const gate = openGate();
    const [session, other] = [await gate.open(), await gate.open()];
    const fork = await (await session.fork()).fork();
    await gate.freeze({ by, session: session.id });
    expect([await codes(session), await codes(fork), await codes(other)]).toEqual([
      ["frozen"],
      ["frozen"],
      [],
    ]);
  });

  it("asks nobody, and what was approved stays unused until it ends (X22)", async () => {
    const gate = openGate();
    const session = await gate.open();
    const [asked] = await session.decide([{ tool: "pay" }]);
    const { id } = await gate.freeze({ by });
    await gate.answerApproval(asked?.approval?.id ?? "", { answer: "approved", by: "bo" });
    expect(await codes(session, "pay")).toContain("frozen");
    await gate.unfreeze(id, by);
    expect((await session.decide([{ tool: "pay" }]))[0]?.effect).toBe("allow");
  });

  it("makes a plan invalid, so that no person is asked for it (X22, law-6)", async () => {
    const gate = openGate();
    const session = await gate.open();
    const fork = await session.fork();
    const { id } = await gate.freeze({ by, session: session.id });
    for (const one of [session, fork]) {
      expect(await one.plan([{ tool: "pay", arguments: {} }])).toMatchObject({
        effect: "deny",
        approval: null,
      });
      expect((await one.examinePlan([{ tool: "note" }])).violations).toMatchObject([{ code: "frozen" }]);
    }
    expect(await gate.pendingApprovals()).toEqual([]);
    await gate.unfreeze(id, by);
    expect(await fork.plan([{ tool: "pay", arguments: {} }])).toMatchObject({ effect: "ask" });
  });

  it("lasts over a restart, and is listed with who and why (X22)", async () => {
    const store = createMemoryStore();
    await openGate(store).freeze({ by: "ada", server: "mail", why: "It answers oddly." });
    const later = openGate(store);
    expect(await later.freezes()).toMatchObject([{ server: "mail", by: "ada", why: "It answers oddly." }]);
    expect(await codes(await later.open(), "search")).toContain("frozen");
    expect((await later.verify()).ok).toBe(true);
  });

  it("of the same target is one, and ends once (X22)", async () => {
    const gate = openGate();
    const [first, second] = [await gate.freeze({ by }), await gate.freeze({ by })];
    expect(second.id).toBe(first.id);
    await gate.unfreeze(first.id, by);
    expect(await gate.freezes()).toEqual([]);
    await expect(gate.unfreeze(first.id, by)).rejects.toMatchObject({ code: "not-found" });
  });

  it.each<[string, FreezeRequest, string]>([
    ["two targets", { by, principal: "ada", tool: "note" }, "invalid-request"],
    ["a tool that isn't there", { by, tool: "noet" }, "invalid-tool"],
    ["a server that isn't there", { by, server: "mial" }, "invalid-request"],
    ["a session that isn't there", { by, session: "sess_0" }, "session-not-found"],
  ])("with %s is refused (X22)", async (_, request, code) => {
    const gate = openGate();
    await expect(gate.freeze(request)).rejects.toMatchObject({ code });
    expect(await gate.freezes()).toEqual([]);
  });

  it("is in force on another node within a second (X22)", async () => {
    const store = createMemoryStore();
    const [here, there] = [openGate(store), openGate(store)];
    const session = await there.open();
    expect(await codes(session)).toEqual([]);
    await here.freeze({ by });
    await expect.poll(() => codes(session), { timeout: 1000 }).toEqual(["frozen"]);
  });

  it("stops a call that runs, and gives its result to nobody (X22)", async () => {
    const store = createMemoryStore();
    const [here, there] = [openGate(store), openGate(store)];
    const session = await there.open();
    const started = Promise.withResolvers<AbortSignal>();
    const result = Promise.withResolvers<string>();
    const call = session.call({ tool: "note" }, (_, { signal }) => {
      started.resolve(signal);
      return result.promise;
    });
    call.catch(() => {});
    const signal = await started.promise;
    await here.freeze({ by });
    await expect.poll(() => signal.aborted, { timeout: 1000 }).toBe(true);
    result.resolve("done all the same");
    await expect(call).rejects.toMatchObject({ code: "frozen" });
  });

  it("of a session stops the running calls of its forks as well (X22)", async () => {
    const gate = openGate();
    const session = await gate.open();
    const fork = await (await session.fork({})).fork({ sharesLabel: false });
    const started = Promise.withResolvers<AbortSignal>();
    const result = Promise.withResolvers<string>();
    const call = fork.call({ tool: "note" }, (_, { signal }) => {
      started.resolve(signal);
      return result.promise;
    });
    call.catch(() => {});
    const signal = await started.promise;
    await gate.freeze({ by, session: session.id });
    expect(signal.aborted).toBe(true);
    result.resolve("done all the same");
    await expect(call).rejects.toMatchObject({ code: "frozen" });
  });

  it("holds for a call whose facts were still being found out (X22)", async () => {
    const store = createMemoryStore();
    const [begun, found] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const facts = async () => {
      begun.resolve();
      await found.promise;
      return {};
    };
    const gate = createGate({ policy, store, facts });
    const session = await gate.open();
    let ran = false;
    const call = session.call({ tool: "note" }, () => {
      ran = true;
    });
    await begun.promise;
    await gate.freeze({ by });
    found.resolve();
    expect(await call).toMatchObject({ effect: "deny", reasons: [{ code: "frozen" }] });
    expect(ran).toBe(false);
  });

  it("refuses every call while it can't be read (X22)", async () => {
    const store = createMemoryStore();
    const gate = openGate(store);
    const session = await gate.open();
    store.head = () => Promise.reject(new Error("gone"));
    await expect(session.decide([{ tool: "note" }])).rejects.toThrow("gone");
  });
});
