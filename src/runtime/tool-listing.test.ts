import { describe, expect, it } from "vitest";
import { createGate, definePolicy, type Gate, type Session, type Tool } from "../index.ts";

const POLICY = definePolicy({
  tools: {
    search_email: { permissions: ["read"], source: { level: "internal" } },
    search_docs: { permissions: ["read"], source: { level: "internal" } },
    web_search: { permissions: ["connect"], sink: [{ level: "public" }] },
    render_chart: { permissions: ["read"] },
  },
  roles: { reader: { tools: ["search_email", "render_chart"] } },
});

const newGate = (): Gate => createGate({ policy: POLICY });
const only = (...names: string[]) => ({
  visibleTools: (tools: readonly Tool[]) => tools.filter(({ name }) => names.includes(name)),
});
const seenBy = (session: Session, ...names: string[]) =>
  session.run({ visibility: only(...names) }, (view) => view.listing());

describe("a session's listing", () => {
  it("is built once for one visible set, whichever session, run and order of choosing it comes from (B7)", async () => {
    const gate = newGate();
    const [first, second] = [await gate.open(), await gate.open({ principal: "ada" })];
    expect(first.listing()).toBe(second.listing());
    expect(first.manifest()).toBe(second.manifest());
    const chosen = await seenBy(first, "web_search", "search_docs");
    expect(await seenBy(second, "search_docs", "web_search")).toBe(chosen);
    expect(chosen.tools.map(({ name }) => name)).toEqual(["search_docs", "web_search"]);
    expect(chosen).not.toBe(first.listing());
  });

  it("is another one for another set, role, label or policy (B7)", async () => {
    const gate = newGate();
    const session = await gate.open();
    const seen = new Set([
      session.listing().fingerprint,
      (await seenBy(session, "web_search")).fingerprint,
      (await gate.open({ role: "reader" })).listing().fingerprint,
      (await gate.open({ tools: ["search_email"] })).listing().fingerprint,
    ]);
    expect(seen.size).toBe(4);
    const before = session.listing();
    await session.call({ tool: "search_email" }, () => "mail");
    expect(session.listing().fingerprint).not.toBe(before.fingerprint);
    expect(session.listing().tools).toEqual(before.tools);
    const told = session.manifest().tools.find(({ name }) => name === "web_search");
    expect(told?.consequence).toContain("already blocked: this session holds internal");
    gate.usePolicy(definePolicy({ tools: { web_search: { permissions: ["connect"] } } }));
    expect(session.listing().tools.map(({ name }) => name)).toEqual(["web_search"]);
  });

  it("can't be changed by one of those who share it (B7, B3-library)", async () => {
    const { tools, manifest } = (await newGate().open()).listing();
    expect(Object.isFrozen(tools) && Object.isFrozen(manifest()) && Object.isFrozen(manifest().tools)).toBe(
      true,
    );
    expect(manifest().tools.every(Object.isFrozen)).toBe(true);
  });
});

describe("what was shown", () => {
  it("counts for nothing when a tool is called: the decision is made again (B8)", async () => {
    const gate = newGate();
    const session = await gate.open();
    const shown = session.tools.map(({ name }) => name);
    expect(shown).toContain("web_search");
    gate.usePolicy(definePolicy({ tools: { search_email: { permissions: ["read"] } } }));
    expect((await session.call({ tool: "web_search" }, () => "ran")).reasons[0]?.code).toBe("unknown-tool");
    const outcome = await session.run({ visibility: only("render_chart") }, (view) =>
      view.call({ tool: "search_email" }, () => "ran"),
    );
    expect(outcome).toMatchObject({ effect: "deny", reasons: [{ code: "unknown-tool" }] });
  });

  it("is what a guard is told of each call: the tools that its run sees, and may refuse by (B8)", async () => {
    const asked: [string, string, readonly string[]][] = [];
    const gate = createGate({
      policy: POLICY,
      facts: ({ tool }, { session, tools }) => {
        asked.push([session, tool, tools.map(({ name }) => name)]);
        const isOdd = tools.length < 2 && tool === "render_chart";
        return isOdd ? { faults: [{ code: "provider", message: "Nothing to chart." }] } : {};
      },
    });
    const session = await gate.open();
    const narrow = (...names: string[]) =>
      session.run({ visibility: only(...names) }, (view) => view.call({ tool: "render_chart" }, () => "ran"));
    expect((await narrow("render_chart", "search_docs")).effect).toBe("allow");
    expect((await narrow("render_chart")).reasons).toMatchObject([{ code: "fault" }]);
    expect(asked).toEqual([
      [session.id, "render_chart", ["search_docs", "render_chart"]],
      [session.id, "render_chart", ["render_chart"]],
    ]);
  });
});
