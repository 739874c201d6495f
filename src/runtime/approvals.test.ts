import { describe, expect, it } from "vitest";
import { createMemoryStore, definePolicy, type PolicyDeclaration, SluicegateError } from "../index.ts";
import { type Clock, createGate, type Gate, type GateOptions, type Session, type Store } from "./index.ts";

const OFFICE: PolicyDeclaration = {
  tools: {
    pay: { permissions: ["write"], source: { level: "internal" }, approval: "always" },
    give: { permissions: ["write"], approval: "always" },
    post: { permissions: ["connect"], approval: "always" },
    read_secret: { permissions: ["read"], source: { level: "secret" } },
  },
};

const KEY = new Uint8Array(32).fill(7);
const START = Date.parse("2026-11-22T08:00:00.000Z");

interface Office {
  readonly gate: Gate;
  readonly session: Session;
  readonly store: Store;
  readonly time: { now: number };
  /** What really ran. */
  readonly ran: unknown[];
  readonly restart: (options?: Partial<GateOptions>) => Gate;
}

async function openOffice(wrap: (store: Store) => Store = (store) => store): Promise<Office> {
  const store = wrap(createMemoryStore());
  const time = { now: START };
  const clock: Clock = { now: () => new Date(time.now) };
  const restart = (options: Partial<GateOptions> = {}) =>
    createGate({
      policy: definePolicy(OFFICE, { version: "v1" }),
      store,
      clock,
      digestKey: KEY,
      approvalSeconds: 60,
      ...options,
    });
  const gate = restart();
  return { gate, session: await gate.open({ principal: "ada" }), store, time, ran: [], restart };
}

const pay = (office: Office, amount: number, session = office.session, tool = "pay") =>
  session.call({ tool, arguments: { amount } }, (args) => office.ran.push([tool, args.amount]));

async function ask(office: Office, amount: number): Promise<string> {
  const { approval } = await pay(office, amount);
  if (approval === null) throw new Error("nothing was asked");
  return approval.id;
}

const yes = (by = "bo") => ({ answer: "approved", by }) as const;
const no = (by = "bo") => ({ answer: "denied", by }) as const;

describe("an approval", () => {
  it("admits the very call once, which uses it up in the same entry and raises the session (law-7, D6-binding)", async () => {
    const office = await openOffice();
    const id = await ask(office, 5);
    expect(office.session.label.level).toBe("public");
    expect(await office.gate.answerApproval(id, yes())).toMatchObject({
      id,
      session: office.session.id,
      outcome: "approved",
      by: "bo",
    });
    expect(await pay(office, 5)).toMatchObject({
      effect: "allow",
      raises: { level: "internal" },
      approval: null,
    });
    const entries = await office.session.journal();
    expect(entries.find(({ kind }) => kind === "approval-answered")?.data).toMatchObject({
      approval: id,
      answer: "approved",
      by: "bo",
    });
    expect(entries.find(({ kind }) => kind === "call-admitted")?.data.approval).toBe(id);
    expect(await pay(office, 5)).toMatchObject({ effect: "ask" });
    expect(office.ran).toEqual([["pay", 5]]);
  });

  it("reaches no other arguments, tool, session or policy version (law-7, D6-binding)", async () => {
    const office = await openOffice();
    await office.gate.answerApproval(await ask(office, 5), yes());
    expect((await pay(office, 6)).effect).toBe("ask");
    expect((await pay(office, 5, office.session, "give")).effect).toBe("ask");
    const other = await office.gate.open({ principal: "ada" });
    expect((await pay(office, 5, other)).effect).toBe("ask");
    office.gate.usePolicy(definePolicy(OFFICE, { version: "v2" }));
    expect((await pay(office, 5)).effect).toBe("ask");
    expect(office.ran).toEqual([]);
    office.gate.usePolicy(definePolicy(OFFICE, { version: "v1" }));
    expect((await pay(office, 5)).effect).toBe("allow");
  });

  it("is void under another policy, and a tightened one is another (D6-binding)", async () => {
    const office = await openOffice();
    const id = await ask(office, 5);
    const tighter = office.restart({ toolPolicy: { deniedTools: ["post"] } });
    await expect(tighter.answerApproval(id, yes())).rejects.toMatchObject({
      code: "approval-settled",
      why: expect.stringContaining("policy has changed"),
    });
    expect(await tighter.pendingApprovals()).toEqual([]);
    expect((await office.gate.pendingApprovals()).map((one) => one.id)).toEqual([id]);
  });

  it("that was denied is told to the same call, and the person's words stand in the journal (law-7)", async () => {
    const office = await openOffice();
    const id = await ask(office, 5);
    await office.gate.answerApproval(id, { ...no(), why: "wrong account" });
    const refused = await pay(office, 5);
    expect(refused).toMatchObject({ effect: "deny", reasons: [{ code: "approval-denied" }], approval: null });
    expect(refused.reasons[0]?.message).toContain("said no");
    const entries = await office.session.journal();
    expect(entries.find(({ kind }) => kind === "approval-answered")?.data.why).toBe("wrong account");
    expect(office.ran).toEqual([]);
  });

  it("takes a double click for one, and tells whoever comes later what was decided (D6-binding)", async () => {
    const office = await openOffice();
    const id = await ask(office, 5);
    const first = await office.gate.answerApproval(id, yes());
    expect(await office.gate.answerApproval(id, yes())).toEqual(first);
    for (const late of [no(), yes("cy"), no("cy")]) {
      await expect(office.gate.answerApproval(id, late)).rejects.toMatchObject({
        code: "approval-settled",
        why: expect.stringContaining("It was approved by `bo`"),
      });
    }
    await pay(office, 5);
    expect(await office.gate.answerApproval(id, yes())).toEqual(first);
    expect((await pay(office, 5)).effect).toBe("ask");
  });

  it("has one winner where two gates answer at once (D6-binding, law-7)", async () => {
    for (let round = 0; round < 20; round += 1) {
      const office = await openOffice();
      const id = await ask(office, round);
      const other = office.restart();
      const answers = await Promise.allSettled([
        office.gate.answerApproval(id, yes("bo")),
        other.answerApproval(id, no("cy")),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      const kinds = (await office.session.journal()).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === "approval-answered")).toHaveLength(1);
    }
  });

  it("admits one of many that call at once (law-7)", async () => {
    const office = await openOffice();
    await office.gate.answerApproval(await ask(office, 5), yes());
    const twin = await office.restart().session(office.session.id);
    if (twin === null) throw new Error("no session");
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => pay(office, 5, index % 2 === 0 ? office.session : twin)),
    );
    expect(outcomes.filter(({ effect }) => effect === "allow")).toHaveLength(1);
    expect(office.ran).toEqual([["pay", 5]]);
  });

  it("expires: a late answer is refused, an unused grant admits nothing (D6-binding)", async () => {
    const office = await openOffice();
    const [late, unused] = [await ask(office, 1), await ask(office, 2)];
    await office.gate.answerApproval(unused, yes());
    office.time.now += 60_000;
    await expect(office.gate.answerApproval(late, yes())).rejects.toMatchObject({
      code: "approval-settled",
      why: expect.stringContaining("expired"),
    });
    for (const amount of [1, 2]) expect((await pay(office, amount)).effect).toBe("ask");
    await expect(office.gate.answerApproval(late, yes())).rejects.toMatchObject({ code: "approval-settled" });
    expect(office.ran).toEqual([]);
  });

  it("survives a restart before its answer and after it (D6-binding)", async () => {
    const office = await openOffice();
    const id = await ask(office, 5);
    await office.restart().answerApproval(id, yes());
    const later = office.restart();
    const session = await later.session(office.session.id);
    if (session === null) throw new Error("no session");
    expect((await pay(office, 5, session)).effect).toBe("allow");
    expect(await later.answerApproval(id, yes())).toMatchObject({ outcome: "approved" });
    const last = await office.restart().session(office.session.id);
    expect(last && (await pay(office, 5, last)).effect).toBe("ask");
    expect(office.ran).toEqual([["pay", 5]]);
  });

  it("loses to what shut the way meanwhile, and isn't used up by that", async () => {
    const office = await openOffice();
    const { approval } = await pay(office, 5, office.session, "post");
    await office.gate.answerApproval(approval?.id ?? "", yes());
    await office.session.call({ tool: "read_secret" }, () => "secret");
    expect(await pay(office, 5, office.session, "post")).toMatchObject({
      effect: "deny",
      reasons: [{ code: "flow-blocked" }],
    });
    expect(office.session.state.answers).toHaveLength(1);
    expect(office.ran).toEqual([]);
  });

  it("ends with its session", async () => {
    const office = await openOffice();
    const [open, approved] = [await ask(office, 1), await ask(office, 2)];
    await office.gate.answerApproval(approved, yes());
    await office.gate.reset(office.session.id);
    await expect(office.gate.answerApproval(open, yes())).rejects.toMatchObject({
      code: "approval-settled",
      why: expect.stringContaining("session was closed"),
    });
    expect((await pay(office, 2)).reasons[0]?.code).toBe("session-closed");
    expect(office.ran).toEqual([]);
  });

  it("isn't known by a made-up id, nor by a part of one", async () => {
    const office = await openOffice();
    const id = await ask(office, 5);
    for (const wrong of ["", "appr_", id.slice(0, -1), `appr_${"0".repeat(32)}`, "ended-approval:", "%"]) {
      await expect(office.gate.answerApproval(wrong, yes())).rejects.toMatchObject({
        code: "approval-not-found",
      });
    }
  });

  it("leaves none of its arguments behind once it is over", async () => {
    const office = await openOffice();
    const ids = [await ask(office, 771_001), await ask(office, 771_002), await ask(office, 771_003)];
    await office.gate.answerApproval(ids[0] ?? "", yes());
    await office.gate.answerApproval(ids[1] ?? "", no());
    office.time.now += 60_000;
    await office.gate.pendingApprovals();
    const kept = JSON.stringify(await office.store.keptWith("", 100));
    expect(kept).not.toContain("77100");
    expect(kept.match(/outcome/g)).toHaveLength(3);
  });
});

const broken = () =>
  new SluicegateError("store-failed", "The store failed.", { why: "By design.", fix: "None." });

/** A store whose appends of one kind fail: before they are made, or after. */
function failingOn(kind: string, when: "before" | "after") {
  const switched = { on: true };
  const wrap = (store: Store): Store => ({
    ...store,
    append: async (session, version, entries, ...rest) => {
      const hit = switched.on && entries.some((entry) => entry.kind === kind);
      if (hit && when === "before") throw broken();
      const result = await store.append(session, version, entries, ...rest);
      if (hit) throw broken();
      return result;
    },
  });
  return { wrap, switched };
}

describe("where the store fails", () => {
  it.each([
    "before",
    "after",
  ] as const)("tells that an answer may not count, and admits at most once (%s it is written; law-7)", async (when) => {
    const { wrap, switched } = failingOn("approval-answered", when);
    const office = await openOffice(wrap);
    const id = await ask(office, 5);
    await expect(office.gate.answerApproval(id, yes())).rejects.toMatchObject({ code: "store-failed" });
    switched.on = false;
    expect(await office.gate.answerApproval(id, yes())).toMatchObject({ outcome: "approved" });
    expect((await pay(office, 5)).effect).toBe("allow");
    expect((await pay(office, 5)).effect).toBe("ask");
    expect(office.ran).toHaveLength(1);
  });

  it.each([
    "before",
    "after",
  ] as const)("runs nothing whose admission isn't known to be written, and at most once after it (%s it is written; law-7)", async (when) => {
    const { wrap, switched } = failingOn("call-admitted", when);
    const office = await openOffice(wrap);
    await office.gate.answerApproval(await ask(office, 5), yes());
    await expect(pay(office, 5)).rejects.toMatchObject({ code: "store-failed" });
    expect(office.ran).toEqual([]);
    switched.on = false;
    await pay(office, 5);
    await pay(office, 5);
    expect(office.ran.length).toBe(when === "before" ? 1 : 0);
  });
});

describe("a call that is held", () => {
  const held = (office: Office, amount: number, signal?: AbortSignal, waitSeconds = 30) =>
    office.session.call({ tool: "pay", arguments: { amount } }, () => office.ran.push(amount), {
      waitSeconds,
      ...(signal && { signal }),
    });

  /** Resolves with the approval of a call once that is durable. */
  const askedFor = async (office: Office, count = 1): Promise<string> => {
    for (;;) {
      const approvals = await office.gate.pendingApprovals();
      const last = approvals.at(-1);
      if (approvals.length >= count && last) return last.id;
      await new Promise((done) => setImmediate(done));
    }
  };

  it("runs as soon as it is approved, once", async () => {
    const office = await openOffice();
    const waiting = held(office, 5);
    await office.gate.answerApproval(await askedFor(office), yes());
    expect(await waiting).toMatchObject({ effect: "allow", result: 1 });
    expect(office.ran).toEqual([5]);
  });

  it("leaves room for the calls of other sessions: what comes beyond that is answered at once", async () => {
    const office = await openOffice();
    const caller = new AbortController();
    const many = Array.from({ length: 100 }, () => held(office, 5, caller.signal));
    await askedFor(office);
    const heldNow: string[] = [];
    const holdBriefly = (session: Session): Promise<unknown> =>
      session.call({ tool: "pay", arguments: { amount: 5 } }, () => 6, {
        waitSeconds: 0.01,
        onWaiting: () => heldNow.push(session.id),
      });
    const other = await office.gate.open();
    expect(await holdBriefly(office.session)).toMatchObject({ effect: "ask" });
    expect(await holdBriefly(other)).toMatchObject({ effect: "ask" });
    expect(heldNow).toEqual([other.id]);
    caller.abort();
    await Promise.all(many);
    expect(office.ran).toEqual([]);
  });

  it("is told of a no, also one that another gate wrote", async () => {
    const office = await openOffice();
    const [here, elsewhere] = [held(office, 1), held(office, 2)];
    await askedFor(office, 2);
    const [first, second] = await office.gate.pendingApprovals();
    await office.gate.answerApproval(first?.id ?? "", no());
    await office.restart().answerApproval(second?.id ?? "", no());
    for (const outcome of await Promise.all([here, elsewhere])) {
      expect(outcome).toMatchObject({ effect: "deny", reasons: [{ code: "approval-denied" }] });
    }
    expect(office.ran).toEqual([]);
  });

  it("isn't run where its caller left, though it is approved", async () => {
    const office = await openOffice();
    const caller = new AbortController();
    const waiting = held(office, 5, caller.signal);
    const id = await askedFor(office);
    caller.abort();
    await office.gate.answerApproval(id, yes());
    expect(await waiting).toMatchObject({ effect: "ask" });
    expect(office.ran).toEqual([]);
  });

  it("still asks when its time is up, and is told where its approval expired", async () => {
    const office = await openOffice();
    expect(await held(office, 5, undefined, 0.02)).toMatchObject({
      effect: "ask",
      approval: { status: "pending" },
    });
    const waiting = held(office, 6);
    await askedFor(office, 2);
    office.time.now += 60_000;
    expect(await waiting).toMatchObject({ effect: "deny", reasons: [{ code: "approval-expired" }] });
    expect((await pay(office, 5)).effect).toBe("ask");
    expect(office.ran).toEqual([]);
  });

  it("shares an approval with its twin, and only one of them runs", async () => {
    const office = await openOffice();
    const twins = [held(office, 5), held(office, 5)];
    const id = await askedFor(office);
    await office.gate.answerApproval(id, yes());
    await Promise.race(twins);
    const next = await askedFor(office);
    expect(next).not.toBe(id);
    await office.gate.answerApproval(next, no());
    expect((await Promise.all(twins)).map(({ effect }) => effect).sort()).toEqual(["allow", "deny"]);
    expect(office.ran).toEqual([5]);
  });
});
