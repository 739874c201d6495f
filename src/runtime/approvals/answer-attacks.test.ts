/** Attacks on answers that say more than yes or no: standing approvals and edits, alone, together and with plans. */
import { describe, expect, it } from "vitest";
import { createMemoryStore, definePolicy, type PolicyDeclaration } from "../../index.ts";
import { type CallFacts, createGate, type Gate, type GateOptions, type Session } from "../index.ts";
import type { Answer } from "./answer-approval.ts";
import type { StandingRequest } from "./give-standing.ts";

const declared = {
  endorsement: "declared",
  tools: {
    pay: { permissions: ["write"], approval: "always" },
    plan: { permissions: ["write"], approval: "always" },
    log: { permissions: ["connect"], approval: "always", sink: [{ level: "public" }] },
    free: { permissions: ["write"] },
    read_crm: { permissions: ["read"], source: { level: "secret" } },
    read_mail: { permissions: ["read"], source: { level: "internal", trust: "untrusted" } },
  },
  roles: {
    clerk: { tools: ["pay", "free"] },
    intern: { tools: ["pay", "free"], approval: { free: "always" } },
  },
  rules: [
    {
      name: "odd currencies",
      effect: "ask",
      when: { when: 'args.currency == "XXX"', holds: ({ args }) => args.currency === "XXX" },
    },
    {
      name: "broken",
      effect: "ask",
      when: {
        when: "args.broken.a",
        holds: ({ args }) => {
          if (args.broken === true) throw new Error("broken");
          return false;
        },
      },
    },
  ],
} as const satisfies PolicyDeclaration;

const POLICY = definePolicy(declared, { version: "v1" });

interface Bench {
  readonly gate: Gate;
  readonly session: Session;
  readonly ran: unknown[];
}

type Arguments = Readonly<Record<string, unknown>>;

async function openBench(options: Partial<GateOptions> = {}): Promise<Bench> {
  const gate = createGate({ policy: POLICY, store: createMemoryStore(), ...options });
  return { gate, session: await gate.open({ principal: "ada" }), ran: [] };
}

const call = ({ session, ran }: Bench, args: Arguments = {}, tool = "pay") =>
  session.call({ tool, arguments: args }, (given) => ran.push(given));

const effectOf = async (bench: Bench, args: Arguments, tool?: string) =>
  (await call(bench, args, tool)).effect;

async function ask(bench: Bench, args: Arguments, tool?: string): Promise<string> {
  const { approval, effect } = await call(bench, args, tool);
  if (approval === null) throw new Error(`nothing was asked: ${effect}`);
  return approval.id;
}

const answer = ({ gate }: Bench, id: string, more: Partial<Answer> = {}) =>
  gate.answerApproval(id, { answer: "approved", by: "bo", ...more });

async function give(
  bench: Bench,
  args: Arguments,
  standing: StandingRequest,
  tool?: string,
): Promise<string> {
  const given = await answer(bench, await ask(bench, args, tool), { standing });
  await call(bench, args, tool);
  return given.standing ?? "";
}

const ANY = { arguments: { amount: { anything: true } } } as const;

async function askPlan({ session }: Bench, ...amounts: readonly number[]): Promise<string> {
  const { approval } = await session.plan(amounts.map((amount) => ({ tool: "pay", arguments: { amount } })));
  if (approval === null) throw new Error("nothing was asked");
  return approval.id;
}

const usesOf = async ({ session, gate }: Bench) => {
  const admitted = (await session.journal()).flatMap(({ kind, data }) =>
    kind === "call-admitted" ? [data] : [],
  );
  return {
    leases: admitted.filter(({ lease }) => lease !== undefined).length,
    standing: admitted.filter(({ standing }) => standing !== undefined).length,
    used: (await gate.standingApprovals()).map(({ used }) => used),
  };
};

describe("the approval of a plan", () => {
  it.each<[string, PolicyDeclaration]>([
    ["", { tools: { pay: declared.tools.pay } }],
    [", where a tool has the name `plan`", declared],
  ])("takes no edit and no standing approval, and says that it is a plan%s (X6, X19, X20)", async (_, policy) => {
    const bench = await openBench({ policy: definePolicy(policy, { version: "v1" }) });
    const id = await askPlan(bench, 1, 2);
    await expect(answer(bench, id, { arguments: { steps: [] } })).rejects.toMatchObject({
      code: "edit-refused",
      why: expect.stringContaining("plan"),
    });
    await expect(
      answer(bench, id, { standing: { arguments: { steps: { anything: true } } } }),
    ).rejects.toMatchObject({
      code: "standing-refused",
      why: expect.stringContaining("plan"),
    });
    expect(await bench.gate.standingApprovals()).toEqual([]);
    await answer(bench, id);
    expect(await effectOf(bench, { amount: 1 })).toBe("allow");
  });

  it("isn't what a tool called `plan` is approved by, nor the other way round (X6, X19)", async () => {
    const bench = await openBench();
    await give(bench, { steps: 1 }, { arguments: { steps: { anything: true } } }, "plan");
    expect(await effectOf(bench, { steps: 2 }, "plan")).toBe("allow");
    const { effect, lease } = await bench.session.plan([{ tool: "pay", arguments: { amount: 1 } }]);
    expect([effect, lease]).toEqual(["ask", null]);
    expect(await effectOf(bench, { amount: 1 })).toBe("ask");
    const edited = await ask(bench, { steps: 3, more: 1 }, "plan");
    await answer(bench, edited, { arguments: { steps: 4, more: 2 } });
    await call(bench, { steps: 3, more: 1 }, "plan");
    expect(bench.ran.at(-1)).toEqual({ steps: 4, more: 2 });
  });
});

describe("a standing approval", () => {
  it("that is revoked while calls are decided admits none after that (X19)", async () => {
    const bench = await openBench();
    const id = await give(bench, { amount: 1 }, { ...ANY, count: 100 });
    const before = bench.ran.length;
    const calls = Array.from({ length: 10 }, (_, at) => effectOf(bench, { amount: at + 10 }));
    await bench.gate.revokeStandingApproval(id, "bo");
    const effects = await Promise.all(calls);
    expect(effects.filter((effect) => effect === "allow")).toHaveLength(bench.ran.length - before);
    expect(await effectOf(bench, { amount: 99 })).toBe("ask");
    expect((await bench.gate.verify()).ok).toBe(true);
  });

  it("that is revoked between a call's facts and its decision doesn't admit it (X19)", async () => {
    let during: () => Promise<unknown> = async () => {};
    const bench = await openBench({
      facts: async (): Promise<CallFacts> => {
        await during();
        return {};
      },
    });
    const id = await give(bench, { amount: 1 }, ANY);
    during = async () => {
      during = async () => {};
      await bench.gate.revokeStandingApproval(id, "bo");
    };
    expect(await effectOf(bench, { amount: 2 })).toBe("ask");
  });

  it("doesn't count once the label was raised above its ceiling while the call was examined (X19)", async () => {
    let during: () => Promise<unknown> = async () => {};
    const bench = await openBench({
      facts: async (): Promise<CallFacts> => {
        await during();
        return {};
      },
    });
    await give(bench, { amount: 1 }, ANY);
    during = async () => {
      during = async () => {};
      await call(bench, {}, "read_crm");
    };
    expect(await effectOf(bench, { amount: 2 })).toBe("ask");
    expect(bench.ran).not.toContainEqual({ amount: 2 });
  });

  it("doesn't waive what a stricter policy or role asks for besides, nor what can't be determined (X19)", async () => {
    const bench = await openBench();
    const session = await bench.gate.open({ principal: "ada", role: "clerk" });
    await give(
      { ...bench, session },
      { amount: 1 },
      {
        arguments: { amount: { anything: true }, currency: { anything: true }, broken: { anything: true } },
        for: "principal",
      },
    );
    expect(await effectOf(bench, { amount: 2 })).toBe("allow");
    expect(await effectOf(bench, { amount: 2, currency: "XXX" })).toBe("ask");
    expect(await effectOf(bench, { amount: 2, broken: true })).toBe("ask");
    const intern = await bench.gate.open({ principal: "ada", role: "intern" });
    expect(await effectOf({ ...bench, session: intern }, { amount: 2 }, "free")).toBe("ask");
    const rule = { name: "all", effect: "ask", when: { when: "true", holds: () => true } } as const;
    bench.gate.usePolicy(definePolicy({ ...declared, rules: [rule] }, { version: "v2" }));
    expect(await effectOf(bench, { amount: 3 })).toBe("ask");
    const denies = { ...rule, effect: "deny" } as const;
    bench.gate.usePolicy(definePolicy({ ...declared, rules: [denies] }, { version: "v3" }));
    expect(await effectOf(bench, { amount: 4 })).toBe("deny");
  });

  it("for a folder covers no path in it that a link leads out of it (X19)", async () => {
    let target = "/repo/docs/drafts/a.md";
    const facts = (): CallFacts => ({ examined: { asks: [], targets: [{ path: target }] } });
    const bench = await openBench({ facts });
    await give(bench, { path: "docs/drafts/a.md" }, { arguments: { path: { prefix: "docs/drafts" } } });
    target = "/repo/docs/drafts/in/b.md";
    expect(await effectOf(bench, { path: "docs/drafts/in/b.md" })).toBe("allow");
    target = "/repo/src/b.md";
    expect(await effectOf(bench, { path: "docs/drafts/in/b.md" })).toBe("ask");
  });

  it("can't be given for a call about which a rule can't tell (X19)", async () => {
    const bench = await openBench();
    const id = await ask(bench, { amount: 1, broken: true });
    await expect(answer(bench, id, { standing: ANY })).rejects.toMatchObject({ code: "standing-refused" });
  });

  it.each<[string, unknown]>([
    ["an empty rule", {}],
    ["a rule of two kinds", { equals: 1, anything: true }],
    ["a maximum that is no number", { atMost: Number.NaN }],
    ["a maximum without bound", { atMost: Number.POSITIVE_INFINITY }],
    ["a value that JSON can't carry", { equals: undefined }],
    ["a bigint", { oneOf: [1n, 1] }],
    ["no values", { oneOf: [] }],
    ["a prefix for a number", { prefix: "1" }],
  ])("isn't given by %s, and the call still waits (X19)", async (_, rule) => {
    const bench = await openBench();
    const id = await ask(bench, { amount: 1 });
    const standing = { arguments: { amount: rule } } as unknown as StandingRequest;
    await expect(answer(bench, id, { standing })).rejects.toMatchObject({
      code: expect.stringMatching(/^(standing-refused|invalid-request|unsupported-value)$/),
    });
    expect(await bench.gate.standingApprovals()).toEqual([]);
    expect(await bench.gate.approval(id)).toMatchObject({ before: 0 });
  });
});

describe("a changed call", () => {
  const AT_90 = { amount: 90 };

  it("is written once: whoever answers later, differently or after the end, changes nothing (X20)", async () => {
    const bench = await openBench();
    const id = await ask(bench, AT_90);
    await answer(bench, id, { arguments: { amount: 9 } });
    for (const more of [{ arguments: { amount: 8 } }, { arguments: { amount: 9 } }, { standing: ANY }])
      await expect(answer(bench, id, more)).rejects.toMatchObject({ code: "approval-settled" });
    await expect(answer(bench, id, { answer: "denied", by: "eve" })).rejects.toMatchObject({
      code: "approval-settled",
    });
    await call(bench, AT_90);
    expect(bench.ran).toEqual([{ amount: 9 }]);
    // The agent's own call never runs by that yes.
    expect(await effectOf(bench, AT_90)).toBe("ask");
    expect(await effectOf(bench, { amount: 9 })).toBe("ask");
    expect(bench.ran).toHaveLength(1);
  });

  it("isn't written for a session that was closed, and of two edits at once one counts (X20)", async () => {
    const bench = await openBench();
    const id = await ask(bench, AT_90);
    const both = await Promise.allSettled(
      [8, 9].map((amount) => answer(bench, id, { arguments: { amount } })),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const first = both[0]?.status === "fulfilled" ? 8 : 9;
    await call(bench, AT_90);
    expect(bench.ran).toEqual([{ amount: first }]);
    const other = await ask(bench, { amount: 91 });
    await bench.gate.reset(bench.session.id);
    await expect(answer(bench, other, { arguments: { amount: 1 } })).rejects.toMatchObject({
      code: "approval-settled",
    });
    await expect(answer(bench, other, { standing: ANY })).rejects.toMatchObject({ code: "approval-settled" });
    expect(await bench.gate.standingApprovals()).toEqual([]);
  });

  it("may hold a rule that asked for the call, and the yes is to the changed call alone (X20)", async () => {
    const bench = await openBench();
    const asked = { amount: 1, currency: "XXX" };
    await answer(bench, await ask(bench, asked), { arguments: { amount: 2, currency: "XXX" } });
    await call(bench, asked);
    expect(bench.ran).toEqual([{ amount: 2, currency: "XXX" }]);
    expect(await effectOf(bench, { amount: 3, currency: "XXX" })).toBe("ask");
    const plain = await ask(bench, { amount: 5 });
    await expect(answer(bench, plain, { arguments: asked })).rejects.toMatchObject({ code: "edit-refused" });
  });

  it("is refused where the label may not go to what it would reach (X20)", async () => {
    const bench = await openBench();
    const id = await ask(bench, { text: "a" }, "log");
    await call(bench, {}, "read_crm");
    await expect(answer(bench, id, { arguments: { text: "b" } })).rejects.toMatchObject({
      code: "edit-refused",
    });
    expect(await effectOf(bench, { text: "a" }, "log")).toBe("deny");
  });

  it.each<[string, unknown]>([
    ["too long to be kept", { text: "x".repeat(9_000_000) }],
    ["no JSON", { amount: Number.NaN }],
    ["nested without end", Array.from({ length: 200 }).reduce((inner) => ({ inner }), {})],
    ["a list", [1]],
  ])("is refused where it is %s, and the approval still waits (X20)", async (_, args) => {
    const bench = await openBench();
    const id = await ask(bench, AT_90);
    await expect(answer(bench, id, { arguments: args as Arguments })).rejects.toMatchObject({
      code: expect.stringMatching(/^(edit-refused|invalid-request|unsupported-value)$/),
    });
    expect(await bench.gate.approval(id)).toMatchObject({ before: 0 });
  });
});

describe("a plan beside other answers", () => {
  it("and a standing approval that both cover a call: the plan's step is used up, and nothing else (X6, X19)", async () => {
    const bench = await openBench();
    await give(bench, { amount: 9 }, ANY);
    await answer(bench, await askPlan(bench, 1));
    expect(await effectOf(bench, { amount: 1 })).toBe("allow");
    expect(await usesOf(bench)).toEqual({ leases: 1, standing: 0, used: [0] });
    expect(await effectOf(bench, { amount: 1 })).toBe("allow");
    expect(await usesOf(bench)).toEqual({ leases: 1, standing: 1, used: [1] });
  });

  it("and a changed call: what runs is what the person wrote, and the step is left (X6, X20)", async () => {
    const bench = await openBench();
    const single = await ask(bench, { amount: 1 });
    await answer(bench, await askPlan(bench, 1, 2));
    await answer(bench, single, { arguments: { amount: 7 } });
    await call(bench, { amount: 1 });
    expect(bench.ran).toEqual([{ amount: 7 }]);
    expect(await usesOf(bench)).toMatchObject({ leases: 0 });
    await call(bench, { amount: 1 });
    expect(bench.ran).toEqual([{ amount: 7 }, { amount: 1 }]);
    expect(await effectOf(bench, { amount: 1 })).toBe("ask");
  });

  it("and an edit and a standing approval: the person's change comes first (X19, X20)", async () => {
    const bench = await openBench();
    const single = await ask(bench, { amount: 1 });
    await give(bench, { amount: 9 }, ANY);
    await answer(bench, single, { arguments: { amount: 7 } });
    bench.ran.length = 0;
    await call(bench, { amount: 1 });
    expect(bench.ran).toEqual([{ amount: 7 }]);
    expect(await usesOf(bench)).toMatchObject({ standing: 0 });
  });
});
