/** A person changes a call before saying yes: it is decided again, and runs as changed. */
import { describe, expect, it } from "vitest";
import { createMemoryStore, definePolicy } from "../../index.ts";
import { createGate, examineCalls, type Gate, type Session, type ToolProvider } from "../index.ts";

const POLICY = definePolicy(
  {
    endorsement: "declared",
    named: "internal",
    tools: {
      pay: { permissions: ["write"], approval: "always" },
      log: { permissions: ["connect"], approval: "always", sink: [{ level: "public" }] },
      read_mail: { permissions: ["read"], source: { level: "internal", trust: "untrusted" } },
      read_crm: { permissions: ["read"], source: { level: "secret" } },
      send: {
        permissions: ["connect"],
        approval: "always",
        to: ["to"],
        critical: ["to"],
        payload: ["body"],
        onViolation: "ask",
      },
      limited: {
        permissions: ["write"],
        approval: { when: "args.amount > 1", holds: ({ args }) => Number(args.amount) > 1 },
      },
    },
    rules: [
      {
        name: "no big payments",
        effect: "deny",
        when: { when: "args.amount > 100", holds: ({ args }) => Number(args.amount ?? 0) > 100 },
      },
      {
        name: "odd currencies",
        effect: "ask",
        when: { when: 'args.currency == "XXX"', holds: ({ args }) => args.currency === "XXX" },
      },
    ],
  },
  { version: "v1" },
);

interface Bench {
  readonly gate: Gate;
  readonly session: Session;
  readonly ran: unknown[];
}

async function openBench(): Promise<Bench> {
  const gate = createGate({ policy: POLICY, store: createMemoryStore() });
  return { gate, session: await gate.open({ principal: "ada", task: "Pay the bill." }), ran: [] };
}

type Arguments = Readonly<Record<string, unknown>>;

const call = ({ session, ran }: Bench, tool: string, args: Arguments = {}) =>
  session.call({ tool, arguments: args }, (given) => ran.push([tool, given]));

async function ask(bench: Bench, tool: string, args: Arguments): Promise<string> {
  const { approval } = await call(bench, tool, args);
  if (approval === null) throw new Error("nothing was asked");
  return approval.id;
}

const edit = ({ gate }: Bench, id: string, args: Arguments) =>
  gate.answerApproval(id, { answer: "approved", by: "bo", arguments: args });

const journalOf = async ({ session }: Bench) =>
  (await session.journal()).map(({ kind, data }) => ({ kind, ...data }));

describe("a call that its approver changed", () => {
  it("runs as changed when the agent makes its own call, once, and the agent is told what was changed (X20)", async () => {
    const bench = await openBench();
    const id = await ask(bench, "pay", { amount: 90, to: { name: "x", iban: "1" } });
    const answered = await edit(bench, id, { amount: 9, to: { name: "x", iban: "2" }, note: "n" });
    expect(answered.changed).toEqual(["amount", "to.iban", "note"]);
    const outcome = await call(bench, "pay", { amount: 90, to: { name: "x", iban: "1" } });
    expect(bench.ran).toEqual([["pay", { amount: 9, to: { name: "x", iban: "2" }, note: "n" }]]);
    expect(outcome).toMatchObject({
      effect: "allow",
      edited: { by: "bo", changed: [{ argument: "amount" }, { argument: "to.iban" }, { argument: "note" }] },
    });
    expect(await call(bench, "pay", { amount: 90, to: { name: "x", iban: "1" } })).toMatchObject({
      effect: "ask",
    });
  });

  it("runs as changed for a caller that was held (X20)", async () => {
    const bench = await openBench();
    const { session, gate, ran } = bench;
    const held = session.call({ tool: "pay", arguments: { amount: 90 } }, (given) => ran.push(given), {
      waitSeconds: 30,
      onWaiting: ({ approval }) =>
        void gate.answerApproval(approval?.id ?? "", {
          answer: "approved",
          by: "bo",
          arguments: { amount: 9 },
        }),
    });
    expect(await held).toMatchObject({ effect: "allow" });
    expect(ran).toEqual([{ amount: 9 }]);
  });

  it("has both digests and who changed it in the journal, and its arguments nowhere once it has run (X20)", async () => {
    const bench = await openBench();
    const id = await ask(bench, "pay", { amount: 90 });
    await edit(bench, id, { amount: 9 });
    await call(bench, "pay", { amount: 90 });
    const entries = await journalOf(bench);
    const [asked, answered, admitted] = ["approval-requested", "approval-answered", "call-admitted"].map(
      (kind) => entries.find((entry) => entry.kind === kind),
    );
    expect(answered).toMatchObject({ by: "bo", edited: { changed: ["amount"] } });
    expect(admitted).toMatchObject({
      approval: id,
      arguments: Reflect.get(Object(answered), "edited").arguments,
    });
    expect(Reflect.get(Object(asked), "arguments")).not.toBe(Reflect.get(Object(admitted), "arguments"));
    expect(JSON.stringify(entries)).not.toContain('"amount":9');
    expect((await bench.gate.verify()).ok).toBe(true);
  });

  it("survives a restart (X20)", async () => {
    const store = createMemoryStore();
    const digestKey = new Uint8Array(32).fill(7);
    const first = createGate({ policy: POLICY, store, digestKey });
    const session = await first.open();
    const bench = { gate: first, session, ran: [] };
    await edit(bench, await ask(bench, "pay", { amount: 90 }), { amount: 9 });
    const again = await createGate({ policy: POLICY, store, digestKey }).session(session.id);
    if (again === null) throw new Error("the session is gone");
    const next: Bench = { gate: first, session: again, ran: [] };
    await call(next, "pay", { amount: 90 });
    expect(next.ran).toEqual([["pay", { amount: 9 }]]);
  });

  it("shows the agent the new values where its session may hold all that the tool may receive (X20)", async () => {
    const bench = await openBench();
    await edit(bench, await ask(bench, "log", { text: "a" }), { text: "b" });
    expect(await call(bench, "log", { text: "a" })).toMatchObject({
      edited: { changed: [{ argument: "text", value: "b" }] },
    });
  });
});

describe("an edit is refused, and the approval still waits,", () => {
  it.each([
    ["where a rule denies the changed call", "pay", { amount: 500 }, "It would be denied."],
    ["where the changed call is asked about for another reason", "pay", { currency: "XXX" }, "for a reason"],
  ])("%s (X20)", async (_, tool, args, why) => {
    const bench = await openBench();
    const id = await ask(bench, tool, { amount: 90 });
    await expect(edit(bench, id, args)).rejects.toMatchObject({
      code: "edit-refused",
      why: expect.stringContaining(why),
    });
    expect(await bench.gate.approval(id)).toMatchObject({ before: 0 });
    await bench.gate.answerApproval(id, { answer: "approved", by: "bo" });
    await call(bench, tool, { amount: 90 });
    expect(bench.ran).toEqual([[tool, { amount: 90 }]]);
  });

  it.each([
    ["an argument is missing", {}, "`query` is missing."],
    ["an argument has another type", { query: 5 }, "`query` must be of type `string`."],
    ["the schema doesn't name an argument", { query: "b", more: 1 }, "no argument `more`"],
  ])("where %s (X20)", async (_, args, why) => {
    const inputSchema = {
      type: "object",
      properties: { query: { type: "string" } },
      required: ["query"],
    };
    const docs: ToolProvider = {
      id: "docs",
      status: "ready",
      problem: null,
      tools: new Map([["search", { name: "search", inputSchema }]]),
      settled: Promise.resolve(),
      run: async () => ({ content: [] }),
      watch: () => () => {},
      close: async () => {},
    };
    const search = { permissions: ["read"], approval: "always" } as const;
    const policy = definePolicy({ servers: { docs: { tools: { search } } } });
    const gate = createGate({ policy, store: createMemoryStore(), facts: examineCalls([docs]) });
    const bench: Bench = { gate, session: await gate.open(), ran: [] };
    const id = await ask(bench, "search", { query: "a" });
    const refused = { code: "edit-refused", why: expect.stringContaining(why) };
    await expect(edit(bench, id, args)).rejects.toMatchObject(refused);
    await edit(bench, id, { query: "b" });
    expect(await call(bench, "search", { query: "a" })).toMatchObject({ effect: "allow" });
    expect(bench.ran).toEqual([["search", { query: "b" }]]);
  });

  it("where the agent runs the call itself (X20)", async () => {
    const bench = await openBench();
    const [decision] = await bench.session.decide([{ tool: "pay", arguments: { amount: 90 } }]);
    const refused = edit(bench, decision?.approval?.id ?? "", { amount: 9 });
    await expect(refused).rejects.toMatchObject({ code: "edit-refused" });
  });

  it("where a client answers, or denies (X20)", async () => {
    const bench = await openBench();
    const id = await ask(bench, "pay", { amount: 90 });
    const answer = { by: "bo", arguments: { amount: 9 } };
    await expect(bench.gate.answerApproval(id, { answer: "denied", ...answer })).rejects.toMatchObject({
      code: "edit-refused",
    });
    await expect(
      bench.gate.answerApproval(id, { answer: "approved", via: "client", ...answer }),
    ).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("what a person wrote into a call", () => {
  const MAIL = { to: "eve@evil.example", body: "hello" };

  it("counts as the user's word for that call, and what the agent gave doesn't (X20)", async () => {
    const bench = await openBench();
    await call(bench, "read_mail");
    const id = await ask(bench, "send", MAIL);
    await edit(bench, id, { ...MAIL, to: "bo@acme.example" });
    await call(bench, "send", MAIL);
    expect(bench.ran.at(-1)).toEqual(["send", { to: "bo@acme.example", body: "hello" }]);
    const admitted = (await journalOf(bench)).findLast(({ kind }) => kind === "call-admitted");
    expect(admitted).toMatchObject({ endorsed: [{ argument: "to", by: "edited" }] });
    // For that call only.
    const next = await call(bench, "send", { to: "bo@acme.example", body: "more" });
    expect(next.reasons.map(({ code }) => code)).toContain("not-endorsed");
  });

  it("is a yes to what the session held then: with more in it, a person is asked anew (X20)", async () => {
    const bench = await openBench();
    await call(bench, "read_mail");
    const id = await ask(bench, "send", MAIL);
    await edit(bench, id, { ...MAIL, to: "bo@acme.example" });
    await call(bench, "read_crm");
    const outcome = await call(bench, "send", MAIL);
    expect(outcome).toMatchObject({ effect: "ask" });
    expect(bench.ran.map((one) => JSON.stringify(one)).join()).not.toContain("bo@acme.example");
  });

  it("runs by no other session's call, and by no decision of a call that the agent runs itself (X20)", async () => {
    const bench = await openBench();
    await edit(bench, await ask(bench, "pay", { amount: 90 }), { amount: 9 });
    const [decision] = await bench.session.decide([{ tool: "pay", arguments: { amount: 90 } }]);
    expect(decision).toMatchObject({ effect: "ask" });
    const other = await bench.gate.open({ principal: "ada" });
    expect(await call({ ...bench, session: other }, "pay", { amount: 90 })).toMatchObject({ effect: "ask" });
    expect(bench.ran).toEqual([]);
  });

  it("runs though nobody would be asked about it any more, and uses the yes up (X20)", async () => {
    const bench = await openBench();
    await edit(bench, await ask(bench, "limited", { amount: 5 }), { amount: 1 });
    expect(await call(bench, "limited", { amount: 5 })).toMatchObject({ effect: "allow" });
    expect(bench.ran).toEqual([["limited", { amount: 1 }]]);
    expect(await call(bench, "limited", { amount: 5 })).toMatchObject({ effect: "ask" });
  });
});
