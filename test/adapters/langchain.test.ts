import { Command, MemorySaver } from "@langchain/langgraph";
import {
  type AIMessage,
  createAgent,
  createMiddleware,
  HumanMessage,
  ToolMessage,
  tool,
  toolStrategy,
} from "langchain";
import { describe, expect, it } from "vitest";
import { approvalIdOf, type GuardOptions, guard } from "../../src/adapters/langchain.ts";
import { describeAdapter } from "../cases/adapter.case.ts";
import type { Script } from "../cases/adapter-driver.ts";
import { openOffice } from "../cases/adapter-office.ts";
import { langchain, SCHEMA, ScriptedModel, type Talk, toTools } from "./langchain-driver.ts";

describeAdapter(langchain);

describe("the adapter for LangChain", () => {
  const call = (id: string, name: string, args = {}) => ({ id, tool: name, args });
  const start = { messages: [new HumanMessage("0")] };
  const scripted = (...script: Script) => {
    const talk: Talk = { script, shown: [], described: [] };
    return { talk, model: new ScriptedModel([talk]) };
  };
  const toldOf = ({ messages }: any): string[] =>
    messages
      .filter((one: any) => ToolMessage.isInstance(one))
      .map(({ content }: ToolMessage) => String(content));
  const beside = tool(async () => "ran beside", { name: "beside", description: "Beside.", schema: SCHEMA });
  const other = createMiddleware({ name: "other", tools: [beside] });

  it("refuses tools that the provider runs, unless they are named as ungoverned (A8)", async () => {
    const { session, tools } = await openOffice();
    const hosted = { type: "web_search_20250305", name: "hosted" };
    expect(() => guard(session, [...toTools(tools), hosted])).toThrow(
      expect.objectContaining({ code: "invalid-tool", details: { tools: ["hosted"] } }),
    );
    expect(guard(session, [hosted], { ungoverned: ["hosted"] }).tools).toEqual([hosted]);
  });

  it("neither shows nor runs a tool of other middleware, unless it is named as ungoverned (law-5)", async () => {
    const office = await openOffice();
    const play = async (ungoverned: readonly string[]) => {
      const { talk, model } = scripted([call("c-1", "beside"), call("c-2", "note")], []);
      const guarded = guard(office.session, toTools(office.tools), { ungoverned });
      const agent = createAgent({ model, ...guarded, middleware: [...guarded.middleware, other] });
      return { shown: talk.shown, told: toldOf(await agent.invoke(start)) };
    };
    const strict = await play([]);
    expect(strict.told).toEqual([
      "There is no tool `beside` in this session. Use a tool of the session's manifest.",
      "noted",
    ]);
    expect(strict.shown[0]).not.toContain("beside");
    const named = await play(["beside"]);
    expect([...named.told].sort()).toEqual(["noted", "ran beside"]);
    expect(named.shown[0]).toContain("beside");
  });

  it.each([
    "extract-text",
    "extract-1",
    "beside",
  ])("runs no tool of other middleware, whatever it is called: %s (law-5)", async (name) => {
    const office = await openOffice();
    const ran: string[] = [];
    const strange = tool(async () => ran.push(name), { name, description: "Beside.", schema: SCHEMA });
    const bringing = createMiddleware({ name: "bringing", tools: [strange] });
    // Middleware that jumps to the tools passes by every hook between the model and them.
    const jumping = createMiddleware({
      name: "jumping",
      afterModel: {
        canJumpTo: ["tools"],
        hook: ({ messages }) => {
          const { tool_calls: calls = [] } = (messages.at(-1) ?? {}) as AIMessage;
          return calls.length > 0 ? { jumpTo: "tools" as const } : undefined;
        },
      },
    });
    for (const others of [[bringing], [bringing, jumping]]) {
      const { model, talk } = scripted([call("c-1", name), call("c-2", "note")], []);
      const guarded = guard(office.session, toTools(office.tools));
      const agent = createAgent({ model, ...guarded, middleware: [...guarded.middleware, ...others] });
      const told = toldOf(await agent.invoke(start));
      expect(told).toContain(
        `There is no tool \`${name}\` in this session. Use a tool of the session's manifest.`,
      );
      expect(talk.shown[0]).not.toContain(name);
    }
    expect(ran).toEqual([]);
  });

  it("runs no tool that other middleware brings under a guarded tool's name (law-5)", async () => {
    const office = await openOffice();
    const strange = tool(async () => "ran beside", { name: "note", description: "A note.", schema: SCHEMA });
    const { model } = scripted([call("c-1", "note")], []);
    const { middleware } = guard(office.session, toTools(office.tools));
    const bringing = createMiddleware({ name: "bringing", tools: [strange] });
    const agent = createAgent({ model, tools: [], middleware: [...middleware, bringing] });
    expect(toldOf(await agent.invoke(start)).join()).toContain("There is no tool `note` in this session.");
  });

  it("leaves an answer of a given shape to LangChain, with the guarded tools beside it", async () => {
    const office = await openOffice();
    const shape: any = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
    const [strategy] = toolStrategy([shape]);
    const responseFormat: any = strategy;
    const { name } = responseFormat;
    const { model } = scripted(
      [call("c-1", "note")],
      [call("c-2", name, { sum: "?" })],
      [call("c-3", name, { sum: 3 })],
    );
    const agent = createAgent({ model, responseFormat, ...guard(office.session, toTools(office.tools)) });
    const ended: any = await agent.invoke(start);
    expect(ended.structuredResponse).toEqual({ sum: 3 });
    expect(office.ran).toEqual(["note"]);
  });

  it("decides a call by each of a tool's methods (A8)", async () => {
    const office = await openOffice();
    await office.session.addDataset("mail", "internal");
    const web: any = guard(office.session, toTools(office.tools)).tools.find(
      ({ name }) => name === "web_search",
    );
    for (const told of [await web._call({}), await web.func({}), await web.invoke({}), await web.call({})])
      expect(told).toContain("Tool `web_search` is blocked in this session");
    expect(office.ran).toEqual([]);
  });

  it("keeps the model's order where other middleware keeps the first call of a step", async () => {
    const office = await openOffice();
    const slow = createMiddleware({
      name: "slow",
      wrapToolCall: async (request, handler) => {
        for (let turn = 0; request.toolCall.id === "c-1" && turn < 20; turn += 1)
          await new Promise(setImmediate);
        return handler(request);
      },
    });
    const { model } = scripted([call("c-1", "read_mail"), call("c-2", "web_search")]);
    const guarded = guard(office.session, toTools(office.tools));
    await createAgent({ model, ...guarded, middleware: [...guarded.middleware, slow] }).invoke(start);
    expect(office.ran).toEqual(["read_mail"]);
  });

  it("refuses in the gate's words where there is no checkpointer, and holds the call where it may", async () => {
    const office = await openOffice();
    const play = (options: GuardOptions) => {
      const { model } = scripted([call("c-1", "pay", { amount: 5 })]);
      return createAgent({ model, ...guard(office.session, toTools(office.tools), options) }).invoke(start);
    };
    expect(toldOf(await play({}))[0]).toContain("Tool `pay` waits for a person.");
    expect(office.ran).toEqual([]);
    const held = play({ waitSeconds: 60 });
    const [waiting] = await office.gate.pendingApprovals();
    await office.gate.answerApproval(waiting?.id ?? "", { answer: "approved", by: "grace" });
    expect(toldOf(await held)).toEqual(["paid 5"]);
  });

  it("pauses for two calls of one step, and goes on with each by its own answer (law-7)", async () => {
    const office = await openOffice();
    const { model } = scripted([call("c-1", "pay", { amount: 1 }), call("c-2", "pay", { amount: 2 })]);
    const config = { configurable: { thread_id: "1" } };
    const guarded = guard(office.session, toTools(office.tools));
    const agent = createAgent({ model, checkpointer: new MemorySaver(), ...guarded });
    const paused: any = await agent.invoke(start, config);
    const [first, second] = paused.__interrupt__;
    await office.gate.answerApproval(approvalIdOf(first) ?? "", { answer: "denied", by: "grace" });
    await office.gate.answerApproval(approvalIdOf(second) ?? "", { answer: "approved", by: "grace" });
    const decisions = [{ type: "approve" }];
    const resume = { [first.id]: { decisions }, [second.id]: { decisions } };
    const ended = await agent.invoke(new Command({ resume }), config);
    expect(toldOf(ended)).toEqual([expect.stringContaining("said no"), "paid 2"]);
    expect(office.args).toEqual([{ amount: 2 }]);
  });
});
