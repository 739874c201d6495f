import { describe, expect, it } from "vitest";
import { guard, isRefusal, REFUSAL_META } from "../../src/adapters/mcp-client.ts";
import { createGate, definePolicy } from "../../src/index.ts";
import { describeAdapter } from "../cases/adapter.case.ts";
import { openOffice } from "../cases/adapter-office.ts";
import { connect, mcpClient, textOf } from "./mcp-client-driver.ts";

describeAdapter(mcpClient);

describe("the adapter for MCP clients", () => {
  it("looks tools up as those of one server, where it is named", async () => {
    const { tools } = await openOffice();
    const gate = createGate({
      policy: definePolicy({
        servers: {
          office: { tools: { note: { permissions: ["write"] } } },
          other: { tools: { note: { permissions: [] } } },
        },
      }),
    });
    const session = await gate.open();
    const guarded = guard(session, await connect(tools), { server: "office" });
    expect((await guarded.listTools()).tools.map(({ name }) => name)).toEqual(["note"]);
    expect(textOf(await guarded.callTool({ name: "note" }))).toBe("noted");
    expect((await session.journal()).find(({ kind }) => kind === "call-admitted")?.data.tool).toBe(
      "mcp__office__note",
    );
  });

  it("answers a refusal as a tool does, with what was decided, and records a tool's own failure", async () => {
    const office = await openOffice();
    const guarded = guard(office.session, await connect(office.tools));
    expect(await guarded.callTool({ name: "fail" })).toMatchObject({ isError: true });
    const refused = await guarded.callTool({ name: "web_search", arguments: { query: "q" } });
    expect(refused.isError).toBe(true);
    expect(isRefusal(refused._meta?.[REFUSAL_META])).toBe(true);
    expect(await office.journal("call-finished")).toEqual([["call-finished", "error"]]);
  });

  it("calls the tool that was decided on, though its caller changes the request meanwhile (A8)", async () => {
    const office = await openOffice();
    const guarded = guard(office.session, await connect(office.tools));
    office.slow.add("note");
    const request = { name: "note", arguments: {} };
    const called = guarded.callTool(request);
    request.name = "web_search";
    expect(textOf(await called)).toBe("noted");
    expect(office.ran).toEqual(["note"]);
  });

  it("holds a call that asks for a person, and doesn't make it once its caller has gone", async () => {
    const office = await openOffice();
    const guarded = guard(office.session, await connect(office.tools), { waitSeconds: 60 });
    const held = guarded.callTool({ name: "pay", arguments: { amount: 5 } });
    const untilOneWaits = async (): Promise<string> => {
      for (;;) {
        const [waiting] = await office.gate.pendingApprovals();
        if (waiting) return waiting.id;
        await new Promise(setImmediate);
      }
    };
    await office.gate.answerApproval(await untilOneWaits(), { answer: "approved", by: "grace" });
    expect(textOf(await held)).toBe("paid 5");
    const leaving = new AbortController();
    const left = guarded.callTool({ name: "pay", arguments: { amount: 6 } }, { signal: leaving.signal });
    await untilOneWaits();
    leaving.abort();
    expect((await left).isError).toBe(true);
    expect(office.args).toEqual([{ amount: 5 }]);
  });
});
