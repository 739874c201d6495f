/** "Yes, and calls like this": what a standing approval admits without another question, and what it doesn't. */
import { describe, expect, it } from "vitest";
import { createMemoryStore, definePolicy } from "../../index.ts";
import {
  type CallFacts,
  createGate,
  type Gate,
  type GateOptions,
  type Session,
  type Store,
} from "../index.ts";
import type { StandingRequest } from "./give-standing.ts";

const declared = (approval: "always" | "never" = "always") =>
  ({
    endorsement: "declared",
    tools: {
      pay: { permissions: ["write"], approval },
      set_key: { permissions: ["write"], approval, critical: ["api_key"] },
      post: { permissions: ["connect"], onViolation: "ask" },
      read_mail: { permissions: ["read"], source: { level: "internal", trust: "untrusted" } },
      read_crm: { permissions: ["read"], source: { level: "secret" } },
    },
    roles: { clerk: { tools: ["pay", "read_mail", "read_crm", "post"] } },
  }) as const;

const POLICY = definePolicy(declared(), { version: "v1" });

interface Bench {
  readonly gate: Gate;
  readonly session: Session;
  readonly ran: unknown[];
}

async function openBench(options: Partial<GateOptions> = {}): Promise<Bench> {
  const gate = createGate({ policy: POLICY, store: createMemoryStore(), ...options });
  return { gate, session: await gate.open({ principal: "ada" }), ran: [] };
}

type Arguments = Readonly<Record<string, unknown>>;

const call = ({ session, ran }: Bench, args: Arguments, tool = "pay") =>
  session.call({ tool, arguments: args }, (given) => ran.push(given));

const effectOf = async (bench: Bench, args: Arguments, tool = "pay") =>
  (await call(bench, args, tool)).effect;

async function give(bench: Bench, args: Arguments, standing: StandingRequest, tool = "pay"): Promise<string> {
  const { approval } = await call(bench, args, tool);
  const answer = { answer: "approved", by: "bo", standing } as const;
  const answered = await bench.gate.answerApproval(approval?.id ?? "", answer);
  // The yes to the call itself.
  await call(bench, args, tool);
  return answered.standing ?? "";
}

const TO_ADA = { to: "ada", amount: 5 };

describe("a standing approval", () => {
  it("admits calls like the one that was approved, as many as it says, each written under its id (X19)", async () => {
    const bench = await openBench();
    const id = await give(bench, TO_ADA, { arguments: { amount: { atMost: 10 } }, count: 2 });
    expect(await effectOf(bench, { to: "ada", amount: 10 })).toBe("allow");
    expect((await bench.gate.standingApprovals())[0]).toMatchObject({ id, used: 1, count: 2 });
    expect(await effectOf(bench, { to: "ada", amount: 1 })).toBe("allow");
    expect(await effectOf(bench, { to: "ada", amount: 1 })).toBe("ask");
    expect(await bench.gate.standingApprovals()).toEqual([]);
    const entries = await bench.session.journal();
    expect(entries.filter(({ kind, data }) => kind === "call-admitted" && data.standing === id)).toHaveLength(
      2,
    );
    expect(JSON.stringify(await bench.gate.feed(0))).not.toContain("amount");
    expect((await bench.gate.verify()).ok).toBe(true);
  });

  it.each([
    ["more than the maximum", { to: "ada", amount: 10.01 }],
    ["a number below zero, which means no limit to many tools", { to: "ada", amount: -1 }],
    ["a number as text", { to: "ada", amount: "5" }],
    ["a list", { to: "ada", amount: [5] }],
    ["another value where no rule says more", { to: "eve", amount: 5 }],
    ["the value in another case", { to: "Ada", amount: 5 }],
    ["the value with a letter of another script", { to: "аda", amount: 5 }],
    ["an argument more", { to: "ada", amount: 5, cc: "eve" }],
    ["an object for a text", { to: { name: "ada" }, amount: 5 }],
    ["the argument of the rule left out", { to: "ada" }],
    ["another argument left out", { amount: 5 }],
  ])("doesn't cover %s (X19)", async (_, args) => {
    const bench = await openBench();
    await give(bench, TO_ADA, { arguments: { amount: { atMost: 10 } } });
    expect(await effectOf(bench, args)).toBe("ask");
  });

  it("covers one more call of several that come at once, here and at another node (X19, law-7)", async () => {
    const store = createMemoryStore();
    const digestKey = new Uint8Array(32).fill(3);
    const bench = await openBench({ store, digestKey });
    await give(bench, TO_ADA, { arguments: { amount: { anything: true } }, count: 1, for: "principal" });
    const other = createGate({ policy: POLICY, store, digestKey });
    const sessions = [
      bench.session,
      await bench.gate.open({ principal: "ada" }),
      await other.open({ principal: "ada" }),
      await other.session(bench.session.id),
    ];
    const effects = await Promise.all(
      sessions.flatMap((session, at) =>
        session ? [effectOf({ ...bench, session }, { to: "ada", amount: at })] : [],
      ),
    );
    expect(effects.toSorted()).toEqual(["allow", "ask", "ask", "ask"]);
    expect((await bench.gate.verify()).ok).toBe(true);
  });

  it("admits the calls of a batch in their order, and no more than it says (X19)", async () => {
    const bench = await openBench();
    await give(bench, TO_ADA, { arguments: { amount: { anything: true } }, count: 2 });
    const calls = [1, 2, 3].map((amount) => ({ tool: "pay", arguments: { to: "ada", amount } }));
    const decided = await bench.session.decide(calls);
    expect(decided.map(({ effect }) => effect)).toEqual(["allow", "allow", "ask"]);
  });

  it("is for its session, its principal or its role, and for nobody else (X19)", async () => {
    const open = async (bench: Bench, principal: string, role?: string) => ({
      ...bench,
      session: await bench.gate.open({ principal, ...(role && { role }) }),
    });
    const covered = async (scope: "session" | "principal" | "role") => {
      const bench = await openBench();
      const first = await open(bench, "ada", "clerk");
      await give(first, TO_ADA, { arguments: { amount: { anything: true } }, for: scope });
      const others = [
        first,
        await open(bench, "ada", "clerk"),
        await open(bench, "bo", "clerk"),
        await open(bench, "eve"),
      ];
      return Promise.all(others.map((one) => effectOf(one, { to: "ada", amount: 9 })));
    };
    expect(await covered("session")).toEqual(["allow", "ask", "ask", "ask"]);
    expect(await covered("principal")).toEqual(["allow", "allow", "ask", "ask"]);
    expect(await covered("role")).toEqual(["allow", "allow", "allow", "ask"]);
  });

  it("ends when it is revoked, at its time, and while the session holds more than its ceiling (X19)", async () => {
    let now = new Date("2026-01-01T00:00:00Z");
    const clock = { now: () => now };
    const bench = await openBench({ clock });
    const like = { amount: { anything: true } } as const;
    const id = await give(bench, TO_ADA, { arguments: like, for: "principal" });
    await bench.gate.revokeStandingApproval(id, "bo");
    expect(await effectOf(bench, { to: "ada", amount: 6 })).toBe("ask");
    await expect(bench.gate.revokeStandingApproval(id, "bo")).rejects.toMatchObject({
      code: "approval-not-found",
    });
    await give(bench, TO_ADA, { arguments: like, expires: "1h" });
    now = new Date("2026-01-01T00:59:59Z");
    expect(await effectOf(bench, { to: "ada", amount: 7 })).toBe("allow");
    now = new Date("2026-01-01T01:00:00Z");
    expect(await effectOf(bench, { to: "ada", amount: 8 })).toBe("ask");
    await give(bench, TO_ADA, { arguments: like });
    await call(bench, {}, "read_mail");
    expect(await effectOf(bench, { to: "ada", amount: 9 })).toBe("ask");
  });

  it("is taken out of the store once, however often the others are listed (X19)", async () => {
    const store = createMemoryStore();
    let forgotten = 0;
    const watched: Store = Object.assign(Object.create(store), {
      append: (...given: Parameters<Store["append"]>) => {
        const [, , , keep = []] = given;
        forgotten += keep.filter(({ key, value }) => key.startsWith("standing-") && value === null).length;
        return store.append(...given);
      },
    });
    const bench = await openBench({ store: watched });
    await give(bench, TO_ADA, { count: 1 });
    await call(bench, TO_ADA);
    for (let time = 0; time < 3; time += 1) expect(await bench.gate.standingApprovals()).toEqual([]);
    expect(forgotten).toBe(1);
  });

  it("releases up to its ceiling, and never beyond it (X19)", async () => {
    const bench = await openBench();
    await call(bench, {}, "read_mail");
    await give(bench, { text: "a" }, { arguments: { text: { anything: true } } }, "post");
    expect(await effectOf(bench, { text: "b" }, "post")).toBe("allow");
    await call(bench, {}, "read_crm");
    expect(await effectOf(bench, { text: "c" }, "post")).toBe("ask");
  });

  it("doesn't cover what is asked about for another reason, another definition or another declaration of the tool (X19)", async () => {
    let facts: CallFacts = { definition: "hash-1" };
    const bench = await openBench({ facts: () => facts });
    await give(bench, TO_ADA, { arguments: { amount: { anything: true } } });
    facts = { definition: "hash-2" };
    expect(await effectOf(bench, { to: "ada", amount: 6 })).toBe("ask");
    facts = { definition: "hash-1", asks: ["outside-workspace"] };
    expect(await effectOf(bench, { to: "ada", amount: 7 })).toBe("ask");
    facts = { definition: "hash-1" };
    const { tools, ...rest } = declared();
    const changed = { ...rest, tools: { ...tools, pay: { ...tools.pay, source: { level: "internal" } } } };
    bench.gate.usePolicy(definePolicy(changed, { version: "v2" }));
    expect(await effectOf(bench, { to: "ada", amount: 8 })).toBe("ask");
    bench.gate.usePolicy(
      definePolicy({ ...declared(), policy: { deniedTools: ["pay"] } }, { version: "v3" }),
    );
    expect(await effectOf(bench, { to: "ada", amount: 9 })).toBe("deny");
    // Another policy that says the same of this tool leaves it in force.
    bench.gate.usePolicy(definePolicy({ ...declared(), named: "internal" }, { version: "v4" }));
    expect(await effectOf(bench, { to: "ada", amount: 10 })).toBe("allow");
  });

  it("leaves a person's no to a call in force (X19)", async () => {
    const bench = await openBench();
    const { approval } = await call(bench, { to: "ada", amount: 6 });
    await bench.gate.answerApproval(approval?.id ?? "", { answer: "denied", by: "bo" });
    await give(bench, TO_ADA, { arguments: { amount: { anything: true } } });
    expect(await effectOf(bench, { to: "ada", amount: 6 })).toBe("deny");
  });

  it("never covers the very call that a person denied after it was given, until they give one again (X19)", async () => {
    let now = new Date("2026-01-01T00:00:00Z");
    const store = createMemoryStore();
    const shared = { store, digestKey: new Uint8Array(32).fill(3), clock: { now: () => now } };
    const bench = await openBench(shared);
    const standing = { arguments: { amount: { anything: true } }, for: "principal", count: 100 } as const;
    const { approval } = await call(bench, { to: "ada", amount: 6 });
    await give(bench, TO_ADA, standing);
    await bench.gate.answerApproval(approval?.id ?? "", { answer: "denied", by: "bo" });
    expect(await effectOf(bench, { amount: 6, to: "ada" })).toBe("deny");
    const other = { ...bench, session: await bench.gate.open({ principal: "ada" }) };
    expect(await effectOf(other, { to: "ada", amount: 6 })).toBe("ask");
    expect(await effectOf(other, { to: "ada", amount: 7 })).toBe("allow");
    // A denial counts as long as the approval would have; a reload ends it as well.
    now = new Date("2026-01-01T02:00:00Z");
    expect(await effectOf(bench, { to: "ada", amount: 6 })).toBe("ask");
    const policy = definePolicy(declared(), { version: "v2" });
    bench.gate.usePolicy(policy);
    expect(await effectOf(bench, { to: "ada", amount: 6 })).toBe("ask");
    const restarted = createGate({ ...shared, policy });
    const reopened = { ...bench, gate: restarted, session: await restarted.open({ principal: "ada" }) };
    expect(await effectOf(reopened, { to: "ada", amount: 6 })).toBe("ask");
    expect(await effectOf(reopened, { to: "ada", amount: 8 })).toBe("allow");
    await give(reopened, { to: "ada", amount: 6 }, standing);
    expect(await effectOf(bench, { to: "ada", amount: 6 })).toBe("allow");
    expect((await bench.gate.verify()).ok).toBe(true);
  });

  it("is left alone by the denial of a call that it isn't for (X19)", async () => {
    const bench = await openBench();
    await give(bench, TO_ADA, { arguments: { amount: { atMost: 10 } } });
    const { approval } = await call(bench, { to: "ada", amount: 11 });
    const { length } = await bench.gate.feed(0);
    await bench.gate.answerApproval(approval?.id ?? "", { answer: "denied", by: "bo" });
    expect(await bench.gate.feed(0)).toHaveLength(length + 1);
  });

  it("ends what waits for a person by a call that it covers (X19)", async () => {
    const bench = await openBench();
    const { approval } = await call(bench, { to: "ada", amount: 6 });
    await give(bench, TO_ADA, { arguments: { amount: { anything: true } } });
    expect(await effectOf(bench, { to: "ada", amount: 6 })).toBe("allow");
    expect(await bench.gate.approval(approval?.id ?? "")).toMatchObject({ outcome: "cancelled" });
  });
});

describe("what a standing approval would say", () => {
  it("is shown before it is given, with the request that gives exactly that (X19)", async () => {
    const bench = await openBench();
    const { approval } = await call(bench, TO_ADA);
    const id = approval?.id ?? "";
    const offer = await bench.gate.offerStanding(id, {
      arguments: { amount: { atMost: 10 } },
      expires: "1h",
    });
    expect(offer.words).toContain("`amount` is a number from 0 to 10");
    expect(offer.standing).toMatchObject({ for: "session", count: 20, ceiling: { level: "public" } });
    expect(await bench.gate.standingApprovals()).toEqual([]);
    await bench.gate.answerApproval(id, { answer: "approved", by: "bo", standing: offer.standing });
    expect((await bench.gate.standingApprovals()).map(({ words }) => words)).toEqual([offer.words]);
    await expect(bench.gate.offerStanding(id, {})).rejects.toMatchObject({ code: "approval-settled" });
  });

  it("is refused where it could not be given, and for what is no request (X19)", async () => {
    const bench = await openBench();
    const { approval } = await call(bench, TO_ADA);
    const offer = (standing: object) => bench.gate.offerStanding(approval?.id ?? "", standing);
    await expect(offer({ arguments: { amount: { atMost: 4 } } })).rejects.toMatchObject({
      code: "standing-refused",
    });
    await expect(offer({ until: "8h" })).rejects.toMatchObject({ code: "invalid-request" });
  });
});

describe("a standing approval for a folder", () => {
  const IN_DOCS = { path: "docs/a", note: "authorized_keys" };

  it.each<[string, Arguments, string, "allow" | "ask"]>([
    ["a path in it", { ...IN_DOCS, path: "docs/b" }, "/p/docs/b", "allow"],
    ["a path deeper in it", { ...IN_DOCS, path: "docs/b/c" }, "/p/docs/b/c", "allow"],
    ["a link to another place", { ...IN_DOCS, path: "docs/l" }, "/p/src/x", "ask"],
    [
      "a link to what another argument says",
      { ...IN_DOCS, path: "docs/l" },
      "/p/.ssh/authorized_keys",
      "ask",
    ],
    ["a link to the same path elsewhere", { ...IN_DOCS, path: "docs/l" }, "/other/docs/l", "ask"],
    ["a link to a path that ends so", { ...IN_DOCS, path: "docs/l" }, "/p/x/docs/l", "ask"],
  ])("covers by where a call leads: %s (X19)", async (_, args, target, effect) => {
    let touched = "/p/docs/a";
    const bench = await openBench({
      facts: () => ({ examined: { asks: [], targets: [{ path: touched }] } }),
    });
    await give(bench, IN_DOCS, { arguments: { path: { prefix: "docs" } } });
    touched = target;
    expect(await effectOf(bench, args)).toBe(effect);
  });
});

describe("a standing approval covers a call where the approved one led", () => {
  const [ANY, CONTENT] = [{ anything: true }, { path: "docs/a", content: "a/b" }] as const;

  it.each<[string, Arguments, StandingRequest["arguments"], Arguments, string, "allow" | "ask"]>([
    ["the same file", CONTENT, { content: ANY }, { path: "docs/a", content: "x" }, "/p/docs/a", "allow"],
    ["a link in its place", CONTENT, { content: ANY }, { path: "docs/a", content: "x" }, "/p/src/x", "ask"],
    ["such a link, for the very call", CONTENT, {}, CONTENT, "/p/src/x", "ask"],
    ["a path that may be any", CONTENT, { path: ANY, content: ANY }, { path: "b" }, "/p/b", "allow"],
    ["such a path, given otherwise", { path: "./docs/a" }, { path: ANY }, { path: "b" }, "/p/b", "allow"],
    ["such a path, for the folder itself", { path: "." }, { path: ANY }, { path: "b" }, "/p/b", "allow"],
    ["such a path, through a linked folder", { path: "/l/a" }, { path: ANY }, { path: "b" }, "/p/b", "allow"],
    ["a path that was left out", {}, { path: ANY }, { path: "b" }, "/p/b", "allow"],
    [
      "a listed path",
      { path: "docs/a" },
      { path: { oneOf: ["docs/a", "b"] } },
      { path: "b" },
      "/p/b",
      "allow",
    ],
    [
      "a link there",
      { path: "docs/a" },
      { path: { oneOf: ["docs/a", "b"] } },
      { path: "b" },
      "/p/src/b",
      "ask",
    ],
    [
      "a command in its folder",
      { command: "make" },
      { command: ANY },
      { command: "ls" },
      "/p/docs/a",
      "allow",
    ],
    ["a command in another one", { command: "make" }, {}, { command: "make" }, "/tmp/other", "ask"],
    ["any command there", { command: "make" }, { command: ANY }, { command: "ls" }, "/tmp/other", "ask"],
  ])("%s (X19)", async (_, given, rules, args, target, effect) => {
    let touched = "/p/docs/a";
    const bench = await openBench({
      facts: () => ({ examined: { asks: [], targets: [{ path: touched }] } }),
    });
    await give(bench, given, { arguments: rules ?? {} });
    touched = target;
    expect(await effectOf(bench, args)).toBe(effect);
  });
});

describe("a standing approval is refused, and the call still waits,", () => {
  it.each<[string, Arguments, StandingRequest, string, CallFacts]>([
    ["where a rule doesn't fit the call", TO_ADA, { arguments: { amount: { atMost: 4 } } }, "pay", {}],
    ["for a folder that leads out of itself", TO_ADA, { arguments: { to: { prefix: "a/../b" } } }, "pay", {}],
    ["for more than 30 days", TO_ADA, { expires: "31d" }, "pay", {}],
    ["for no call", TO_ADA, { count: 1.5 }, "pay", {}],
    ["for a role that the session doesn't have", TO_ADA, { for: "role" }, "pay", {}],
    ["for a credential", { api_key: "k" }, {}, "set_key", {}],
    ["for a path that git ignores", TO_ADA, {}, "pay", { asks: ["ignored-path"] }],
  ])("%s (X19)", async (_, args, standing, tool, facts) => {
    const bench = await openBench({ facts: () => facts });
    const { approval } = await call(bench, args, tool);
    const id = approval?.id ?? "";
    const answer = { answer: "approved", by: "bo", standing } as const;
    await expect(bench.gate.answerApproval(id, answer)).rejects.toMatchObject({ code: "standing-refused" });
    expect(await bench.gate.approval(id)).toMatchObject({ before: 0 });
    expect(await bench.gate.standingApprovals()).toEqual([]);
  });

  it("where a client asks for it (X19)", async () => {
    const bench = await openBench();
    const { approval } = await call(bench, TO_ADA);
    const answer = { answer: "approved", by: "bo", via: "client", standing: {} } as const;
    await expect(bench.gate.answerApproval(approval?.id ?? "", answer)).rejects.toMatchObject({
      code: "forbidden",
    });
  });
});
