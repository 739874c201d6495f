/** Where role agents work: names that are checked when they are built, servers, and gates and sessions of the host's. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  call,
  edit,
  read,
  say,
  scriptedModel,
  type TestRepository,
  testRepositories,
  write,
} from "../../../test/fixtures/role-agents.ts";
import { definePolicy, type PolicyDeclaration, toWorkspaceDeclaration } from "../../core/index.ts";
import { createWorkspace, createWorkspaceProvider } from "../../providers/workspace/index.ts";
import { createGate, examineCalls, type ToolProvider } from "../../runtime/index.ts";
import { createMemoryStore } from "../../stores/index.ts";
import { CodeReviewerAgent } from "./code-reviewer-agent.ts";
import { FixerAgent } from "./fixer-agent.ts";
import { ImplementerAgent } from "./implementer-agent.ts";
import type { RoleAgentOptions } from "./role-host.ts";

const repositories = testRepositories();
let project: TestRepository;
/** A server of its own: another folder's files. */
let docs: ToolProvider;

const open: ToolProvider[] = [];
const provide = (root: string, id: string): ToolProvider => {
  const provider = createWorkspaceProvider(createWorkspace({ root }), { id });
  open.push(provider);
  return provider;
};

beforeEach(() => {
  project = repositories.make();
  const manual = repositories.make();
  manual.write("guide.md", "The guide.\n");
  docs = provide(manual.root, "docs");
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((provider) => provider.close()));
});

const policyOf = (more: Partial<PolicyDeclaration> = {}, docsTools = ["Read", "Glob"]) => {
  const all = toWorkspaceDeclaration().tools ?? {};
  const tools = Object.fromEntries(Object.entries(all).filter(([name]) => docsTools.includes(name)));
  return definePolicy({ servers: { workspace: toWorkspaceDeclaration(), docs: { tools } }, ...more });
};

const base = (script: Parameters<typeof scriptedModel>[0] = []): RoleAgentOptions => ({
  model: scriptedModel(script).model,
  root: project.root,
});

describe("the names of an agent's tools", () => {
  it.each([
    ["a name that nothing knows", ["Raed"]],
    ["a server that isn't configured", ["mcp__git__status"]],
    ["a server whose id begins like a configured one", ["mcp__docs2__Read"]],
    ["a server whose id a configured one begins with", ["mcp__doc__Read"]],
    ["a name that only begins like a server's", ["mcp__docs"]],
    ["nothing", [""]],
  ])("are checked when it is built: %s (E2)", (_, allowedTools) => {
    const made = () => new ImplementerAgent({ ...base(), policy: policyOf(), servers: [docs], allowedTools });
    expect(made).toThrow(expect.objectContaining({ name: "InvalidToolError", code: "invalid-tool" }));
    expect(made).toThrow(expect.objectContaining({ fix: expect.stringMatching(/use one of .*`Bash`/) }));
  });

  it("lists all that is known in the error (E2)", () => {
    let thrown: any;
    try {
      new ImplementerAgent({ ...base(), policy: policyOf(), servers: [docs], allowedTools: ["nope"] });
    } catch (error) {
      thrown = error;
    }
    expect(thrown.details.known).toEqual(expect.arrayContaining(["Read", "Bash", "mcp__docs__*"]));
  });

  it.each([
    ["a built-in tool outside of its set", ["Read", "Bash"]],
    ["the workspace's tools by their identity", ["mcp__workspace__Bash"]],
    ["all tools", ["*"]],
    ["all servers", ["mcp__*__*"]],
    ["servers by a pattern that the configured one matches", ["mcp__d*__Read"]],
    ["the workspace's tools by a pattern", ["mcp__workspace__*"]],
  ])("can't widen the role's set: %s (E2, E3)", (_, allowedTools) => {
    const made = () => new ImplementerAgent({ ...base(), policy: policyOf(), servers: [docs], allowedTools });
    expect(made).toThrow(expect.objectContaining({ code: "invalid-tool" }));
  });

  it("can narrow it, down to nothing (E3)", async () => {
    const { model, asked } = scriptedModel(() => say("done"));
    for (const allowedTools of [["Read"], []]) {
      const agent = new ImplementerAgent({ ...base(), model, allowedTools });
      await agent.execute({ task: "x" });
      expect(agent.allowedTools).toEqual(allowedTools);
      await agent.close();
    }
    expect(asked.map(({ tools }) => tools)).toEqual([["Read", "report_impossible"], ["report_impossible"]]);
  });

  it("may be those of a configured server, by its parsed id (E2, E3)", async () => {
    const { model, asked } = scriptedModel([
      [call("docs__Read", { file_path: "guide.md" }), call("docs__Glob", { pattern: "*" })],
      say("Fine.\n```json\n[]\n```"),
    ]);
    const agent = new CodeReviewerAgent({
      ...base(),
      model,
      policy: policyOf(),
      servers: [docs],
      allowedTools: ["Read", "mcp__docs__Read"],
    });
    const result = await agent.execute({ files: ["tracked.txt"] });
    expect(asked[0]?.tools).toEqual(["workspace__Read", "docs__Read", "report_impossible"]);
    expect(asked[1]?.told["c-docs__Read"]).toContain("The guide.");
    expect(result.refused.map(({ tool }) => tool)).toEqual(["docs__Glob"]);
    await agent.close();
  });
});

describe("what can't go together", () => {
  const gate = createGate({ policy: policyOf(), store: createMemoryStore() });

  it.each<[string, () => Partial<RoleAgentOptions>]>([
    ["no folder", () => ({ root: "" })],
    ["a folder that isn't there", () => ({ root: "/nonexistent/x" })],
    ["servers without a policy", () => ({ servers: [docs] })],
    ["two servers of one id", () => ({ servers: [docs, docs], policy: policyOf() })],
    ["unattended with a policy", () => ({ unattended: true, policy: policyOf() })],
    ["a gate and a policy", () => ({ gate, policy: policyOf(), workspace: docs })],
    ["a gate without its workspace", () => ({ gate })],
    ["a workspace without a gate", () => ({ workspace: docs })],
    ["a role that the policy doesn't have", () => ({ policy: policyOf(), role: "fixer" })],
    ["no steps", () => ({ maxSteps: 0 })],
  ])("%s is told when the agent is built (E3)", (_, options) => {
    expect(() => new FixerAgent({ ...base(), ...options() })).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^(invalid-request|usage)$/) }),
    );
  });
});

describe("an agent under the operator's own policy", () => {
  it("has what that leaves it, asks where that asks, and works in the role that is called like it (E3)", async () => {
    const policy = policyOf({
      roles: {
        fixer: {
          tools: ["mcp__workspace__Read", "mcp__workspace__Edit"],
          approval: { mcp__workspace__Edit: "never" },
        },
      },
    });
    const { model, asked } = scriptedModel([
      [write("tracked.txt", "TAKEN"), edit("tracked.txt", "tracked", "fixed")],
      say("done"),
    ]);
    const agent = new FixerAgent({ ...base(), model, policy });
    const result = await agent.execute({ filePath: "tracked.txt", errorMessage: "x" });
    expect(result.refused.map(({ tool }) => tool)).toEqual(["Write"]);
    expect(result).toMatchObject({ success: true, fileModified: true });
    expect(asked[0]?.tools).toEqual(["workspace__Read", "Edit", "report_impossible"]);
    expect(read(project, "tracked.txt")).toBe("fixed.txt\n");
    expect((await agent.gate?.session(result.session ?? ""))?.role).toBe("fixer");
    await agent.close();
  });
});

describe("an agent in a session of the host's", () => {
  const host = () => {
    const workspace = provide(project.root, "workspace");
    const policy = definePolicy({
      servers: { workspace: toWorkspaceDeclaration({ tools: { Write: { approval: "never" } } }) },
      tools: { search_email: { permissions: ["read"], source: { level: "internal" } } },
    });
    const gate = createGate({ policy, store: createMemoryStore(), facts: examineCalls([workspace]) });
    return { workspace, gate };
  };

  it("shares its label and its journal, and has its own tools alone (E3)", async () => {
    const { gate, workspace } = host();
    const session = await gate.open({ principal: "ada" });
    const { model, asked } = scriptedModel([
      [call("Read", { file_path: "tracked.txt" }), call("Bash", { command: "touch taken" })],
      say("x\n```json\n[]\n```"),
    ]);
    const agent = new CodeReviewerAgent({ ...base(), model, session, workspace });
    const result = await agent.execute({ files: ["tracked.txt"] });
    expect(result.session).toBe(session.id);
    expect(asked[0]?.tools).toEqual(["Read", "Glob", "Grep", "report_impossible"]);
    expect(session.tools.map(({ name }) => name)).toContain("Bash");
    expect((await session.journal()).filter(({ kind }) => kind === "call-admitted").length).toBe(1);
    // What the session has read before counts for the agent too.
    await session.addDataset("crm", "confidential");
    const writer = new ImplementerAgent({
      ...base([[write("out.txt", "x")], say("done")]),
      session,
      workspace,
    });
    const blocked = await writer.execute({ task: "x" });
    expect(blocked.status).toBe("paused");
    expect(blocked.pause?.session).toBe(session.id);
  });

  it("changes one file alone as a fixer, though the host's gate knows nothing of that (E4)", async () => {
    const { gate, workspace } = host();
    const { model, asked } = scriptedModel([
      [write("new.txt", "TAKEN", "a")],
      [write("tracked.txt", "fixed\n", "b")],
      say("Fixed."),
    ]);
    const agent = new FixerAgent({ ...base(), model, gate, workspace });
    const result = await agent.execute({ filePath: "tracked.txt", errorMessage: "x" });
    expect(result).toMatchObject({ success: true, filesModified: ["tracked.txt"] });
    expect(asked[1]?.told.a).toContain("changed nothing");
    expect([read(project, "new.txt"), read(project, "tracked.txt")]).toEqual(["new.txt\n", "fixed\n"]);
    await agent.close();
    expect(workspace.status).toBe("ready");
  });

  it("goes on with no run of another agent, whose limits it doesn't have (E3)", async () => {
    const { gate, workspace } = host();
    const script = [[edit("tracked.txt", "tracked", "fixed")]];
    const fixer = new FixerAgent({ ...base(script), gate, workspace });
    const context = { filePath: "tracked.txt", errorMessage: "x" };
    const { pause } = await fixer.execute(context);
    const [{ approval = "" } = {}] = pause?.waiting ?? [];
    await gate.answerApproval(approval, { answer: "approved", by: "ada" });
    const kept = pause as NonNullable<typeof pause>;
    const implementer = new ImplementerAgent({ ...base([[write("new.txt", "x")]]), gate, workspace });
    await expect(implementer.resume(kept, { task: "x" })).rejects.toMatchObject({ code: "run-not-found" });
    // Nothing was used up by it.
    const other = new FixerAgent({ ...base([[], say("Fixed.")]), gate, workspace });
    expect(await other.resume(kept, context)).toMatchObject({ success: true });
  });
});
