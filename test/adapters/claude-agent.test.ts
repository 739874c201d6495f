/** The adapter for the Claude Agent SDK, in a loop that is its likeness; `npm run test:claude` has the SDK itself. */
import { describe, expect, it } from "vitest";
import { approvalIdOf, guard, isRefusal, REFUSAL_META } from "../../src/adapters/claude-agent.ts";
import { toWorkspaceDeclaration } from "../../src/core/index.ts";
import { createGate, createMemoryStore, definePolicy, type Session } from "../../src/index.ts";
import { describeRefusal, type InspectResult } from "../../src/runtime/index.ts";
import { describeAdapter } from "../cases/adapter.case.ts";
import { openOffice } from "../cases/adapter-office.ts";
import { claudeAgent, toSdkTools } from "./claude-agent-driver.ts";
import { createLoop, type LoopParts } from "./claude-agent-loop.ts";

describeAdapter(claudeAgent);

const POLICY = definePolicy({
  tools: {
    Read: { permissions: ["read"], source: { level: "internal", trust: "untrusted" } },
    WebFetch: { permissions: ["connect"], source: { level: "public", trust: "untrusted" } },
    Write: { permissions: ["write"], approval: "always" },
    Task: { permissions: ["read"] },
    read_mail: { permissions: ["read"], source: { level: "internal", trust: "untrusted" } },
  },
  servers: {
    github: { tools: { list_issues: { permissions: ["read"] }, search: { permissions: ["connect"] } } },
    workspace: toWorkspaceDeclaration(),
  },
});

interface Opening {
  readonly facts?: (tool: string) => Promise<void>;
  readonly options?: Parameters<typeof guard>[2];
  readonly inspect?: InspectResult;
  /** What the loop gets in place of what `guard` gave. */
  readonly change?: (parts: LoopParts) => LoopParts;
}

/** As if the SDK had asked nobody before. */
const unasked = (parts: LoopParts): LoopParts => ({
  ...parts,
  options: {
    ...parts.options,
    tools: [],
    disallowedTools: [],
    hooks: { ...parts.options.hooks, PreToolUse: [] },
    canUseTool: async () => ({ behavior: "allow" }),
  },
});

/** As if the SDK had told of no call that ended. */
const unheard = (parts: LoopParts): LoopParts => ({
  ...parts,
  options: { ...parts.options, hooks: { ...parts.options.hooks, PostToolUse: [] } },
});

const SECRET: InspectResult = async () => ({ findings: [], label: { level: "secret" } });
const CLEAN = { findings: [], label: null };

/** An agent with the SDK's own tools, which tell what they ran with. */
async function open({ facts, options = {}, inspect, change = (parts) => parts }: Opening = {}) {
  const gate = createGate({
    policy: POLICY,
    store: createMemoryStore(),
    ...(inspect && { inspect }),
    facts: async ({ tool }) => {
      await facts?.(tool);
      return {};
    },
  });
  const session = await gate.open();
  const ran: string[] = [];
  const names = ["Read", "WebFetch", "Write", "Agent", "TodoWrite", "Grep", "search"];
  const servers = [
    "mcp__github__list_issues",
    "mcp__github__drop",
    "mcp__workspace__Read",
    "mcp__tools__read_mail",
  ];
  const outside = new Map<string, (args: unknown) => unknown>(
    [...names, ...servers].map((name) => [
      name,
      (args: unknown) => {
        ran.push(`${name} ${JSON.stringify(args)}`);
        return { content: [{ type: "text", text: `did ${name}` }] };
      },
    ]),
  );
  const mail = { description: "Reads mail.", run: async () => "mail" };
  const parts = guard(session, toSdkTools(new Map([["read_mail", mail]])), options);
  const loop = createLoop(change({ ...parts, outside }));
  let count = 0;
  const call = (tool: string, args = {}) => {
    count += 1;
    return { id: `toolu_${count}`, tool, args };
  };
  /** Makes the calls of one step, and gives what the model was told of each. */
  const step = async (...calls: readonly (readonly [string, object?])[]): Promise<readonly string[]> => {
    const made = calls.map(([tool, args]) => call(tool, args));
    await loop.step(made);
    return made.map(({ id }) => loop.told[id] ?? "");
  };
  return { gate, session, ran, loop, parts, step, outside };
}

const journal = async (session: Session, ...kinds: readonly string[]): Promise<readonly unknown[]> =>
  (await session.journal())
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ kind, data }) => `${kind} ${data.outcome ?? data.tool}`);

const endings = ["call-admitted", "call-finished"] as const;

describe("what the Claude Agent SDK runs by itself", () => {
  it("is decided before, labels the session, and its end is on record (B8, law-8)", async () => {
    const { step, session, ran } = await open();
    const [read, fetched] = [await step(["Read", { file_path: "a" }]), await step(["WebFetch"])];
    expect(read).toEqual(["did Read"]);
    expect(fetched[0]).toContain("Tool `WebFetch` is blocked in this session.");
    expect(ran).toEqual([`Read {"file_path":"a"}`]);
    expect(session.label.level).toBe("internal");
    expect(await journal(session, ...endings)).toEqual(["call-admitted Read", "call-finished ok"]);
  });

  it("is decided in the model's order, with this program's tools in one step (law-8)", async () => {
    const slow = async (tool: string): Promise<void> => {
      for (let turn = 0; tool !== "WebFetch" && turn < 20; turn += 1) await new Promise(setImmediate);
    };
    for (const first of ["mcp__tools__read_mail", "Read"]) {
      const { step, ran } = await open({ facts: slow });
      const [, fetched] = await step([first], ["WebFetch"]);
      expect(fetched).toContain("is blocked in this session");
      expect(ran.join()).not.toContain("WebFetch");
    }
  });

  it("is decided as what its name says in full, and as nothing that is only called like it", async () => {
    const { step, ran } = await open();
    expect(await step(["mcp__github__list_issues"], ["Agent"])).toEqual([
      "did mcp__github__list_issues",
      "did Agent",
    ]);
    for (const name of ["search", "TodoWrite", "mcp__github__drop", "mcp__workspace__Read"])
      expect((await step([name]))[0], name).toContain(`There is no tool \`${name}\``);
    expect(ran).toHaveLength(2);
  });

  it("isn't run as a tool that its name came to mean while it was decided", async () => {
    const lookup = definePolicy({ servers: { other: { tools: { Lookup: { permissions: ["read"] } } } } });
    const opened = await open({ facts: async () => opened.gate.usePolicy(lookup) });
    opened.outside.set("Lookup", () => ({ content: [] }));
    expect(await opened.step(["Lookup"])).toEqual([
      expect.stringContaining("Sluicegate could not decide this call."),
    ]);
    expect(await journal(opened.session, ...endings)).toEqual([
      "call-admitted mcp__other__Lookup",
      "call-finished error",
    ]);
  });

  it("isn't run where it is a file tool of the policy's workspace, whose paths nobody examines here", async () => {
    const { step, ran } = await open();
    expect((await step(["Grep", { pattern: "x" }]))[0]).toContain("nothing here can examine which files");
    expect(ran).toEqual([]);
  });

  it("is denied where its facts can't be found out, or anything else goes wrong (law-3)", async () => {
    const { step, ran, parts, gate } = await open({
      facts: async (tool) => {
        if (tool === "Read") throw new Error("unknown");
      },
    });
    expect((await step(["Read"]))[0]).toMatch(/could not be|fact/);
    await gate.close();
    expect((await step(["WebFetch"]))[0]).toContain("Sluicegate could not decide this call.");
    expect((await step(["mcp__tools__read_mail"]))[0]).toContain("Sluicegate could not decide this call.");
    const [ask] = parts.options.hooks.PreToolUse[0]?.hooks ?? [];
    const signal = new AbortController().signal;
    for (const strange of [null, "x", [], {}, { hook_event_name: "PreToolUse", tool_name: "Read" }])
      expect(await ask?.(strange, "u", { signal })).toMatchObject({
        hookSpecificOutput: { permissionDecision: "deny" },
      });
    expect(parts.options.hooks.PreToolUse[0]?.onFailure).toBe("block");
    expect(ran).toEqual([]);
  });

  it("is admitted once, however often the SDK asks; with other arguments it is another call", async () => {
    const asking = await open();
    const { canUseTool } = asking.parts.options;
    const [ask] = asking.parts.options.hooks.PreToolUse[0]?.hooks ?? [];
    const signal = new AbortController().signal;
    const input = { file_path: "a" };
    const event = {
      hook_event_name: "PreToolUse",
      session_id: "s",
      cwd: "/",
      tool_name: "Read",
      tool_use_id: "u",
      tool_input: input,
    };
    await ask?.(event, "u", { signal });
    await ask?.(event, "u", { signal });
    expect(await canUseTool("Read", { file_path: "a" }, { signal, toolUseID: "u" })).toEqual({
      behavior: "allow",
      updatedInput: input,
    });
    expect(await journal(asking.session, ...endings)).toEqual(["call-admitted Read"]);
    await canUseTool("Read", { file_path: "b" }, { signal, toolUseID: "u" });
    expect(await journal(asking.session, ...endings)).toEqual([
      "call-admitted Read",
      "call-finished error",
      "call-admitted Read",
    ]);
    // So is a call of another tool, though its id and its arguments are the same.
    await canUseTool("Agent", { file_path: "b" }, { signal, toolUseID: "u" });
    expect((await journal(asking.session, ...endings)).slice(3)).toEqual([
      "call-finished error",
      "call-admitted Task",
    ]);
    // A subagent's call of the same id is another call.
    await canUseTool("Read", { file_path: "b" }, { signal, toolUseID: "u", agentID: "sub" });
    expect((await journal(asking.session, "call-admitted")).length).toBe(4);
  });

  it("leaves none running where two of one id are asked about at once", async () => {
    const { parts, session } = await open();
    const [ask] = parts.options.hooks.PreToolUse[0]?.hooks ?? [];
    const [told] = parts.options.hooks.PostToolUse[0]?.hooks ?? [];
    const signal = new AbortController().signal;
    const about = { session_id: "s", cwd: "/", tool_name: "Read", tool_use_id: "u", tool_input: {} };
    const before = { ...about, hook_event_name: "PreToolUse" };
    await Promise.all([ask?.(before, "u", { signal }), ask?.(before, "u", { signal })]);
    await told?.({ ...about, hook_event_name: "PostToolUse", tool_response: "x" }, "u", { signal });
    await session.flush();
    expect([session.state.calls, session.state.running.size]).toEqual([2, 0]);
  });

  it("ends as failed where the host, or the SDK's own rules, said no after it was admitted", async () => {
    const host = await open({ options: { canUseTool: async () => ({ behavior: "deny", message: "no" }) } });
    expect(await host.step(["Read"])).toEqual(["no"]);
    expect(await journal(host.session, ...endings)).toEqual(["call-admitted Read", "call-finished error"]);
    const silent = await open({ options: { canUseTool: async () => null } });
    expect((await silent.step(["Read"]))[0]).toContain("Nobody was there to be asked");
    const ruled = await open({
      change: (parts) => ({
        ...parts,
        options: {
          ...parts.options,
          tools: [],
          disallowedTools: [],
          canUseTool: async () => ({ behavior: "deny", message: "a rule" }),
        },
      }),
    });
    await ruled.step(["Read"]);
    expect(await journal(ruled.session, ...endings)).toEqual(["call-admitted Read", "call-finished error"]);
  });

  it("waits for a person by the SDK's own question, and runs by the gate's answer alone (law-7)", async () => {
    const answered = { answer: null as "approved" | "denied" | null };
    const opened = await open({
      options: {
        canUseTool: async (_, updatedInput, { decisionReason = "" }) => {
          const [id = ""] = decisionReason.match(/appr_[0-9a-f]{32}/) ?? [];
          const { answer } = answered;
          if (answer) await opened.gate.answerApproval(id, { answer, by: "grace" });
          return { behavior: "allow", updatedInput };
        },
      },
    });
    const write = async () => (await opened.step(["Write", { file_path: "a" }]))[0];
    expect(await write()).toContain("Tool `Write` waits for a person.");
    answered.answer = "denied";
    expect(await write()).toContain("said no");
    expect(opened.ran).toEqual([]);
    const fresh = await open({
      options: {
        canUseTool: async (_, updatedInput, { decisionReason = "" }) => {
          const [id = ""] = decisionReason.match(/appr_[0-9a-f]{32}/) ?? [];
          await fresh.gate.answerApproval(id, { answer: "approved", by: "grace" });
          return { behavior: "allow", updatedInput };
        },
      },
    });
    expect(await fresh.step(["Write", { file_path: "a" }])).toEqual(["did Write"]);
    expect(fresh.ran).toEqual([`Write {"file_path":"a"}`]);
  });

  it("is asked about by its own approval, whatever a server calls its tools", async () => {
    const named = `appr_${"0".repeat(32)}`;
    const always = { permissions: ["write"], approval: "always" } as const;
    const policy = definePolicy({ servers: { up: { tools: { [named]: always } } } });
    const session = await createGate({ policy, store: createMemoryStore() }).open();
    const asked = await session.preview({ tool: named });
    const decisionReason = describeRefusal(asked);
    expect(decisionReason).toContain(named);
    expect(approvalIdOf({ decisionReason })).toBe(asked.approval?.id);
  });

  it("is held for a person where the host asks nobody, for as long as it may be", async () => {
    const { step, gate, ran } = await open({ options: { waitSeconds: 60 } });
    const held = step(["Write", { file_path: "a" }]);
    for (;;) {
      const [waiting] = await gate.pendingApprovals();
      if (waiting) {
        await gate.answerApproval(waiting.id, { answer: "approved", by: "grace" });
        break;
      }
      await new Promise(setImmediate);
    }
    expect(await held).toEqual(["did Write"]);
    expect(ran).toHaveLength(1);
  });

  it("counts though nobody was asked before it ran, as all there is where nobody knows what it was", async () => {
    const known = await open({ change: unasked });
    await known.step(["Read"]);
    expect(known.session.label.level).toBe("internal");
    const unknown = await open({ change: unasked });
    await unknown.step(["TodoWrite"]);
    expect(unknown.session.label.level).toBe("*");
  });

  it("withholds a result, and ends the agent, where it can't be recorded", async () => {
    const opened = await open({ change: unasked });
    await opened.gate.close();
    expect(await opened.step(["Read"])).toEqual(["[withheld by Sluicegate]"]);
    expect(opened.loop.stopped).toContain("Sluicegate could not decide this call.");
  });

  it("ends the agent where what the model is told after all calls of a step can't be recorded", async () => {
    const opened = await open({ change: unheard, inspect: SECRET });
    opened.outside.set("Read", async () => {
      await opened.gate.close();
      return { content: [] };
    });
    await opened.step(["Read"]);
    expect(opened.loop.stopped).toContain("Sluicegate could not decide this call.");
  });

  it("is looked into like any other result, and what is found counts before the model has it", async () => {
    const { step, session } = await open({
      inspect: async (result) => {
        const isFound = JSON.stringify(result).includes("did Agent");
        return isFound
          ? { findings: [{ kind: "secret/test", place: "" }], label: { level: "secret" } }
          : CLEAN;
      },
    });
    expect(await step(["WebFetch"])).toEqual(["did WebFetch"]);
    expect(session.label.level).toBe("public");
    expect(await step(["Agent"])).toEqual(["did Agent"]);
    expect(session.label.level).toBe("secret");
  });

  it.each<[string, (parts: LoopParts) => LoopParts]>([
    ["before it ran", unasked],
    ["after it ran", unheard],
  ])("is looked into where the SDK's hooks were passed by %s", async (_, change) => {
    const { step, session } = await open({ change, inspect: SECRET });
    expect(await step(["Agent"])).toEqual(["did Agent"]);
    expect(session.label.level).toBe("secret");
  });

  it("is shown as far as the session sees it, and let through where the host named it", async () => {
    const { parts, step, session } = await open({ options: { ungoverned: ["TodoWrite"] } });
    expect(parts.options.tools).toEqual(["Read", "WebFetch", "Write", "Task", "TodoWrite"]);
    // The SDK's own question is the host's, and there is none to ask.
    expect((await step(["TodoWrite"]))[0]).toContain("Nobody was there to be asked");
    const { step: withHost } = await open({
      options: {
        ungoverned: ["TodoWrite"],
        canUseTool: async (_, updatedInput) => ({ behavior: "allow", updatedInput }),
      },
    });
    expect(await withHost(["TodoWrite"])).toEqual(["did TodoWrite"]);
    expect(await journal(session, "call-admitted", "call-refused")).toEqual([]);
  });
});

describe("this program's tools before the Claude Agent SDK", () => {
  it("decide by themselves, whatever the hooks were told, and answer a refusal as a tool does", async () => {
    const office = await openOffice();
    const { server } = guard(office.session, toSdkTools(office.tools));
    const byName = new Map(server.tools.map((tool) => [tool.name, tool]));
    const call = (name: string): any => byName.get(name)?.handler({});
    expect(await call("read_mail")).toEqual({ content: [{ type: "text", text: "Q3 is up 4 percent." }] });
    const refused = await call("web_search");
    expect(refused.isError).toBe(true);
    expect(isRefusal(refused._meta[REFUSAL_META])).toBe(true);
    expect(office.ran).toEqual(["read_mail"]);
    expect(server).toMatchObject({ name: "tools", alwaysLoad: true });
  });

  it("are those of the policy's server that is named, and no others that are called alike", async () => {
    const gate = createGate({
      policy: definePolicy({
        servers: {
          office: { tools: { note: { permissions: ["write"] } } },
          other: { tools: { note: { permissions: [] } } },
        },
      }),
    });
    const session = await gate.open();
    const note = { description: "Notes.", run: async () => "noted" };
    const tools = toSdkTools(new Map([["note", note]]));
    const { server, options } = guard(session, tools, { server: "office" });
    const loop = createLoop({ server, options });
    await loop.step([{ id: "c-1", tool: "mcp__office__note", args: {} }]);
    expect(loop.told["c-1"]).toBe("noted");
    expect(await journal(session, "call-admitted")).toEqual(["call-admitted mcp__office__note"]);
    expect(guard(session, tools).options.disallowedTools).toEqual(["mcp__tools__note"]);
  });

  it("aren't those of another server that is called as theirs is", async () => {
    const { parts, ran, session } = await open();
    const [ask] = parts.options.hooks.PreToolUse[0]?.hooks ?? [];
    const event = {
      hook_event_name: "PreToolUse",
      session_id: "s",
      cwd: "/",
      tool_name: "mcp__tools__read_mail",
      tool_use_id: "u",
      tool_input: {},
      mcp_server: { name: "tools", source: "project" },
    };
    const answer = await ask?.(event, "u", { signal: new AbortController().signal });
    expect(answer).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    const asked = { signal: new AbortController().signal, toolUseID: "u", mcpServer: event.mcp_server };
    const said = await parts.options.canUseTool("mcp__tools__read_mail", {}, asked);
    expect(said).toMatchObject({ behavior: "deny" });
    expect([ran, session.label.level]).toEqual([[], "public"]);
  });

  it("need a handler, unless they are named as ungoverned (A8)", async () => {
    const { session } = await openOffice();
    const bare = { name: "search", description: "Searches." } as any;
    expect(() => guard(session, [bare])).toThrow(
      expect.objectContaining({ code: "invalid-tool", details: { tools: ["search"] } }),
    );
    expect(guard(session, [bare], { ungoverned: ["search"] }).server.tools).toEqual([bare]);
  });
});
