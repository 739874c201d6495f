/** What a call would come to: told without admitting, refusing or using anything up. */
import { describe, expect, it } from "vitest";
import { createGate, definePolicy, type Gate, type Session } from "../index.ts";

const TOOLS = {
  read_mail: { permissions: ["read"], source: { level: "internal" } },
  web_search: { permissions: ["connect"] },
  pay: { permissions: ["write"], approval: "always" },
  "office_*": { permissions: ["read"] },
} as const;

async function open(): Promise<{ gate: Gate; session: Session; kinds: () => Promise<readonly string[]> }> {
  const gate = createGate({
    policy: definePolicy({ tools: TOOLS, policy: { deniedTools: ["office_safe"] } }),
  });
  const session = await gate.open();
  return { gate, session, kinds: async () => (await session.journal()).map(({ kind }) => kind) };
}

describe("a preview", () => {
  it("writes nothing for what would be allowed or denied, and raises nothing", async () => {
    const { session, kinds } = await open();
    expect(await session.preview({ tool: "read_mail" })).toMatchObject({ effect: "allow", reasons: [] });
    expect(await session.preview({ tool: "nothing" })).toMatchObject({
      effect: "deny",
      reasons: [{ code: "unknown-tool" }],
    });
    expect(session.label.level).toBe("public");
    expect([session.state.calls, await kinds()]).toEqual([0, ["session-opened"]]);
  });

  it("asks a person once, and uses no yes up (law-7)", async () => {
    const { gate, session, kinds } = await open();
    const call = { tool: "pay", arguments: { amount: 5 } };
    const first = await session.preview(call);
    expect(first).toMatchObject({ effect: "ask", approval: { status: "pending" } });
    expect((await session.preview(call)).approval?.id).toBe(first.approval?.id);
    await gate.answerApproval(first.approval?.id ?? "", { answer: "approved", by: "grace" });
    for (const _ of [1, 2]) expect((await session.preview(call)).effect).toBe("allow");
    expect((await session.call(call, () => "paid")).effect).toBe("allow");
    expect((await session.preview(call)).effect).toBe("ask");
    expect((await kinds()).filter((kind) => kind === "approval-requested")).toHaveLength(2);
  });

  it("asks a grant that is a function, as a call does (A2)", async () => {
    const { session } = await open();
    const effects = await session.run({ permissions: () => ["read"] }, async (view) => [
      (await view.preview({ tool: "read_mail" })).effect,
      (await view.preview({ tool: "pay" })).effect,
    ]);
    expect(effects).toEqual(["allow", "deny"]);
  });
});

describe("the tool that a name means", () => {
  it("is the one that this view sees, also by a pattern; null for all that it may never call (law-5)", async () => {
    const { gate, session } = await open();
    expect(session.tool("read_mail")?.id).toBe("read_mail");
    expect(session.tool("office_calendar")?.id).toBe("office_calendar");
    for (const name of ["office_safe", "nothing", "constructor"]) expect(session.tool(name)).toBe(null);
    const names = await session.run({ visibility: { visibleTools: () => [] } }, (view) =>
      view.tool("read_mail"),
    );
    expect(names).toBe(null);
    await session.call({ tool: "read_mail" }, () => null);
    expect(session.tool("web_search")?.name).toBe("web_search");
    await gate.reset(session.id);
    await session.refresh();
    expect(session.tool("read_mail")).toBe(null);
  });
});
