/** Forks of sessions: what they start with, what they can never have, and labels that are shared. */
import { beforeEach, describe, expect, it } from "vitest";
import { definePolicy, type ToolPolicy } from "../../core/index.ts";
import { createMemoryStore } from "../../stores/index.ts";
import { createGate, type Gate } from "../gate.ts";
import type { Session } from "../session.ts";

const TOOLS = {
  read_mail: { permissions: ["read"], source: "internal", tags: ["office", "mail"] },
  read_payroll: { permissions: ["read"], source: "secret", tags: ["hr"] },
  web_search: { permissions: ["connect"], tags: ["office"] },
  note: { permissions: ["write"], tags: ["office"] },
} as const;

const labelled = (source: string) => ({ level: source, trust: "untrusted" });
const declared = Object.fromEntries(
  Object.entries(TOOLS).map(([name, { permissions, tags, ...more }]) => [
    name,
    { permissions, tags, ...("source" in more && { source: labelled(more.source) }) },
  ]),
);

let store: ReturnType<typeof createMemoryStore>;
let gate: Gate;
let session: Session;

beforeEach(async () => {
  store = createMemoryStore();
  gate = createGate({ policy: definePolicy({ tools: declared }, { version: "1" }), store });
  session = await gate.open({ principal: "ada", task: "Compare the mail with the news" });
});

const effect = async (of: Session, tool: string): Promise<string> =>
  (await of.call({ tool }, () => "ran")).effect;
const namesOf = (of: Session): readonly string[] => of.tools.map(({ name }) => name);
/** As another process finds it. */
const reopened = async (id: string): Promise<Session> => {
  const found = await createGate({ policy: gate.policy, store }).session(id);
  if (found === null) throw new Error("It isn't there.");
  return found;
};

describe("a fork of a session", () => {
  it("starts with its parent's label and data sets, in one append that makes it, and for the same principal (B5)", async () => {
    await effect(session, "read_mail");
    await session.addDataset("crm", "confidential");
    const fork = await session.fork();
    expect([fork.principal, fork.role, await gate.task(fork.id)]).toEqual([
      "ada",
      null,
      "Compare the mail with the news",
    ]);
    const opening = await fork.journal();
    expect(opening.map(({ kind }) => kind)).toEqual(["session-opened", "label-raised", "label-raised"]);
    expect(opening[0]?.data).toMatchObject({ parent: session.id, principal: "ada", task: true });
    const again = await reopened(fork.id);
    for (const one of [fork, again]) {
      expect(one.label).toEqual(session.label);
      expect(one.datasets.map(({ id, sensitivity }) => [id, sensitivity])).toEqual([
        ["read_mail", "internal"],
        ["crm", "confidential"],
      ]);
      expect(await effect(one, "web_search")).toBe("deny");
    }
    expect((await gate.verify()).ok).toBe(true);
  });

  it("goes its own way afterwards, where the host has opened it (B5)", async () => {
    const fork = await session.fork();
    await effect(session, "read_mail");
    expect([fork.label.level, session.label.level]).toEqual(["public", "internal"]);
    await effect(fork, "read_payroll");
    expect(session.label.level).toBe("internal");
  });

  it.each([
    ["adds what is denied", { deniedTools: ["read_*"] }, ["web_search", "note"]],
    ["intersects what is allowed", { allowedTools: ["read_mail", "note", "nothing"] }, ["read_mail", "note"]],
    ["adds tags", { requireTags: ["office"] }, ["read_mail", "web_search", "note"]],
    ["allows nothing by an empty list", { allowedTools: [] }, []],
  ])("%s, durably, in lists, lookups and decisions (B5, law-5)", async (_, toolPolicy: ToolPolicy, left) => {
    const fork = await session.fork({ toolPolicy });
    for (const one of [fork, await reopened(fork.id)]) {
      expect(namesOf(one)).toEqual(left);
      for (const name of Object.keys(TOOLS)) {
        expect(one.tool(name) !== null).toBe(left.includes(name));
        expect(one.planningPrompt().includes(`\`${name}\``)).toBe(left.includes(name));
        if (!left.includes(name)) expect(await effect(one, name)).toBe("deny");
      }
    }
  });

  it("of a fork has what all of them leave, and no way to have more (B5, law-4)", async () => {
    const narrow = await session.fork({ toolPolicy: { allowedTools: ["read_mail", "note"] } });
    const again = await reopened(narrow.id);
    const wish: any = { inheritPolicy: false, task: "Do as you like" };
    await expect(again.fork(wish)).rejects.toMatchObject({ why: expect.stringContaining("`inheritPolicy`") });
    const fork = await again.fork({ toolPolicy: { allowedTools: ["*"] } });
    expect(namesOf(fork)).toEqual(["read_mail", "note"]);
    expect(await gate.task(fork.id)).toBe("Compare the mail with the news");
    const tagged = await fork.fork({ toolPolicy: { requireTags: ["mail"] } });
    expect(namesOf(tagged)).toEqual(["read_mail"]);
  });

  it("of a run has what that run sees and is granted, and no more (B5, law-4)", async () => {
    const visibility = { visibleTools: () => ["note", "read_mail", "web_search"] };
    const fork = await session.run({ visibility, permissions: ["read", "write"] }, (view) => view.fork());
    expect(namesOf(fork)).toEqual(["read_mail", "note"]);
    expect(namesOf(await reopened(fork.id))).toEqual(["read_mail", "note"]);
  });

  it("names no tool that it doesn't have, also where that tool has raised its parent (B2)", async () => {
    await effect(session, "read_payroll");
    const fork = await session.fork({ toolPolicy: { deniedTools: ["read_payroll"] } });
    const { reasons } = await fork.call({ tool: "web_search" }, () => null);
    expect(JSON.stringify([reasons, fork.manifest(), fork.planningPrompt(), fork.datasets])).not.toContain(
      "payroll",
    );
    expect(reasons[0]).toMatchObject({
      code: "flow-blocked",
      causedBy: [{ dataset: "inherited", tool: null }],
    });
  });

  it("is told of no server that it has nothing of, also where that server has raised its parent (B2)", async () => {
    const read = { permissions: ["read"], source: labelled("secret") } as const;
    const policy = definePolicy({
      servers: {
        payroll: { tools: { salaries: read } },
        mail: { tools: { read_mail: read, send: { permissions: ["connect"] } } },
      },
    });
    const parent = await createGate({ policy, store }).open();
    for (const tool of ["salaries", "read_mail"]) await effect(parent, tool);
    const datasetsOf = async (toolPolicy: ToolPolicy) =>
      (await parent.fork({ toolPolicy })).datasets.map(({ id }) => id).toSorted();
    expect(await datasetsOf({ deniedTools: ["mcp__payroll__*"] })).toEqual(["inherited", "mail"]);
    expect(await datasetsOf({ allowedTools: ["send"] })).toEqual(["inherited", "mail"]);
    expect(await datasetsOf({ deniedTools: ["send"] })).toEqual(["mail", "payroll"]);
  });

  it("that is reset begins anew without its label, and with what was taken away from it (law-4)", async () => {
    const fork = await session.fork({ toolPolicy: { deniedTools: ["read_*"] } });
    await fork.addDataset("crm", "confidential");
    const successor = await reopened((await gate.reset(fork.id)).id);
    expect([namesOf(successor), successor.label.level]).toEqual([["web_search", "note"], "public"]);
  });

  it("can't be had of a closed session, nor with a policy that could never match", async () => {
    await expect(session.fork({ toolPolicy: { deniedTools: ["mcp__mail"] } })).rejects.toMatchObject({
      code: "policy-invalid",
    });
    expect((await session.journal()).length).toBe(1);
    await gate.reset(session.id);
    await expect(session.fork()).rejects.toMatchObject({ code: "session-closed" });
  });

  it("has no more tool policies, of all sessions before it, than an entry should hold", async () => {
    const long = (number: number): ToolPolicy => ({
      deniedTools: Array.from(
        { length: 1000 },
        (_, index) => `mcp__server-${number}__tool-${index}-${"x".repeat(20)}`,
      ),
    });
    let last = session;
    const lengths: number[] = [];
    const refusal = await (async () => {
      for (let number = 0; ; number += 1) {
        last = await last.fork({ sharesLabel: true, toolPolicy: long(number) });
        lengths.push(JSON.stringify(await last.journal(0, 1)).length);
      }
    })().catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "limit-reached", message: "The fork's tool policy is too long." });
    expect(lengths.length).toBeGreaterThan(1);
    expect(Math.max(...lengths)).toBeLessThan(140_000);
    // One that takes nothing more away is had all the same.
    expect(namesOf(await last.fork({ sharesLabel: true }))).toEqual(namesOf(last));
  });

  it("has at most 128 patterns in its tool policies and those of all sessions before it: each is compared with each tool", async () => {
    const patterns = (count: number): ToolPolicy => ({
      deniedTools: Array.from({ length: count }, (_, at) => `*__${at}*z`),
    });
    const first = await session.fork({ toolPolicy: patterns(100) });
    const second = await first.fork({ toolPolicy: { ...patterns(28), allowedTools: namesOf(session) } });
    await expect(second.fork({ toolPolicy: patterns(1) })).rejects.toMatchObject({ code: "limit-reached" });
    expect(namesOf(second)).toEqual(namesOf(session));
  });

  it("whose tool policies can't be read holds everything and may do nothing (law-9)", async () => {
    const { fromEntry } = await import("../journal/stored-event.ts");
    const [opened] = await (await session.fork({ toolPolicy: { deniedTools: ["note"] } })).journal();
    if (opened === undefined) throw new Error("It has no entry.");
    for (const limits of [
      null,
      "note",
      [{ deniedTools: "note" }],
      [{ denied: [] }],
      [{ deniedTools: ["mcp__x"] }],
    ]) {
      const event = fromEntry(gate.policy.lattice, { ...opened, data: { ...opened.data, limits } });
      expect(event).toMatchObject({ kind: "label-raised", source: { level: "*" } });
    }
  });
});

describe("a fork that shares its parent's label", () => {
  it("is raised by what its parent reads, before it can send that anywhere (B5, law-3)", async () => {
    const fork = await session.fork({ sharesLabel: true });
    expect(await effect(fork, "web_search")).toBe("allow");
    await effect(session, "read_mail");
    expect(await effect(fork, "web_search")).toBe("deny");
    expect((await reopened(fork.id)).label).toEqual(session.label);
  });

  it("raises its parent and the parent's other forks by what it reads, in any process (B5, law-3)", async () => {
    const [one, two] = [await session.fork({ sharesLabel: true }), await session.fork({ sharesLabel: true })];
    const grandchild = await (await reopened(two.id)).fork({ sharesLabel: true });
    const levels: string[] = [];
    await (await reopened(grandchild.id)).call({ tool: "read_mail" }, async () => {
      // The raise is everywhere before the tool runs.
      for (const id of [session.id, one.id, two.id]) levels.push((await reopened(id)).label.level);
    });
    expect(levels).toEqual(["internal", "internal", "internal"]);
    for (const other of [session, one, two]) expect(await effect(other, "web_search")).toBe("deny");
    await one.addDataset("crm", "secret");
    expect((await session.refresh()).label.level).toBe("secret");
    const batch = await two.decide([{ tool: "web_search" }, { tool: "note" }]);
    expect(batch.map((decision) => decision.effect)).toEqual(["deny", "allow"]);
  });

  it("raises nothing twice", async () => {
    const fork = await session.fork({ sharesLabel: true });
    for (let call = 0; call < 3; call += 1) await effect(fork, "read_mail");
    const raises = async (of: Session) =>
      (await of.journal()).filter(({ kind }) => kind === "label-raised").length;
    expect([await raises(session), await raises(fork)]).toEqual([1, 0]);
  });

  it("is closed with its parent (B5)", async () => {
    const fork = await session.fork({ sharesLabel: true });
    const own = await session.fork();
    await gate.reset(session.id);
    expect([await effect(fork, "note"), await effect(own, "note")]).toEqual(["deny", "allow"]);
    expect((await reopened(fork.id)).state.closed).toBe(true);
  });

  it("can be had a hundred times of a session and its forks together", async () => {
    let last = session;
    for (let count = 0; count < 100; count += 1) {
      const fork = await last.fork({ sharesLabel: true });
      if (count < 5) last = fork;
    }
    for (const one of [session, last])
      await expect(one.fork({ sharesLabel: true })).rejects.toMatchObject({ code: "limit-reached" });
    await session.fork();
  });
});
