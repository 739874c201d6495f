/** The queue of what waits for a person: its order, what the journal holds of it, and how each part of it ends. */
import { describe, expect, it } from "vitest";
import { createMemoryStore, definePolicy, type PolicyDeclaration, SluicegateError } from "../index.ts";
import { createGate, type Gate, type GateOptions, type Session, type Store } from "./index.ts";

const TOOLS = { pay: { permissions: ["write"], approval: "always" } } as const;
const KEY = new Uint8Array(32).fill(7);
const START = Date.parse("2026-11-22T08:00:00.000Z");
const MINUTE = 60_000;

interface Office {
  readonly gate: Gate;
  readonly store: Store;
  readonly time: { now: number };
  readonly ran: unknown[];
  /** Another gate on the same store, as on another machine. */
  readonly beside: (options?: Partial<GateOptions>) => Gate;
}

function openOffice(declared: PolicyDeclaration = {}, wrap = (store: Store): Store => store): Office {
  const store = wrap(createMemoryStore());
  const time = { now: START };
  const beside = (options: Partial<GateOptions> = {}): Gate =>
    createGate({
      policy: definePolicy({ tools: TOOLS, ...declared }, { version: "v1" }),
      store,
      clock: { now: () => new Date(time.now) },
      digestKey: KEY,
      ...options,
    });
  return { gate: beside(), store, time, ran: [], beside };
}

const pay = ({ ran }: Office, session: Session, amount: number, options = {}) =>
  session.call({ tool: "pay", arguments: { amount } }, () => ran.push(amount), options);

async function ask(office: Office, session: Session, amount: number): Promise<string> {
  const { approval } = await pay(office, session, amount);
  if (approval === null) throw new Error("nothing was asked");
  return approval.id;
}

const yes = { answer: "approved", by: "bo" } as const;

async function kinds(session: Session): Promise<readonly string[]> {
  return (await session.journal()).map(({ kind, data }) =>
    [kind, data.outcome ?? data.via].filter(Boolean).join(" "),
  );
}

async function other(gate: Gate, id: string): Promise<Session> {
  const session = await gate.session(id);
  if (session === null) throw new Error("no session");
  return session;
}

describe("what waits for a person", () => {
  it("is one of each session, the oldest; the others come up as it is answered (D5-queue)", async () => {
    const office = openOffice();
    const [one, two] = [await office.gate.open(), await office.gate.open()];
    const first = await ask(office, one, 1);
    const foreign = await ask(office, two, 1);
    const second = await ask(office, one, 2);
    const third = await ask(office, one, 3);
    const places = async () =>
      (await office.gate.pendingApprovals()).map(({ id, before, behind }) => [id, before, behind]);
    expect(await places()).toEqual([
      [first, 0, 2],
      [foreign, 0, 0],
      [second, 1, 1],
      [third, 2, 0],
    ]);
    await office.gate.answerApproval(first, yes);
    expect(await office.gate.approval(second)).toMatchObject({ before: 0, behind: 1 });
    await office.gate.answerApproval(second, { ...yes, answer: "denied" });
    expect(await places()).toEqual([
      [foreign, 0, 0],
      [third, 0, 0],
    ]);
    expect(await office.gate.approval(second)).toMatchObject({ outcome: "denied", by: "bo" });
  });

  it("is the same approval for the same call, written once, however often it is asked (D5-queue)", async () => {
    const office = openOffice();
    const session = await office.gate.open();
    const id = await ask(office, session, 1);
    const again = await Promise.all(Array.from({ length: 5 }, () => pay(office, session, 1)));
    expect(again.map(({ approval }) => approval?.id)).toEqual(Array(5).fill(id));
    expect(await kinds(session)).toEqual(["session-opened", "approval-requested"]);
  });

  it("is recorded as shown once, by whoever was first, also on two gates at once (D5-queue)", async () => {
    const office = openOffice();
    const session = await office.gate.open();
    const id = await ask(office, session, 1);
    const approval = { id, session: session.id };
    const another = office.beside();
    await Promise.all([
      office.gate.recordShown(approval, "console"),
      office.gate.recordShown(approval, "terminal"),
      another.recordShown(approval, "api"),
    ]);
    await office.gate.recordShown(approval, "console");
    const shown = (await kinds(session)).filter((kind) => kind.startsWith("approval-shown"));
    expect(shown).toHaveLength(1);
    await office.gate.answerApproval(id, yes);
    await office.beside().recordShown(approval, "console");
    expect((await kinds(session)).filter((kind) => kind.startsWith("approval-shown"))).toEqual(shown);
  });

  it("expires as the policy says, with one entry, and its note says when (D6-binding)", async () => {
    const office = openOffice({ approvals: { expiresSeconds: 90 } });
    const session = await office.gate.open();
    const { approval } = await pay(office, session, 1);
    expect(approval?.expiresAt).toBe(new Date(START + 90_000).toISOString());
    office.time.now += 89_999;
    expect(await office.gate.pendingApprovals()).toHaveLength(1);
    office.time.now += 1;
    const looks = await Promise.all([office.gate.pendingApprovals(), office.beside().pendingApprovals()]);
    expect(looks).toEqual([[], []]);
    await pay(office, session, 2);
    expect(await kinds(session)).toEqual([
      "session-opened",
      "approval-requested",
      "approval-ended expired",
      "approval-requested",
    ]);
    expect(await office.gate.approval(approval?.id ?? "")).toMatchObject({
      outcome: "expired",
      at: approval?.expiresAt,
    });
  });

  it("is ended by the next request of its session where nobody looked, and leaves no arguments (D6-binding)", async () => {
    const office = openOffice();
    const session = await office.gate.open();
    await ask(office, session, 771_001);
    office.time.now += 61 * MINUTE;
    await ask(office, session, 2);
    expect((await kinds(session)).filter((kind) => kind === "approval-ended expired")).toHaveLength(1);
    expect(JSON.stringify(await office.store.keptWith("", 10))).not.toContain("771001");
  });

  it("is listed as far as there is room, of each session in turn, and the rest as others are over (D5-queue)", async () => {
    const office = openOffice();
    const session = await office.gate.open();
    const long = (text: string) => ({ tool: "pay", arguments: { text: text.padEnd(250 * 1024) } });
    const asked = await session.decide(Array.from({ length: 40 }, (_, at) => long(`${at}`)));
    const ids = asked.map(({ approval }) => approval?.id ?? "");
    const other = await ask(office, await office.gate.open(), 1);
    const listed = async (): Promise<readonly string[]> =>
      (await office.gate.pendingApprovals()).map(({ id }) => id);
    expect(await listed()).toEqual([ids[0], other, ...ids.slice(1, 16)]);
    expect((await office.gate.pendingApprovals({ firstOnly: true })).map(({ id }) => id)).toEqual([
      ids[0],
      other,
    ]);
    // What isn't listed can be examined and answered all the same.
    expect(await office.gate.approval(ids[39] ?? "")).toMatchObject({ before: 39, behind: 0 });
    await office.gate.answerApproval(ids[0] ?? "", yes);
    expect(await listed()).toEqual([ids[1], other, ...ids.slice(2, 17)]);
  });

  it("is looked at without reading what waits in other sessions (D5-queue)", async () => {
    const read: string[] = [];
    const office = openOffice({}, (store) => ({
      ...store,
      kept: (session, key) => {
        read.push(session);
        return store.kept(session, key);
      },
      keptWith: (prefix, limit) => {
        read.push(...(limit > 1 ? ["all"] : []));
        return store.keptWith(prefix, limit);
      },
    }));
    const [one, two] = [await office.gate.open(), await office.gate.open()];
    await ask(office, one, 1);
    const id = await ask(office, two, 2);
    expect(await office.gate.approval(id)).toMatchObject({ id, before: 0, behind: 0 });
    expect(new Set(read)).toEqual(new Set([two.id]));
  });

  it("can be seen though the journal of another session can't be written", async () => {
    const broken = { session: "" };
    const office = openOffice({}, (store) => ({
      ...store,
      append: async (session, ...rest) => {
        if (session !== broken.session) return store.append(session, ...rest);
        throw new SluicegateError("store-failed", "The store failed.", { why: "By design.", fix: "None." });
      },
    }));
    const [bad, good] = [await office.gate.open(), await office.gate.open()];
    await ask(office, bad, 1);
    office.time.now += 30 * MINUTE;
    const id = await ask(office, good, 2);
    broken.session = bad.id;
    office.time.now += 31 * MINUTE;
    expect((await office.gate.pendingApprovals()).map((one) => one.id)).toEqual([id]);
    broken.session = "";
    expect((await office.gate.pendingApprovals()).map((one) => one.id)).toEqual([id]);
    expect(await kinds(bad)).toContain("approval-ended expired");
  });

  it("reads no journal for each approval, each time that somebody looks", async () => {
    let reads = 0;
    const office = openOffice({}, (store) => ({
      ...store,
      head: (...args) => {
        reads += 1;
        return store.head(...args);
      },
    }));
    for (let count = 0; count < 50; count += 1) await ask(office, await office.gate.open(), count);
    const look = async () => {
      for (const one of await office.gate.pendingApprovals()) await office.gate.recordShown(one, "console");
    };
    await look();
    reads = 0;
    await look();
    expect(reads).toBe(0);
  });
});

describe("an agent that gives up", () => {
  it("ends what waits of its session and nothing else, and keeps its words out of the journal (D5-queue)", async () => {
    const office = openOffice();
    const [session, foreign] = [await office.gate.open(), await office.gate.open()];
    const [waiting, kept] = [await ask(office, session, 771_001), await ask(office, foreign, 1)];
    await session.reportImpossible("The transfer was refused.");
    expect(await kinds(session)).toEqual([
      "session-opened",
      "approval-requested",
      "impossible-reported",
      "approval-ended cancelled",
    ]);
    expect(session.state.impossible).not.toBeNull();
    expect(await session.impossible()).toBe("The transfer was refused.");
    expect(JSON.stringify(await session.journal())).not.toContain("refused.");
    expect((await office.gate.pendingApprovals()).map(({ id }) => id)).toEqual([kept]);
    expect(JSON.stringify(await office.store.keptWith("", 10))).not.toContain("771001");
    expect(await office.gate.approval(waiting)).toMatchObject({ outcome: "cancelled", by: null });
    await expect(office.gate.answerApproval(waiting, yes)).rejects.toMatchObject({
      code: "approval-settled",
      why: expect.stringContaining("gave up"),
    });
    expect((await pay(office, session, 771_001)).approval?.id).not.toBe(waiting);
    expect(office.ran).toEqual([]);
  });

  it("has its words forgotten with its session", async () => {
    const office = openOffice();
    const session = await office.gate.open({ task: "Pay the invoice." });
    await session.reportImpossible("The account 771001 is unknown.");
    await office.gate.reset(session.id);
    expect(await session.impossible()).toBeNull();
    // Nor does the agent write to it again, which would keep it in the store.
    await expect(session.reportImpossible("Again.")).rejects.toMatchObject({ code: "session-closed" });
    expect(await office.gate.task(session.id)).toBeNull();
  });

  it("says of what had expired already that it expired", async () => {
    const office = openOffice();
    const session = await office.gate.open();
    const late = await ask(office, session, 1);
    office.time.now += 61 * MINUTE;
    await session.reportImpossible("Nobody answers.");
    expect(await kinds(session)).toContain("approval-ended expired");
    expect(await office.gate.approval(late)).toMatchObject({ outcome: "expired" });
  });

  it("isn't asked for again by its own call that is held (D5-queue)", async () => {
    const office = openOffice();
    const session = await office.gate.open();
    const began = Promise.withResolvers<void>();
    const held = pay(office, session, 1, { waitSeconds: 30, onWaiting: () => began.resolve() });
    await began.promise;
    await session.reportImpossible("Nobody answers.");
    expect(await held).toMatchObject({
      effect: "deny",
      reasons: [{ code: "approval-expired" }],
      approval: null,
    });
    expect((await kinds(session)).filter((kind) => kind === "approval-requested")).toHaveLength(1);
    expect(await office.gate.pendingApprovals()).toEqual([]);
    expect(office.ran).toEqual([]);
  });
});

describe("a caller that leaves while its yes is looked at", () => {
  it("uses up no yes, and its call isn't run", async () => {
    const caller = new AbortController();
    const slow = { on: false };
    const office = openOffice();
    const gate = office.beside({
      facts: () => {
        if (slow.on) caller.abort();
        return {};
      },
    });
    const session = await gate.open();
    const began = Promise.withResolvers<string>();
    const held = pay(office, session, 1, {
      waitSeconds: 30,
      signal: caller.signal,
      onWaiting: ({ approval }: { approval: { id: string } | null }) => began.resolve(approval?.id ?? ""),
    });
    const id = await began.promise;
    slow.on = true;
    await gate.answerApproval(id, yes);
    expect(await held).toMatchObject({ effect: "ask", approval: { id } });
    expect(office.ran).toEqual([]);
    expect(session.state.answers.map((answer) => answer.id)).toEqual([id]);
    slow.on = false;
    expect((await pay(office, session, 1)).effect).toBe("allow");
  });
});

describe("clocks that run apart", () => {
  /** A gate on the same store whose clock is so many minutes behind, or ahead. */
  const shifted = (office: Office, minutes: number): Gate =>
    office.beside({ clock: { now: () => new Date(office.time.now + minutes * MINUTE) } });

  it("revive no approval that has ended, nor a yes (law-7, D6-binding)", async () => {
    const office = openOffice();
    const session = await office.gate.open();
    const [waiting, granted] = [await ask(office, session, 1), await ask(office, session, 2)];
    await office.gate.answerApproval(granted, yes);
    office.time.now += 61 * MINUTE;
    expect(await office.gate.pendingApprovals()).toEqual([]);
    const behind = shifted(office, -10);
    await expect(behind.answerApproval(waiting, yes)).rejects.toMatchObject({ code: "approval-settled" });
    const there = await other(behind, session.id);
    expect((await pay(office, there, 2)).effect).toBe("ask");
    expect((await pay(office, there, 1)).effect).toBe("ask");
    expect(office.ran).toEqual([]);
  });

  it("revive nothing that has expired by what is written in other sessions (law-7, D6-binding)", async () => {
    const office = openOffice();
    const [session, busy] = [await office.gate.open(), await office.gate.open()];
    const [waiting, granted] = [await ask(office, session, 1), await ask(office, session, 2)];
    await office.gate.answerApproval(granted, yes);
    office.time.now += 61 * MINUTE;
    await busy.addDataset("crm", "internal");
    const behind = shifted(office, -10);
    expect(await behind.approval(waiting)).toMatchObject({ outcome: "expired" });
    await expect(behind.answerApproval(waiting, yes)).rejects.toMatchObject({ code: "approval-settled" });
    expect((await pay(office, await other(behind, session.id), 2)).effect).toBe("ask");
    expect(office.ran).toEqual([]);
  });

  it("revive nothing that has expired since a process behind has seen it (law-7, D6-binding)", async () => {
    const office = openOffice();
    const session = await office.gate.open();
    const behind = shifted(office, -10);
    const waiting = await ask(office, session, 1);
    await behind.catchUp();
    office.time.now += 61 * MINUTE;
    await expect(behind.answerApproval(waiting, yes)).rejects.toMatchObject({ code: "approval-settled" });
  });

  it("never let a session's time go back: what is asked for later is later in the journal", async () => {
    const office = openOffice();
    const session = await office.gate.open();
    await ask(office, session, 1);
    const behind = await other(shifted(office, -10), session.id);
    await ask(office, behind, 2);
    const times = (await behind.journal()).map(({ at }) => at);
    expect(times).toEqual([...times].sort());
    const [first, second] = behind.state.pending;
    expect(second?.expires).toBe(first?.expires);
  });

  it("let a yes expire, also where the session's time is ahead of every clock (law-7, D6-binding)", async () => {
    const office = openOffice();
    const session = await shifted(office, 1000).open();
    const here = await other(office.gate, session.id);
    await office.gate.answerApproval(await ask(office, here, 1), yes);
    office.time.now += 59 * MINUTE;
    const waiting = await ask(office, here, 2);
    office.time.now += 2 * MINUTE;
    expect((await pay(office, here, 1)).effect).toBe("ask");
    office.time.now += 59 * MINUTE;
    await expect(office.gate.answerApproval(waiting, yes)).rejects.toMatchObject({
      code: "approval-settled",
      why: expect.stringContaining("expired"),
    });
    expect(office.ran).toEqual([]);
  });

  it("end early what a clock ahead saw expire, for every gate (D6-binding)", async () => {
    const office = openOffice({ approvals: { expiresSeconds: 300 } });
    const session = await office.gate.open();
    const id = await ask(office, session, 1);
    expect(await shifted(office, 10).pendingApprovals()).toEqual([]);
    await expect(office.gate.answerApproval(id, yes)).rejects.toMatchObject({
      code: "approval-settled",
      why: expect.stringContaining("expired"),
    });
  });
});
