/** One planner and many runs: what each sees, in which order they come, what is told once for all of them. */
import { describe, expect, it } from "vitest";
import { call, openOffice, say, scriptedModel, TOOLS } from "../../test/fixtures/planner-office.ts";
import { definePolicy, type Tool } from "../core/index.ts";
import type { ToolVisibilityPolicy } from "../runtime/index.ts";
import { createPlanner } from "./planner.ts";

const REPORT = "report_impossible";

/** Sees the tools that are named in the context. */
const named: ToolVisibilityPolicy<readonly string[]> = {
  visibleTools: (tools, names) => tools.filter(({ name }) => names.includes(name)),
};

describe("a planner that runs a task", () => {
  it("tells the model what its tools cost before it starts, and gives what came of it as plain data (C3)", async () => {
    const { gate, tools, ran } = openOffice();
    const { model, asked } = scriptedModel([
      [call("web_search")],
      [call("search_email")],
      say("Both agree."),
    ]);
    const planner = createPlanner({ model, tools, instructions: "You are an analyst." });
    const session = await gate.open({ principal: "ada" });
    const result = await planner.run({ session, prompt: "Compare our mail with the news" });
    expect(result).toMatchObject({
      status: "done",
      text: "Both agree.",
      session: session.id,
      tokens: 30,
      steps: [
        { calls: [{ id: "c-web_search", tool: "web_search", outcome: "ran" }], tokens: 10 },
        { calls: [{ id: "c-search_email", tool: "search_email", outcome: "ran" }] },
        { text: "Both agree.", calls: [] },
      ],
    });
    expect(structuredClone(result)).toEqual(result);
    expect(ran).toEqual(["web_search", "search_email"]);
    expect(asked[0]?.system).toMatch(/^You are an analyst\.\n\nTool ordering/);
    expect(asked[0]?.system).toContain(
      "Calling `search_email` or `fail` blocks `web_search` and `slack_post`",
    );
    expect(asked[2]?.system).toContain("Blocked already, since this session holds internal");
    expect(asked[0]?.tools).toEqual([...Object.keys(TOOLS), REPORT]);
  });

  it("goes on with a conversation that an earlier run gave", async () => {
    const { gate, tools } = openOffice();
    const { model, asked } = scriptedModel([say("first"), say("second")]);
    const planner = createPlanner({ model, tools });
    const session = await gate.open();
    const { messages } = await planner.run({ session, prompt: "one" });
    const { text } = await planner.run({ session, messages, prompt: "two" });
    expect([text, asked[1]?.step, asked[1]?.words]).toEqual(["second", 1, "one"]);
  });

  it("decides every call again when it is executed, whatever the model was shown (B8)", async () => {
    const office = openOffice();
    const { gate, tools, ran } = office;
    const without = definePolicy({ tools: TOOLS, policy: { deniedTools: ["note"] } }, { version: "2" });
    const { model, asked } = scriptedModel(({ step }) => {
      // The policy is another one by the time at which what the model was shown is executed.
      if (step === 0) gate.usePolicy(without);
      return step === 0 ? [call("note")] : say("done");
    });
    const result = await createPlanner({ model, tools }).run({
      session: await gate.open(),
      prompt: "note it",
    });
    expect(asked[0]?.tools).toContain("note");
    expect(asked[1]?.tools).not.toContain("note");
    expect(result.steps[0]?.calls).toEqual([{ id: "c-note", tool: "note", outcome: "refused" }]);
    expect(ran).toEqual([]);
  });

  it("shows guardrails the tools that the run sees, and no others (B8)", async () => {
    const seen: Record<string, readonly string[]> = {};
    const { gate, tools } = openOffice({
      facts: ({ tool }, view) => {
        seen[tool] = view.tools.map(({ name }) => name);
        return {};
      },
    });
    const { model } = scriptedModel([[call("note")], say("done")]);
    const planner = createPlanner({ model, tools, policy: { deniedTools: ["pay"] } });
    const session = await gate.open();
    await planner.run({ session, prompt: "x", visibility: named, context: ["note", "pay", "web_search"] });
    expect(seen).toEqual({ note: ["web_search", "note"] });
  });
});

describe("what a run sees", () => {
  it("is nothing that a tool policy takes away: no catalogue, no prompt, no call by any name (B1, law-5)", async () => {
    const { gate, tools, ran } = openOffice();
    const { model, asked } = scriptedModel([
      [call("slack_post"), call("slack_post", {}, "again"), call("nothing_such")],
      say("done"),
    ]);
    const policy = { deniedTools: ["slack_*"], requireTags: ["office"] };
    const session = await gate.open();
    const result = await createPlanner({ model, tools, policy }).run({ session, prompt: "post it" });
    expect(asked[0]?.tools).toEqual(["search_email", "web_search", "note", REPORT]);
    expect(asked[0]?.system).not.toContain("slack_post");
    expect(ran).toEqual([]);
    expect(result.steps[0]?.calls.map(({ outcome }) => outcome)).toEqual(["invalid", "invalid", "invalid"]);
    const told = (id: string, tool: string) => asked[1]?.told[id]?.replaceAll(tool, "<tool>");
    expect(told("c-slack_post", "slack_post")).toBe(told("c-nothing_such", "nothing_such"));
    expect(told("c-slack_post", "slack_post")).not.toContain("pay");
  });

  it("is nothing where the allow list is empty, and its own way to give up all the same (B1)", async () => {
    const { gate, tools } = openOffice();
    const { model, asked } = scriptedModel([[call(REPORT, { reason: "no tools" })]]);
    const session = await gate.open();
    const planner = createPlanner({ model, tools, policy: { allowedTools: [] } });
    const { status, text } = await planner.run({ session, prompt: "x" });
    expect([status, text, asked[0]?.tools]).toEqual(["impossible", "no tools", [REPORT]]);
    expect(await session.impossible()).toBe("no tools");
  });

  it("is narrowed by a visibility policy that may take its time, and starts nothing where that throws (B2)", async () => {
    const { gate, tools } = openOffice();
    const { model, asked } = scriptedModel([]);
    const planner = createPlanner({ model, tools });
    const session = await gate.open();
    const slow = {
      visibleTools: async (all: readonly Tool[]) => {
        await new Promise(setImmediate);
        return [...all.filter(({ name }) => name === "note"), "mcp__mail__send", "pay2"];
      },
    };
    await planner.run({ session, prompt: "x", visibility: slow });
    expect(asked[0]?.tools).toEqual(["note", REPORT]);
    const broken = {
      visibleTools: () => {
        throw new Error("the directory is down");
      },
    };
    await expect(planner.run({ session, prompt: "x", visibility: broken })).rejects.toMatchObject({
      code: "visibility-failed",
    });
    expect(asked.length).toBe(1);
  });

  it("is its own in each of a hundred runs that overlap on one planner (B3-planner, law-5)", async () => {
    const names = Object.keys(TOOLS);
    const { gate, tools, ran, onRun } = openOffice();
    const visible = Array.from({ length: 100 }, (_, run) =>
      names.filter((__, bit) => ((run * 37 + 11) >> bit) & 1),
    );
    const all = Promise.withResolvers<void>();
    let begun = 0;
    const calledBy = visible.map((): string[] => []);
    for (const name of names) onRun.set(name, ({ run }) => void calledBy[run]?.push(name));
    const { model, asked } = scriptedModel(async ({ step, words }) => {
      if (step === 0) {
        begun += 1;
        if (begun === 100) all.resolve();
        await all.promise;
        // Every run tries every tool, whatever it is shown.
        return names.map((name) => call(name, { run: Number(words) }));
      }
      return say("done");
    });
    const planner = createPlanner({ model, tools });
    const results = await Promise.all(
      visible.map(async (context, run) =>
        planner.run({ session: await gate.open(), prompt: String(run), visibility: named, context }),
      ),
    );
    for (const { tools: shown, words } of asked) {
      const mine = visible[Number(words)] ?? [];
      expect([...shown].sort()).toEqual([...mine, REPORT].sort());
    }
    visible.forEach((mine, run) => {
      expect(mine).toEqual(expect.arrayContaining(calledBy[run] ?? []));
      const outcomes = new Map(results[run]?.steps[0]?.calls.map(({ tool, outcome }) => [tool, outcome]));
      for (const name of names) expect(outcomes.get(name) === "invalid").toBe(!mine.includes(name));
      if (mine.includes("note")) expect(calledBy[run]).toContain("note");
    });
    expect(ran.length).toBe(calledBy.flat().length);
  });
});

describe("a fork of a planner", () => {
  const shownTo = async (policies: readonly object[]): Promise<readonly string[]> => {
    const { gate, tools } = openOffice();
    const { model, asked } = scriptedModel([]);
    const [first = {}, ...rest] = policies;
    const planner = rest.reduce<ReturnType<typeof createPlanner>>(
      (parent, toolPolicy) => parent.fork({ toolPolicy }),
      createPlanner({ model, tools, policy: first }),
    );
    await planner.run({ session: await gate.open(), prompt: "x" });
    return asked[0]?.tools.filter((name) => name !== REPORT) ?? [];
  };

  it.each([
    [
      "adds what is denied",
      [{ deniedTools: ["pay"] }, { deniedTools: ["fail", "slack_post"] }],
      ["search_email", "web_search", "note"],
    ],
    [
      "intersects what is allowed",
      [{ allowedTools: ["pay", "note"] }, { allowedTools: ["note", "fail"] }],
      ["note"],
    ],
    ["takes the one allow list there is", [{}, { allowedTools: ["pay"] }], ["pay"]],
    ["adds tags", [{ requireTags: ["office"] }, { requireTags: ["lab"] }], []],
    [
      "can't take back what was denied",
      [{ deniedTools: ["*"] }, { deniedTools: [] }, { allowedTools: ["pay"] }],
      [],
    ],
  ] as const)("%s (B5)", async (_, policies, left) => {
    expect(await shownTo(policies)).toEqual(left);
  });

  it("has no switch to be wider, and leaves its parent as it was (B5)", async () => {
    const { gate, tools } = openOffice();
    const { model, asked } = scriptedModel(() => say("done"));
    const planner = createPlanner({ model, tools, policy: { deniedTools: ["pay"] } });
    const wish: any = { toolPolicy: { allowedTools: ["pay", "note"] }, inheritPolicy: false, tools };
    expect(() => planner.fork(wish)).toThrow("can't be forked");
    await planner.fork({ toolPolicy: wish.toolPolicy }).run({ session: await gate.open(), prompt: "x" });
    await planner.run({ session: await gate.open(), prompt: "x" });
    expect(asked.map((one) => one.tools.length)).toEqual([2, Object.keys(TOOLS).length]);
    expect(() => planner.fork({ toolPolicy: { deniedTools: ["mcp__pay"] } })).toThrow("matches no tool");
  });
});

describe("the order of runs", () => {
  it("queues those of one session as they came, while those of others overlap (B4-process)", async () => {
    const { gate, tools } = openOffice();
    const log: string[] = [];
    const gates = new Map(["a1", "b1"].map((name) => [name, Promise.withResolvers<void>()]));
    const { model } = scriptedModel(async ({ words }) => {
      log.push(`begin ${words}`);
      await gates.get(words)?.promise;
      log.push(`end ${words}`);
      return say(words);
    });
    // Another planner of the process has the same queue.
    const [planner, other] = [createPlanner({ model, tools }), createPlanner({ model, tools })];
    const [a, b] = [await gate.open(), await gate.open()];
    const runs = [
      planner.run({ session: a, prompt: "a1" }),
      other.run({ session: a, prompt: "a2" }),
      planner.run({ session: a, prompt: "a3" }),
      planner.run({ session: b, prompt: "b1" }),
    ];
    while (log.length < 2) await new Promise(setImmediate);
    expect(log.toSorted()).toEqual(["begin a1", "begin b1"]);
    gates.get("b1")?.resolve();
    await runs[3];
    expect(log).not.toContain("begin a2");
    gates.get("a1")?.resolve();
    expect((await Promise.all(runs)).map(({ text }) => text)).toEqual(["a1", "a2", "a3", "b1"]);
    const ofA = log.filter((line) => line.includes("a"));
    expect(ofA).toEqual(["begin a1", "end a1", "begin a2", "end a2", "begin a3", "end a3"]);
  });

  it("lets a tool of a run run a planner in the same session, as a part of that run", async () => {
    const { gate, tools, onRun, ran } = openOffice();
    const { model } = scriptedModel(({ words, step }) =>
      step > 0 ? say("done") : [call(words === "outer" ? "note" : "search_email")],
    );
    const planner = createPlanner({ model, tools });
    const session = await gate.open();
    onRun.set("note", async () => (await planner.run({ session, prompt: "inner" })).text);
    expect((await planner.run({ session, prompt: "outer" })).status).toBe("done");
    expect(ran).toEqual(["note", "search_email"]);
    expect(session.label.level).toBe("internal");
  });
});

it("makes the prompt once for all who see the same tools under the same label (B7)", async () => {
  const { gate, tools } = openOffice();
  const made: number[] = [];
  const { model } = scriptedModel([[call("search_email")], say("done")]);
  const planner = createPlanner({
    model,
    tools,
    instructions: ({ manifest, prompt }) => {
      made.push(manifest.tools.length);
      return prompt;
    },
  });
  const contexts = Array.from({ length: 40 }, (_, run) =>
    run % 2 ? ["search_email"] : ["search_email", "note"],
  );
  for (const context of contexts)
    await planner.run({ session: await gate.open(), prompt: "x", visibility: named, context });
  // Two sets of tools, each before and after the mail.
  expect(made.toSorted()).toEqual([1, 1, 2, 2]);
});
