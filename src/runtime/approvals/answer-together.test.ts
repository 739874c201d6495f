/** Approvals that are alike and can be answered together, and those whose caller has gone. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { createMemoryStore, definePolicy } from "../../index.ts";
import { createGate, type Session } from "../index.ts";

const POLICY = definePolicy({
  tools: {
    pay: { permissions: ["write"], approval: "always" },
    wipe: { permissions: ["write"], approval: "always" },
    post: { permissions: ["connect"], approval: "always", onViolation: "ask" },
    read_mail: { permissions: ["read"], source: { level: "internal" } },
  },
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function openBench() {
  const gate = createGate({ policy: POLICY, store: createMemoryStore() });
  const open = (principal: string) => gate.open({ principal });
  const ask = async (session: Session, tool: string, at: number): Promise<string> =>
    (await session.decide([{ tool, arguments: { at } }]))[0]?.approval?.id ?? "";
  return { gate, open, ask };
}

describe("calls that are alike", () => {
  it("are those of one principal, for one tool and for the same reasons (X19)", async () => {
    const { gate, open, ask } = await openBench();
    const [one, other, stranger] = [await open("ada"), await open("ada"), await open("eve")];
    const ids = [await ask(one, "pay", 1), await ask(one, "pay", 2), await ask(other, "pay", 3)];
    await ask(stranger, "pay", 4);
    await ask(one, "wipe", 5);
    const listed = await gate.pendingApprovals({ like: ids[1] ?? "" });
    expect(listed.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const all = await gate.pendingApprovals();
    expect(all.map(({ tool, alike }) => [tool, alike]).toSorted()).toEqual([
      ["pay", 0],
      ["pay", 2],
      ["pay", 2],
      ["pay", 2],
      ["wipe", 0],
    ]);
    expect(await gate.approval(ids[0] ?? "")).toMatchObject({ alike: 1 });
    expect(await gate.pendingApprovals({ like: "appr_unknown" })).toEqual([]);
  });

  it("aren't those of which one would release data, and the other wouldn't (X19)", async () => {
    const { gate, open, ask } = await openBench();
    const session = await open("ada");
    const first = await ask(session, "post", 1);
    await session.decide([{ tool: "read_mail", arguments: {} }]);
    await ask(session, "post", 2);
    expect((await gate.pendingApprovals({ like: first })).map(({ id }) => id)).toEqual([first]);
  });
});

describe("a caller that has gone", () => {
  const minuteLater = (): void => {
    const real = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => real() + 61_000);
  };

  it("is told of after a minute, and its call is shown last (D5-queue)", async () => {
    const { gate, open, ask } = await openBench();
    const session = await open("ada");
    const left = await ask(session, "pay", 1);
    expect(await gate.approval(left)).toMatchObject({ callerGone: false });
    minuteLater();
    const here = await ask(session, "pay", 2);
    const all = await gate.pendingApprovals();
    expect(all.map(({ id, callerGone }) => [id, callerGone])).toEqual([
      [here, false],
      [left, true],
    ]);
    // Whoever asks again is here again.
    await ask(session, "pay", 1);
    expect(await gate.approval(left)).toMatchObject({ callerGone: false });
  });

  it("leaves calls that are denied together, each with its own entry, and no call of anybody else (D5-queue)", async () => {
    const { gate, open, ask } = await openBench();
    const [one, other] = [await open("ada"), await open("bo")];
    const gone = [await ask(one, "pay", 1), await ask(one, "wipe", 2), await ask(other, "pay", 3)];
    minuteLater();
    const here = await ask(other, "pay", 4);
    const held = one.call({ tool: "pay", arguments: { at: 1 } }, () => "ran", { waitSeconds: 60 });
    await vi.waitFor(async () =>
      expect(await gate.approval(gone[0] ?? "")).toMatchObject({ callerWaits: true }),
    );
    const denied = await gate.denyDeparted({ by: "cleo", via: "console" });
    expect(denied.toSorted()).toEqual(gone.slice(1).toSorted());
    expect((await gate.pendingApprovals()).map(({ id }) => id).toSorted()).toEqual(
      [gone[0], here].toSorted(),
    );
    const answered = (await one.journal()).filter(({ kind }) => kind === "approval-answered");
    expect(answered.map(({ data }) => data)).toMatchObject([
      { answer: "denied", by: "cleo", via: "console", why: "Its caller has gone." },
    ]);
    await gate.answerApproval(gone[0] ?? "", { answer: "approved", by: "cleo" });
    expect(await held).toMatchObject({ effect: "allow" });
  });

  it("isn't known of where another process was asked (D5-queue)", async () => {
    const store = createMemoryStore();
    const asked = createGate({ policy: POLICY, store });
    const session = await asked.open({ principal: "ada" });
    await session.decide([{ tool: "pay", arguments: {} }]);
    minuteLater();
    const other = createGate({ policy: POLICY, store });
    expect(await other.pendingApprovals()).toMatchObject([{ callerGone: false }]);
    expect(await other.denyDeparted({ by: "cleo" })).toEqual([]);
  });
});
