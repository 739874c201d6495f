/** The loop itself: streams, budgets, a caller that leaves, and what goes wrong. */
import { beforeEach, describe, expect, it } from "vitest";
import { call, type Office, openOffice, say, scriptedModel } from "../../test/fixtures/planner-office.ts";
import { definePolicy } from "../core/index.ts";
import { currentCall, examineCalls, type Session, type ToolProvider } from "../runtime/index.ts";
import { createPlanner, type PlannerOptions } from "./planner.ts";

let office: Office;
let session: Session;

beforeEach(async () => {
  office = openOffice();
  session = await office.gate.open({ principal: "ada" });
});

const plannerFor = (script: Parameters<typeof scriptedModel>[0], more: Partial<PlannerOptions> = {}) => {
  const { model, asked } = scriptedModel(script);
  return { planner: createPlanner({ model, tools: office.tools, ...more }), asked };
};

const ended = async (): Promise<readonly unknown[]> => {
  for (;;) {
    const entries = await session.journal();
    const of = (kind: string) => entries.filter((entry) => entry.kind === kind);
    const finished = of("call-finished");
    if (finished.length === of("call-admitted").length) return finished.map(({ data }) => data.outcome);
    await new Promise(setImmediate);
  }
};

describe("a run that streams", () => {
  it("gives the model's words as they come, and ends as any other does", async () => {
    const { planner } = plannerFor([[call("search_email")], say("Q3 was fine.")]);
    const words: string[] = [];
    const result = await planner.run({ session, prompt: "x", onText: (text) => words.push(text) });
    expect(words).toEqual(["Q3 ", "was ", "fine."]);
    expect(result).toMatchObject({ status: "done", text: "Q3 was fine.", tokens: 20 });
    expect(result.steps[0]?.calls[0]?.outcome).toBe("ran");
  });

  it("pauses and goes on like any other (D5-planner)", async () => {
    const { planner } = plannerFor([[call("pay", { amount: 1 })], say("paid it")]);
    const onText = () => {};
    const paused = await planner.run({ session, prompt: "x", onText });
    await office.gate.answerApproval(paused.approval ?? "", { answer: "approved", by: "grace" });
    const done = await planner.resume(paused.token ?? "", { session, onText });
    expect([done.status, done.text, office.ran]).toEqual(["done", "paid it", ["pay"]]);
  });

  it("fails where the model does, and where whoever listens does", async () => {
    const failing = plannerFor(() => {
      throw new TypeError("no such model");
    });
    await expect(failing.planner.run({ session, prompt: "x", onText: () => {} })).rejects.toMatchObject({
      code: "upstream-failed",
    });
    const deaf = () => {
      throw new Error("the socket is closed");
    };
    const { planner } = plannerFor([say("hello")]);
    await expect(planner.run({ session, prompt: "x", onText: deaf })).rejects.toMatchObject({
      code: "upstream-failed",
    });
    expect((await plannerFor([say("next")]).planner.run({ session, prompt: "x" })).text).toBe("next");
  });
});

describe("a caller that leaves", () => {
  it.each([
    ["whole", undefined],
    ["streamed", () => {}],
  ])("ends a run that is %s: what was admitted keeps its raise, and nothing more runs", async (_, onText) => {
    const leaving = new AbortController();
    office.onRun.set("search_email", () => leaving.abort(new Error("the user has left")));
    const { planner, asked } = plannerFor([[call("search_email")], [call("note")], say("never")]);
    const result = await planner.run({
      session,
      prompt: "x",
      signal: leaving.signal,
      ...(onText && { onText }),
    });
    expect(result).toMatchObject({ status: "stopped", stopped: "aborted" });
    expect(session.label.level).toBe("internal");
    await ended();
    expect([asked.length, office.ran]).toEqual([1, ["search_email"]]);
    expect((await plannerFor([say("next")]).planner.run({ session, prompt: "x" })).text).toBe("next");
  });

  it("runs nothing where it has left before, or while the model thinks", async () => {
    const gone = await plannerFor([[call("note")]]).planner.run({
      session,
      prompt: "x",
      signal: AbortSignal.abort(),
    });
    const leaving = new AbortController();
    const { planner } = plannerFor(async ({ signal }) => {
      leaving.abort();
      signal?.throwIfAborted();
      return [call("note")];
    });
    const left = await planner.run({ session, prompt: "x", signal: leaving.signal });
    expect([gone.stopped, left.stopped, office.ran]).toEqual(["aborted", "aborted", []]);
  });
});

describe("a budget", () => {
  it("of steps ends a run that goes round in circles, with what it has done", async () => {
    const { planner } = plannerFor(() => [call("note")], { maxSteps: 3 });
    const result = await planner.run({ session, prompt: "x" });
    expect(result).toMatchObject({ status: "stopped", stopped: "steps", tokens: 30 });
    expect([result.steps.length, office.ran.length]).toEqual([3, 3]);
  });

  it("of tokens ends a run too", async () => {
    const { planner, asked } = plannerFor(() => [call("note")], { maxTokens: 20 });
    expect(await planner.run({ session, prompt: "x" })).toMatchObject({
      status: "stopped",
      stopped: "tokens",
    });
    expect(asked.length).toBe(2);
  });

  it("doesn't take away the words of a run that is done in time", async () => {
    const { planner } = plannerFor([[call("note")], say("just in time")], { maxSteps: 2 });
    expect(await planner.run({ session, prompt: "x" })).toMatchObject({
      status: "done",
      text: "just in time",
    });
  });

  it.each([0, -1, Number.NaN])("of %d is none", (maxSteps) => {
    expect(() => plannerFor([], { maxSteps })).toThrow(expect.objectContaining({ code: "invalid-request" }));
  });
});

describe("what goes wrong", () => {
  it("in a tool is told to the model, which goes on; the session keeps the raise", async () => {
    const { planner, asked } = plannerFor([[call("fail")], say("The index is down.")]);
    const result = await planner.run({ session, prompt: "x" });
    expect(result.steps[0]?.calls[0]?.outcome).toBe("failed");
    expect([result.status, asked[1]?.told["c-fail"]]).toEqual(["done", "Error: the index is broken"]);
    expect(session.label.level).toBe("confidential");
    expect(await ended()).toEqual(["error"]);
  });

  it("in the model is an error with its cause, and the session's next run has its turn", async () => {
    const cause = new TypeError("no such model");
    const { planner } = plannerFor(() => {
      throw cause;
    });
    await expect(planner.run({ session, prompt: "x" })).rejects.toMatchObject({
      code: "upstream-failed",
      cause,
    });
    expect((await plannerFor([say("next")]).planner.run({ session, prompt: "x" })).text).toBe("next");
  });

  it("with a call that is no call is told to the model, and reaches neither the gate nor a tool", async () => {
    const { planner, asked } = plannerFor([
      [call("note", "{ no json", "one"), call("constructor", {}, "two"), call("__proto__", {}, "three")],
      say("sorry"),
    ]);
    const result = await planner.run({ session, prompt: "x" });
    expect(result.steps[0]?.calls.map(({ outcome }) => outcome)).toEqual(["invalid", "invalid", "invalid"]);
    expect(Object.keys(asked[1]?.told ?? {})).toEqual(["one", "two", "three"]);
    expect(office.ran).toEqual([]);
    expect((await session.journal()).map(({ kind }) => kind)).toEqual(["session-opened"]);
  });

  it("in a batch that reads and then sends is stopped at the gate, in the model's order (C1-declared)", async () => {
    const { planner, asked } = plannerFor([[call("search_email"), call("web_search")], say("done")]);
    await planner.run({ session, prompt: "x" });
    expect(office.ran).toEqual(["search_email"]);
    expect(asked[1]?.told["c-web_search"]).toContain("is blocked in this session");
  });

  it("without a task, or with tools that can't be guarded, is said at once", async () => {
    const { planner } = plannerFor([]);
    await expect(planner.run({ session })).rejects.toMatchObject({ code: "invalid-request" });
    const { note } = office.tools;
    const bad: any[] = [
      { note: { ...note, needsApproval: true } },
      { note: { ...note, execute: undefined } },
      { report_impossible: note },
      [{ note }, { note }],
    ];
    for (const tools of bad)
      expect(() => plannerFor([], { tools })).toThrow(expect.objectContaining({ code: "invalid-tool" }));
  });
});

describe("tools of a provider", () => {
  const text = { type: "text", text: "a file" };
  const createFiles = (): ToolProvider & { readonly sent: unknown[] } => {
    const sent: unknown[] = [];
    const files = {
      id: "files",
      isOwn: true,
      status: "ready",
      problem: null,
      tools: new Map(["read", "write"].map((name) => [name, { name, inputSchema: { type: "object" } }])),
      settled: Promise.resolve(),
      examine: async (tool: string, { path }: any) => ({
        asks: tool === "write" ? (["outside-workspace"] as any) : [],
        targets: [{ path }],
        checked: { tool },
      }),
      run: async (tool: string, args: object, { examined, session: of }: any) => {
        sent.push([tool, args, examined?.checked, of]);
        return tool === "read" ? { content: [text, text] } : { content: [text], isError: true };
      },
      watch: () => () => {},
      close: async () => {},
    } as const;
    return { ...files, sent } as any;
  };
  const policy = definePolicy({
    servers: {
      files: {
        tools: {
          read: { permissions: ["read"], source: { level: "internal" } },
          write: { permissions: ["write"] },
        },
      },
    },
    tools: { search: { permissions: ["connect"] } },
  });

  it("run on what was examined, ask for what their provider asks, and fail where they say so (D2)", async () => {
    const files = createFiles();
    const { gate } = openOffice({ policy, facts: examineCalls([files]) });
    const { model, asked } = scriptedModel([
      [call("read", { path: "a" })],
      [call("write", { path: "b" })],
      say("done"),
    ]);
    const planner = createPlanner({ model, tools: [files] });
    const one = await gate.open();
    const paused = await planner.run({ session: one, prompt: "x" });
    expect(asked[0]?.tools).toEqual(["read", "write", "report_impossible"]);
    expect(asked[1]?.told["c-read"]).toBe("a file\na file");
    expect([paused.status, files.sent.length]).toEqual(["paused", 1]);
    await gate.answerApproval(paused.approval ?? "", { answer: "approved", by: "grace" });
    await planner.resume(paused.token ?? "", { session: one });
    expect(files.sent).toEqual([
      ["read", { path: "a" }, { tool: "read" }, one.id],
      ["write", { path: "b" }, { tool: "write" }, one.id],
    ]);
    expect(one.label.level).toBe("internal");
  });

  it("don't run where the gate wasn't given what their provider finds out (law-9)", async () => {
    const files = createFiles();
    const { gate } = openOffice({ policy });
    const { model, asked } = scriptedModel([[call("write", { path: "b" })], say("done")]);
    await createPlanner({ model, tools: files }).run({ session: await gate.open(), prompt: "x" });
    expect(files.sent).toEqual([]);
    expect(asked[1]?.told["c-write"]).toContain("The tool was not run.");
  });
});

it("lets a tool raise its session by what it finds, while it runs (law-8)", async () => {
  office.onRun.set("note", async () => {
    await currentCall()?.raise({ level: "secret" }, "vault");
    expect(session.label.level).toBe("secret");
  });
  await plannerFor([[call("note")], say("done")]).planner.run({ session, prompt: "x" });
  expect(session.datasets.map(({ id, sensitivity }) => [id, sensitivity])).toEqual([["vault", "secret"]]);
  expect(currentCall()).toBeNull();
});
