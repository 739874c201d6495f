/** The adapter for the OpenAI Agents SDK, with the SDK itself and a model that plays a script. */
import {
  Agent,
  type Model,
  type ModelRequest,
  run,
  type Tool,
  tool,
  Usage,
  webSearchTool,
} from "@openai/agents";
import { describe, expect, it } from "vitest";
import { approvalIdOf, guard } from "../../src/adapters/openai-agents.ts";
import { currentSession, withSession } from "../../src/index.ts";
import { describeAdapter } from "../cases/adapter.case.ts";
import type { Script } from "../cases/adapter-driver.ts";
import { openOffice } from "../cases/adapter-office.ts";
import { createModel, openaiAgents, SCHEMA, toTools } from "./openai-agents-driver.ts";

describeAdapter(openaiAgents);

describe("the adapter for the OpenAI Agents SDK", () => {
  const scripted = (script: Script): Model => createModel([{ script, shown: [], described: [] }]);
  const call = (id: string, name: string, args = {}) => ({ id, tool: name, args });

  it("refuses tools that are no functions, unless they are named as ungoverned (A8)", async () => {
    const { session, tools } = await openOffice();
    const hosted = webSearchTool();
    expect(() => guard(session, [...toTools(tools), hosted])).toThrow(
      expect.objectContaining({ code: "invalid-tool", details: { tools: ["web_search"] } }),
    );
    expect(guard(session, [hosted], { ungoverned: ["web_search"] }).tools).toEqual([hosted]);
  });

  it.each([
    '{"q": ',
    "",
    "[1",
    '{"__proto__": {}, "a": 1e400}',
    '"\\ud800"',
    "7",
  ])("tells the model of arguments that can't be read, and goes on: %s", async (text) => {
    const office = await openOffice();
    const given = call("c-1", "note");
    const written: Model = scripted([[given]]);
    const model: Model = {
      ...written,
      getResponse: async (request: ModelRequest) => {
        const response = await written.getResponse(request);
        for (const item of response.output as any[]) if (item.type === "function_call") item.arguments = text;
        return response;
      },
    };
    let result: any = await run(
      new Agent({ name: "scripted", model, ...guard(office.session, toTools(office.tools)) }),
      "0",
    );
    for (const interruption of result.interruptions) {
      expect(await approvalIdOf(office.session, interruption)).toBe(null);
      result.state.approve(interruption);
    }
    if (result.interruptions.length > 0) result = await run(result.lastAgent, result.state);
    expect(result.finalOutput).toBe("done");
    expect(office.ran).toEqual(text === "7" ? ["note"] : []);
  });

  it("keeps the model's order where the host's own question about the first call takes long", async () => {
    const office = await openOffice();
    const needsApproval = async () => {
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
      return false;
    };
    const tools = (toTools(office.tools) as any[]).map((one) =>
      one.name === "read_mail" ? { ...one, needsApproval } : one,
    );
    const model = scripted([[call("c-1", "read_mail"), call("c-2", "web_search")]]);
    await run(new Agent({ name: "scripted", model, ...guard(office.session, tools) }), "0");
    expect(office.ran).toEqual(["read_mail"]);
  });

  it("lets go what waits behind a call that the host's own question stops", async () => {
    const office = await openOffice();
    const tools = (toTools(office.tools) as any[]).map((one) =>
      one.name === "read_mail" ? { ...one, needsApproval: async () => true } : one,
    );
    const model = scripted([[call("c-1", "read_mail"), call("c-2", "web_search")]]);
    const result = await run(new Agent({ name: "scripted", model, ...guard(office.session, tools) }), "0");
    expect(office.ran).toEqual(["web_search"]);
    expect(await approvalIdOf(office.session, result.interruptions[0] as any)).toBe(null);
    result.state.approve(result.interruptions[0] as any);
    await run(result.lastAgent as any, result.state as any);
    expect(office.ran).toEqual(["web_search", "read_mail"]);
  });

  it("throws a tool's error to the SDK where the host wants that, and records it", async () => {
    const office = await openOffice();
    const failing = tool({
      name: "fail",
      description: "Fails.",
      parameters: SCHEMA as any,
      strict: false,
      errorFunction: null,
      execute: () => {
        throw new Error("the index is broken");
      },
    });
    const agent = new Agent({
      name: "scripted",
      model: scripted([[call("c-1", "fail")]]),
      ...guard(office.session, [failing]),
    });
    await expect(run(agent, "0")).rejects.toThrow("the index is broken");
    expect(await office.journal("call-finished")).toEqual([["call-finished", "error"]]);
    expect(office.session.label.level).toBe("confidential");
  });

  it("gives an agent that is used as a tool its parent's session, and pauses for what that one asks (B8)", async () => {
    const office = await openOffice();
    const guarded = (names: readonly string[]): Tool[] =>
      guard(
        currentSession,
        toTools(office.tools).filter(({ name }) => names.includes(name)),
      ).tools;
    const inner = new Agent({
      name: "inner",
      model: {
        ...scripted([]),
        getResponse: async ({ input }: ModelRequest) => {
          const items = input as any[];
          const output: any = items.some(({ type }) => type === "function_call_result")
            ? {
                type: "message",
                role: "assistant",
                status: "completed",
                content: [{ type: "output_text", text: "sub done" }],
              }
            : {
                type: "function_call",
                callId: "i-1",
                name: "pay",
                arguments: '{"amount":5}',
                status: "completed",
              };
          return { usage: new Usage(), output: [output] };
        },
      },
      tools: guarded(["pay"]),
    });
    const delegate = inner.asTool({ toolName: "delegate", toolDescription: "Asks the other agent." });
    const outer = new Agent({
      name: "outer",
      model: scripted([[call("c-1", "delegate", { input: "pay" })]]),
      ...guard(currentSession, [delegate as Tool]),
    });
    await withSession(office.session, async () => {
      const paused = await run(outer, "0");
      const [item] = paused.interruptions;
      const id = await approvalIdOf(currentSession, item as any);
      expect(id).toMatch(/^appr_/);
      await office.gate.answerApproval(id ?? "", { answer: "approved", by: "grace" });
      paused.state.approve(item as any);
      const resumed = await run(outer, paused.state as any);
      expect(resumed.finalOutput).toBe("done");
    });
    expect(office.ran).toEqual(["pay"]);
  });
});
