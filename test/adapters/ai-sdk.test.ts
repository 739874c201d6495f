/** The adapter for the AI SDK, with the SDK itself and a model that plays a script. */
import { isStepCount, ToolLoopAgent, type ToolSet, tool } from "ai";
import { describe, expect, it } from "vitest";
import { approvalIdOf, guard, isRefusal } from "../../src/adapters/ai-sdk.ts";
import { currentSession, withSession } from "../../src/index.ts";
import { describeAdapter } from "../cases/adapter.case.ts";
import type { Script } from "../cases/adapter-driver.ts";
import { openOffice } from "../cases/adapter-office.ts";
import { ANY, aiSdk, createModel, type Talk, toTools } from "./ai-sdk-driver.ts";

describeAdapter(aiSdk("the AI SDK", false));
describeAdapter(aiSdk("the AI SDK that streams", true));

const options = { toolCallId: "c-1", messages: [], context: undefined } as const;

/** One step of the model that makes these calls, and another that says that it is done. */
async function playOnce(script: Script, settings: any) {
  const talk: Talk = { script, shown: [], described: [] };
  const agent = new ToolLoopAgent({ model: createModel([talk]), stopWhen: isStepCount(9), ...settings });
  return { agent, result: await agent.generate({ messages: [{ role: "user", content: "0" }] }) };
}

describe("the adapter for the AI SDK", () => {
  const provided = {
    type: "provider",
    id: "acme.web",
    args: {},
    inputSchema: ANY,
    isProviderExecuted: true,
  } as const;
  const client = tool({ inputSchema: ANY, outputSchema: ANY });

  it("refuses tools that the provider or a client runs, unless they are named as ungoverned (A8)", async () => {
    const { session, tools } = await openOffice();
    const all: ToolSet = { ...toTools(tools), provided, client };
    expect(() => guard(session, all)).toThrow(
      expect.objectContaining({
        code: "invalid-tool",
        message: "Tools `provided` and `client` can't be guarded.",
        details: { tools: ["provided", "client"] },
      }),
    );
    const guarded = guard(session, all, { ungoverned: ["provided", "client"] });
    expect(guarded.tools.provided).toBe(provided);
    expect((await guarded.prepareStep()).activeTools).toEqual(expect.arrayContaining(["provided", "client"]));
  });

  it("keeps the model's order where the SDK starts the calls of a step in another one", async () => {
    const office = await openOffice();
    await playOnce(
      [
        [
          { id: "c-1", tool: "read_mail", args: {} },
          { id: "c-2", tool: "web_search", args: {} },
        ],
      ],
      {
        ...guard(office.session, toTools(office.tools)),
        onToolExecutionStart: async ({ toolCall }: any) => {
          for (let turn = 0; toolCall.toolCallId === "c-1" && turn < 20; turn += 1)
            await new Promise(setImmediate);
        },
      },
    );
    expect(office.ran).toEqual(["read_mail"]);
  });

  it("leaves a tool's own question and its own output as they are, and gives it no refusal to write", async () => {
    const office = await openOffice();
    const written: unknown[] = [];
    const run = toTools(office.tools);
    const toModelOutput = ({ output }: any) => {
      written.push(output);
      return { type: "text", value: `<${output}>` } as const;
    };
    const { result } = await playOnce(
      [
        [{ id: "c-1", tool: "note", args: {} }],
        [{ id: "c-2", tool: "read_mail", args: {} }],
        [{ id: "c-3", tool: "web_search", args: {} }],
      ],
      guard(office.session, {
        note: { ...run.note, needsApproval: ({ sure }: any) => !sure } as any,
        read_mail: { ...run.read_mail, toModelOutput } as any,
        web_search: { ...run.web_search, toModelOutput } as any,
      }),
    );
    const [request] = result.content.filter(({ type }) => type === "tool-approval-request");
    expect(request).toMatchObject({ toolCall: { toolCallId: "c-1" } });
    expect([approvalIdOf(request as any), office.ran]).toEqual([null, []]);
    const guarded = guard(office.session, {
      read_mail: { ...run.read_mail, toModelOutput } as any,
      note: run.note as any,
    });
    const { result: read } = await playOnce([[{ id: "c-2", tool: "read_mail", args: {} }]], guarded);
    expect(JSON.stringify(read.responseMessages)).toContain("<Q3 is up 4 percent.>");
    office.takeAway("read_mail");
    const refused = await guarded.tools.read_mail.execute({}, options);
    expect(isRefusal(refused)).toBe(true);
    expect(
      await guarded.tools.read_mail.toModelOutput({ toolCallId: "c", input: {}, output: refused }),
    ).toEqual({
      type: "error-text",
      value: expect.stringContaining("is not allowed"),
    });
    expect(written).toEqual(["Q3 is up 4 percent."]);
  });

  it("refuses in the gate's words where the host leaves `toolApproval` out, and holds the call where it may", async () => {
    const office = await openOffice();
    const { tools } = guard(office.session, toTools(office.tools));
    const pay = { id: "c-1", tool: "pay", args: { amount: 5 } };
    const { result } = await playOnce([[pay]], { tools });
    const [refused] = result.steps[0]?.toolResults ?? [];
    expect(refused?.output).toMatchObject({ effect: "ask", approval: { status: "pending" } });
    const held = guard(office.session, toTools(office.tools), { waitSeconds: 60 }).tools;
    const running = playOnce([[pay]], { tools: held });
    const [waiting] = await office.gate.pendingApprovals();
    await office.gate.answerApproval(waiting?.id ?? "", { answer: "approved", by: "grace" });
    expect(JSON.stringify((await running).result.responseMessages)).toContain("paid 5");
    expect(office.ran).toEqual(["pay"]);
  });

  it("doesn't run a call whose caller has gone, before its turn or while it waits for a person", async () => {
    const office = await openOffice();
    const { tools } = guard(office.session, toTools(office.tools), { waitSeconds: 60 });
    const gone = AbortSignal.abort(new Error("the caller has gone"));
    const execute = async (name: string, abortSignal: AbortSignal) =>
      (tools[name] as any).execute({}, { ...options, abortSignal });
    await expect(execute("note", gone)).rejects.toThrow("the caller has gone");
    const leaving = new AbortController();
    const held = execute("pay", leaving.signal);
    while ((await office.gate.pendingApprovals()).length === 0) await new Promise(setImmediate);
    leaving.abort();
    expect(await held).toMatchObject({ effect: "ask" });
    expect(office.ran).toEqual([]);
    expect(await office.journal("call-admitted")).toEqual([]);
  });

  it("stops a tool that streams once its reader leaves, and gives each chunk as it comes", async () => {
    const office = await openOffice();
    const { tools } = guard(office.session, toTools(office.tools));
    const chunks: unknown[] = [];
    for await (const chunk of (tools.stream as any).execute({ count: 9 }, options)) {
      chunks.push(chunk);
      if (chunks.length === 2) break;
    }
    expect(chunks).toEqual(["chunk 1", "chunk 2"]);
    expect(await office.journal("call-finished")).toEqual([["call-finished", "ok"]]);
    expect(office.labels.length).toBe(2);
  });

  it("serves a stream that is read outside of its session's context", async () => {
    const office = await openOffice();
    const talk: Talk = { script: [[{ id: "c-1", tool: "read_mail", args: {} }]], shown: [], described: [] };
    const agent = new ToolLoopAgent({
      model: createModel([talk]),
      ...guard(currentSession, toTools(office.tools)),
    });
    const stream = await withSession(office.session, () => agent.stream({ prompt: "0" }));
    await stream.consumeStream();
    expect(office.ran).toEqual(["read_mail"]);
    expect(office.session.label.level).toBe("internal");
  });
});
