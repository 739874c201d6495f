import { describe, expect, it } from "vitest";
import { createMemoryStore, definePolicy, type PlannedCall, type PolicyDeclaration } from "../index.ts";
import { type Clock, createGate, type Gate, type GateOptions, type Session } from "./index.ts";

const OFFICE: PolicyDeclaration = {
  endorsement: "strict",
  tools: {
    read_mail: { permissions: ["read"], source: { level: "internal", trust: "untrusted" } },
    read_docs: { permissions: ["read"], source: { level: "internal" } },
    read_vault: { permissions: ["read"], source: { level: "secret", trust: "untrusted" } },
    send: { permissions: ["connect"], sink: [{ level: "secret" }], critical: ["to"], payload: ["body"] },
    post: { permissions: ["connect"], sink: [{ level: "public", trust: "untrusted" }], onViolation: "ask" },
    web: { permissions: ["connect"], sink: [{ level: "public" }] },
    pay: { permissions: ["write"], approval: "always" },
  },
};

const START = Date.parse("2026-11-22T08:00:00.000Z");

interface Office {
  readonly gate: Gate;
  readonly session: Session;
  readonly time: { now: number };
  readonly ran: string[];
  readonly restart: (options?: Partial<GateOptions>) => Gate;
}

async function openOffice(task = "Send the minutes to ada@acme.example"): Promise<Office> {
  const store = createMemoryStore();
  const time = { now: START };
  const clock: Clock = { now: () => new Date(time.now) };
  const restart = (options: Partial<GateOptions> = {}) =>
    createGate({
      policy: definePolicy(OFFICE, { version: "v1" }),
      store,
      clock,
      digestKey: new Uint8Array(32).fill(7),
      approvalSeconds: 60,
      ...options,
    });
  const gate = restart();
  return { gate, session: await gate.open({ principal: "ada", task }), time, ran: [], restart };
}

const MAIL = { to: "bo@acme.example", body: "Minutes" };
const PLAN: readonly PlannedCall[] = [
  { id: "mail", tool: "read_mail", arguments: {} },
  { id: "send", tool: "send", arguments: MAIL },
  { id: "pay", tool: "pay", arguments: { amount: 5 }, after: ["send"] },
];

const call = ({ session, ran }: Office, tool: string, args: Record<string, unknown> = {}, by = session) =>
  by.call({ tool, arguments: args }, () => ran.push(tool));

const effectOf = async (office: Office, tool: string, args: Record<string, unknown> = {}, by?: Session) =>
  (await call(office, tool, args, by)).effect;

/** Asks for a plan, and has a person approve it. */
async function approve(office: Office, plan: readonly PlannedCall[] = PLAN): Promise<string> {
  const { approval, ...rest } = await office.session.plan(plan);
  if (approval === null) throw new Error(`nothing was asked: ${rest.effect}, ${rest.reasons.join()}`);
  await office.gate.answerApproval(approval.id, { answer: "approved", by: "bo" });
  return approval.id;
}

const admitted = async ({ session }: Office) =>
  (await session.journal()).flatMap(({ kind, data }) => (kind === "call-admitted" ? [data.lease] : []));

describe("a plan", () => {
  it("that needs nobody is allowed at once, and nothing is asked or written (X6)", async () => {
    const office = await openOffice();
    const before = (await office.session.journal()).length;
    const plan = await office.session.plan([{ tool: "web", arguments: {} }, "read_docs"]);
    expect(plan).toMatchObject({ effect: "allow", approval: null, lease: null, asksLater: [], questions: 0 });
    expect(await office.session.journal()).toHaveLength(before);
  });

  it("has one bound for all that its conditions cost (X6)", async () => {
    const metered: boolean[] = [];
    const holds = (_: unknown, meter?: unknown) => metered.push(meter !== undefined) > 0;
    const tools = {
      ...OFFICE.tools,
      pay: { permissions: ["write"], approval: { when: "paid", holds } },
    } as const;
    const gate = createGate({ policy: definePolicy({ ...OFFICE, tools }), store: createMemoryStore() });
    const session = await gate.open();
    expect((await session.plan([{ tool: "pay", arguments: {} }])).effect).toBe("ask");
    expect(metered.length).toBeGreaterThan(0);
    expect(metered).not.toContain(false);
  });

  it("that would be blocked is denied with its reasons, and asks nobody (X6)", async () => {
    const office = await openOffice();
    const plan = await office.session.plan(["read_docs", "web", "pay"]);
    expect(plan).toMatchObject({ effect: "deny", approval: null, safeOrdering: ["web", "read_docs", "pay"] });
    expect(plan.reasons).toEqual([
      "Step 1: `web` is blocked after `read_docs` (step 0) loads internal data.",
    ]);
    expect(await office.gate.pendingApprovals()).toEqual([]);
  });

  it("is one approval, which shows each call with its label and why it asks (X6, X5)", async () => {
    const office = await openOffice();
    const { effect, approval, questions } = await office.session.plan(PLAN);
    expect({ effect, questions }).toEqual({ effect: "ask", questions: 2 });
    const [shown, ...others] = await office.gate.pendingApprovals();
    expect(others).toEqual([]);
    expect(shown).toMatchObject({
      id: approval?.id,
      tool: "plan",
      release: false,
      arguments: {
        steps: [
          { step: 0, tool: "read_mail", before: "public data (trusted)", asks: "nobody", arguments: {} },
          { step: 1, tool: "send", before: "internal data (untrusted)", asks: "now", arguments: MAIL },
          { step: 2, tool: "pay", arguments: { amount: 5 }, waits_for: [1] },
        ],
      },
      plan: { steps: 3, asking: 2 },
    });
    expect(shown?.why.join("\n")).toContain("bo@acme.example");
    expect(shown?.why.at(-1)).toMatch(/^Step 2: /);
  });

  it("that is approved runs its calls without asking, each once (X6)", async () => {
    const office = await openOffice();
    const id = await approve(office);
    expect(await office.session.plan(PLAN)).toMatchObject({
      effect: "allow",
      lease: { approval: id, left: [0, 1, 2] },
    });
    expect(await effectOf(office, "read_mail")).toBe("allow");
    expect(await effectOf(office, "send", { body: MAIL.body, to: MAIL.to })).toBe("allow");
    expect(await effectOf(office, "pay", { amount: 5 })).toBe("allow");
    expect(await admitted(office)).toEqual([0, 1, 2].map((step) => ({ approval: id, step })));
    expect(await effectOf(office, "send", MAIL)).toBe("ask");
    expect(await effectOf(office, "pay", { amount: 5 })).toBe("ask");
    expect(office.ran).toEqual(["read_mail", "send", "pay"]);
  });

  it("sent again while it waits gets the same approval, and once denied it is denied (X6)", async () => {
    const office = await openOffice();
    const first = await office.session.plan(PLAN);
    expect((await office.session.plan(PLAN)).approval).toEqual(first.approval);
    await office.gate.answerApproval(first.approval?.id ?? "", { answer: "denied", by: "bo" });
    const again = await office.session.plan(PLAN);
    expect(again).toMatchObject({ effect: "deny", approval: null });
    expect(again.reasons.join()).toContain("A person denied this plan.");
    expect(await effectOf(office, "pay", { amount: 5 })).toBe("ask");
  });

  it("leaves steps whose arguments it doesn't say to ask by themselves (X6)", async () => {
    const office = await openOffice();
    expect(await office.session.plan(["pay"])).toMatchObject({
      effect: "allow",
      approval: null,
      asksLater: [0],
    });
    const mixed = ["pay", { tool: "pay", arguments: { amount: 1 } }];
    expect(await office.session.plan(mixed)).toMatchObject({ effect: "ask", asksLater: [0] });
    await approve(office, mixed);
    expect(await effectOf(office, "pay", { amount: 2 })).toBe("ask");
    expect(await effectOf(office, "pay", { amount: 1 })).toBe("allow");
  });

  it("survives a restart, and is gone with its session (X6, X15-approvals)", async () => {
    const office = await openOffice();
    await approve(office, [{ tool: "pay", arguments: { amount: 5 } }]);
    const session = await office.restart().session(office.session.id);
    if (session === null) throw new Error("the session is gone");
    expect(session.state.leases).toHaveLength(1);
    const successor = await office.gate.reset(office.session.id);
    expect(await effectOf(office, "pay", { amount: 5 })).toBe("deny");
    expect(await effectOf(office, "pay", { amount: 5 }, successor)).toBe("ask");
    expect(office.ran).toEqual([]);
  });
});

describe("a call departs from an approved plan", () => {
  const departures: readonly [string, string, Record<string, unknown>][] = [
    ["another case", "send", { ...MAIL, to: "Bo@acme.example" }],
    ["one more argument", "send", { ...MAIL, cc: "" }],
    ["a missing argument", "send", { to: MAIL.to }],
    ["an argument of another type", "pay", { amount: "5" }],
    ["another number", "pay", { amount: 5.000001 }],
    ["another tool", "post", MAIL],
  ];
  it.each(departures)("with %s, which asks, and leaves the lease as it was (X6)", async (_, tool, args) => {
    const office = await openOffice();
    await approve(office);
    await call(office, "read_mail");
    expect(await effectOf(office, tool, args)).toBe("ask");
    expect(office.session.state.leases[0]?.used).toEqual([0]);
    expect(await effectOf(office, "send", MAIL)).toBe("allow");
  });

  it("not with another order of keys, nor with -0 for 0 (X6)", async () => {
    const office = await openOffice();
    await approve(office, [{ tool: "pay", arguments: { amount: 0, to: "bo" } }]);
    expect(await effectOf(office, "pay", { to: "bo", amount: -0 })).toBe("allow");
  });

  it("before the steps that it comes after (X6)", async () => {
    const office = await openOffice();
    await approve(office);
    expect(await effectOf(office, "pay", { amount: 5 })).toBe("ask");
    await call(office, "read_mail");
    expect(await effectOf(office, "send", MAIL)).toBe("allow");
    expect(await effectOf(office, "pay", { amount: 5 })).toBe("allow");
  });

  it("not where it comes earlier and nothing holds it back (X6)", async () => {
    const office = await openOffice();
    await approve(office, [PLAN[0] ?? "", { tool: "pay", arguments: { amount: 5 } }]);
    expect(await effectOf(office, "pay", { amount: 5 })).toBe("allow");
  });

  it("once the session holds more than was shown (X6)", async () => {
    const office = await openOffice();
    await approve(office);
    await call(office, "read_mail");
    await call(office, "read_vault");
    expect(await effectOf(office, "send", MAIL)).toBe("ask");
  });

  it("where it asks for a reason that wasn't shown (X6)", async () => {
    const office = await openOffice();
    await approve(office, ["read_docs", { tool: "post", arguments: {} }, { tool: "pay", arguments: {} }]);
    // Nothing was read, so nothing is released; after the mail the words don't cover it either.
    await call(office, "read_mail");
    expect(await effectOf(office, "post")).toBe("ask");
    expect(await effectOf(office, "pay")).toBe("ask");
  });

  it("in another session, and in a fork (X6)", async () => {
    const office = await openOffice();
    await approve(office, [{ tool: "pay", arguments: {} }]);
    expect(await effectOf(office, "pay", {}, await office.gate.open({ principal: "ada" }))).toBe("ask");
    expect(await effectOf(office, "pay", {}, await office.session.fork())).toBe("ask");
    expect(await effectOf(office, "pay")).toBe("allow");
  });

  it("once the plan has expired (X6)", async () => {
    const office = await openOffice();
    await approve(office, [{ tool: "pay", arguments: {} }]);
    office.time.now += 61_000;
    expect(await effectOf(office, "pay")).toBe("ask");
  });

  it("under another policy, and no lease lifts a denial (X6)", async () => {
    const office = await openOffice();
    await approve(office, [{ tool: "pay", arguments: {} }]);
    const tools = {
      ...OFFICE.tools,
      pay: { permissions: ["write"], approval: "always", tags: ["x"] },
    } as const;
    office.gate.usePolicy(definePolicy({ ...OFFICE, tools }, { version: "v2" }));
    expect(await effectOf(office, "pay")).toBe("ask");
    office.gate.usePolicy(definePolicy({ ...OFFICE, policy: { deniedTools: ["pay"] } }, { version: "v1" }));
    expect(await effectOf(office, "pay")).toBe("deny");
  });

  it("once the agent has given up (X6)", async () => {
    const office = await openOffice();
    await approve(office, [{ tool: "pay", arguments: {} }]);
    await office.session.reportImpossible("It can't be done.");
    expect(await effectOf(office, "pay")).toBe("ask");
  });
});

describe("a lease", () => {
  it("is used by one of two calls at once, also of two processes (X6, law-7)", async () => {
    const office = await openOffice();
    await approve(office, [{ tool: "pay", arguments: {} }]);
    const other = await office.restart().session(office.session.id);
    const effects = await Promise.all([
      effectOf(office, "pay"),
      effectOf(office, "pay"),
      effectOf(office, "pay", {}, other ?? undefined),
    ]);
    expect(effects.toSorted()).toEqual(["allow", "ask", "ask"]);
  });

  it("has one use for each of two equal steps (X6)", async () => {
    const office = await openOffice();
    const step = { tool: "pay", arguments: {} };
    await approve(office, [step, step]);
    const effects = [
      await effectOf(office, "pay"),
      await effectOf(office, "pay"),
      await effectOf(office, "pay"),
    ];
    expect(effects).toEqual(["allow", "allow", "ask"]);
  });

  it("has its step used up by a call that needs no yes any more (X6)", async () => {
    const office = await openOffice();
    await approve(office, PLAN.slice(0, 2));
    await call(office, "read_mail");
    await office.session.say("Send it to bo@acme.example as well");
    expect(await effectOf(office, "send", MAIL)).toBe("allow");
    expect(office.session.state.leases[0]?.used).toEqual([0, 1]);
  });

  it("answers a release at the label that was shown, or below it (X6)", async () => {
    const plan = ["read_docs", { tool: "post", arguments: { text: "x" } }];
    const office = await openOffice();
    const { approval } = await office.session.plan(plan);
    expect(await office.gate.pendingApprovals()).toMatchObject([{ release: true }]);
    await expect(
      office.gate.answerApproval(approval?.id ?? "", { answer: "approved", by: "ada", via: "client" }),
    ).rejects.toMatchObject({ code: "forbidden" });
    await office.gate.answerApproval(approval?.id ?? "", { answer: "approved", by: "bo" });
    await call(office, "read_docs");
    expect(await effectOf(office, "post", { text: "y" })).toBe("ask");
    expect(await effectOf(office, "post", { text: "x" })).toBe("allow");
    const releases = (await office.session.journal()).flatMap(({ data }) => data.release ?? []);
    expect(releases).toContain(true);
  });

  it("is unavailable for more calls than a person can be shown (X6)", async () => {
    const { session } = await openOffice();
    const many = Array.from({ length: 10_000 }, () => ({ tool: "pay", arguments: {} }));
    await expect(session.plan(many)).rejects.toMatchObject({ code: "limit-reached" });
  });
});
