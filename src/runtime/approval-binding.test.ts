/** What an approval reaches: the very call that was shown, on what was shown of it, and nothing else. */
import { describe, expect, it } from "vitest";
import { createMemoryStore, definePolicy } from "../index.ts";
import { type CallFacts, createGate, type Examination, type Gate, type Session } from "./index.ts";

const POLICY = definePolicy(
  {
    tools: {
      write: { permissions: ["write"], approval: "always" },
      peek: { permissions: ["read"] },
      post: { permissions: ["connect"], onViolation: "ask" },
      pay: { permissions: ["connect"], onViolation: "ask", approval: "always" },
      read_mail: { permissions: ["read"], source: { level: "internal" } },
      read_crm: { permissions: ["read"], source: { level: "secret" } },
    },
  },
  { version: "v1" },
);

const PLAIN: Examination = {
  asks: [],
  targets: [{ path: "/work/a.txt", content: "11" }],
  preview: "-old\n+new",
};

interface Bench {
  readonly gate: Gate;
  readonly session: Session;
  readonly facts: { now: CallFacts };
  readonly ran: unknown[];
}

async function openBench(): Promise<Bench> {
  const facts: { now: CallFacts } = { now: { definition: "hash-1", examined: PLAIN } };
  const gate = createGate({ policy: POLICY, store: createMemoryStore(), facts: () => facts.now });
  return { gate, session: await gate.open({ principal: "ada" }), facts, ran: [] };
}

const call = ({ session, ran }: Bench, tool: string) =>
  session.call({ tool, arguments: { to: "a" } }, (_, { examined }) => ran.push([tool, examined]));

async function approve(bench: Bench, tool: string): Promise<string> {
  const { approval } = await call(bench, tool);
  if (approval === null) throw new Error("nothing was asked");
  await bench.gate.answerApproval(approval.id, { answer: "approved", by: "bo" });
  return approval.id;
}

const CHANGES: readonly (readonly [what: string, facts: CallFacts])[] = [
  ["another definition of its tool", { definition: "hash-2", examined: PLAIN }],
  ["no definition any more", { examined: PLAIN }],
  [
    "another target",
    { definition: "hash-1", examined: { ...PLAIN, targets: [{ path: "/work/b.txt", content: "11" }] } },
  ],
  [
    "one target more",
    {
      definition: "hash-1",
      examined: { ...PLAIN, targets: [...PLAIN.targets, { path: "/work/b.txt", content: null }] },
    },
  ],
  ["no target", { definition: "hash-1", examined: { ...PLAIN, targets: [] } }],
  [
    "other content where it writes",
    { definition: "hash-1", examined: { ...PLAIN, targets: [{ path: "/work/a.txt", content: "22" }] } },
  ],
  [
    "nothing where it writes",
    { definition: "hash-1", examined: { ...PLAIN, targets: [{ path: "/work/a.txt", content: null }] } },
  ],
  ["a cause that was not shown", { definition: "hash-1", examined: { ...PLAIN, asks: ["several-links"] } }],
];

describe("a yes", () => {
  it.each(
    CHANGES,
  )("serves no call with %s, and is left for the one that was shown (law-7, D6-targets, D6-binding)", async (_, changed) => {
    const bench = await openBench();
    const id = await approve(bench, "write");
    const before = bench.facts.now;
    bench.facts.now = changed;
    const asked = await call(bench, "write");
    expect(asked.effect).toBe("ask");
    expect(new Set(asked.reasons.map(({ code }) => code))).toEqual(new Set(["approval-required"]));
    expect(asked.approval?.id).not.toBe(id);
    expect(bench.ran).toEqual([]);
    bench.facts.now = before;
    expect((await call(bench, "write")).effect).toBe("allow");
    expect(bench.ran).toEqual([["write", PLAIN]]);
  });

  it("serves the call that was shown, which runs on exactly what was examined for it (D6-targets)", async () => {
    const bench = await openBench();
    await approve(bench, "write");
    const again: Examination = { ...PLAIN, preview: "another sight of the same", checked: { inode: 7 } };
    bench.facts.now = { definition: "hash-1", examined: again };
    expect((await call(bench, "write")).effect).toBe("allow");
    expect(bench.ran).toEqual([["write", again]]);
  });

  it("serves no call of what is protected by then, nor one whose facts can't be had (law-9)", async () => {
    const bench = await openBench();
    await approve(bench, "write");
    bench.facts.now = { definition: "hash-1", examined: { ...PLAIN, isProtected: true } };
    expect(await call(bench, "write")).toMatchObject({
      effect: "deny",
      reasons: [{ code: "protected-path" }],
    });
    const faults = [{ code: "provider", message: "no answer" }] as const;
    bench.facts.now = { definition: "hash-1", examined: PLAIN, faults };
    expect(await call(bench, "write")).toMatchObject({ effect: "deny", reasons: [{ code: "fault" }] });
    expect(bench.session.state.answers).toHaveLength(1);
    expect(bench.ran).toEqual([]);
  });

  it("shows a person what the call would do, and where (D7-data)", async () => {
    const bench = await openBench();
    bench.facts.now = { definition: "hash-1", examined: { ...PLAIN, asks: ["ignored-path"] } };
    await call(bench, "write");
    expect(await bench.gate.pendingApprovals()).toMatchObject([
      {
        tool: "write",
        arguments: { to: "a" },
        targets: ["/work/a.txt"],
        preview: "-old\n+new",
        label: { level: "public" },
        release: false,
        reasons: [
          { code: "approval-required", message: expect.stringContaining("each call") },
          { code: "approval-required", message: expect.stringContaining("Git ignores") },
        ],
      },
    ]);
  });

  it("is asked for where the provider finds a cause, though the tool needs none (D1)", async () => {
    const bench = await openBench();
    expect((await call(bench, "peek")).effect).toBe("allow");
    bench.facts.now = { examined: { ...PLAIN, asks: ["outside-workspace"] } };
    await approve(bench, "peek");
    expect((await call(bench, "peek")).effect).toBe("allow");
    expect((await call(bench, "peek")).effect).toBe("ask");
  });
});

describe("a release", () => {
  const entriesOf = async ({ session }: Bench, kind: string) =>
    (await session.journal()).filter((entry) => entry.kind === kind).map(({ data }) => data);

  it("runs once, and is marked as one where it is asked for and where it is used (D6-binding)", async () => {
    const bench = await openBench();
    await call(bench, "read_mail");
    const asked = await call(bench, "post");
    expect(asked.effect).toBe("ask");
    expect(asked.reasons.map(({ code }) => code)).toEqual(["flow-blocked", "approval-required"]);
    expect(await bench.gate.pendingApprovals()).toMatchObject([
      { release: true, label: { level: "internal" } },
    ]);
    const id = asked.approval?.id ?? "";
    await bench.gate.answerApproval(id, { answer: "approved", by: "bo" });
    expect((await call(bench, "post")).effect).toBe("allow");
    expect((await call(bench, "post")).effect).toBe("ask");
    expect(await entriesOf(bench, "approval-requested")).toMatchObject([
      { release: true },
      { release: true },
    ]);
    expect((await entriesOf(bench, "call-admitted")).at(-1)).toMatchObject({ release: true, approval: id });
  });

  it("that was granted at one label serves no call once the label rose (law-7, D6-binding)", async () => {
    const bench = await openBench();
    await call(bench, "read_mail");
    const id = await approve(bench, "post");
    await call(bench, "read_crm");
    const later = await call(bench, "post");
    expect(later).toMatchObject({ effect: "ask" });
    expect(later.approval?.id).not.toBe(id);
    expect(bench.ran.filter(([tool]: any) => tool === "post")).toEqual([]);
  });

  it("never comes of a plain yes, given before the label rose (law-7)", async () => {
    const bench = await openBench();
    await approve(bench, "pay");
    await call(bench, "read_mail");
    expect((await call(bench, "pay")).effect).toBe("ask");
    expect((await call(bench, "pay")).reasons.map(({ code }) => code)).toContain("flow-blocked");
    expect(bench.ran.filter(([tool]: any) => tool === "pay")).toEqual([]);
  });

  it("is refused to a client, whatever the policy says of clients (D7-data)", async () => {
    const bench = await openBench();
    bench.gate.usePolicy(
      definePolicy({ ...POLICY.origin.declaration, approvals: { via: ["client"] } }, { version: "v2" }),
    );
    const given = { answer: "approved", by: "ada", via: "client" } as const;
    await call(bench, "read_mail");
    const release = (await call(bench, "post")).approval?.id ?? "";
    await expect(bench.gate.answerApproval(release, given)).rejects.toMatchObject({ code: "forbidden" });
    const plain = (await call(bench, "write")).approval?.id ?? "";
    expect(await bench.gate.answerApproval(plain, given)).toMatchObject({ outcome: "approved" });
    await expect(bench.gate.answerApproval(release, { ...given, via: "console" })).rejects.toMatchObject({
      code: "forbidden",
    });
    expect((await bench.gate.pendingApprovals()).map(({ id }) => id)).toEqual([release]);
  });
});
