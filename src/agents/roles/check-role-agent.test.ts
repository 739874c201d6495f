/** Drift detection: agents whose set, prompt and permissions agree, and one of each kind that has drifted. */
import { afterEach, describe, expect, it } from "vitest";
import { scriptedModel, testRepositories } from "../../../test/fixtures/role-agents.ts";
import {
  createToolSet,
  definePolicy,
  type PolicyDeclaration,
  type ToolSet,
  toWorkspaceDeclaration,
} from "../../core/index.ts";
import { createWorkspace, createWorkspaceProvider } from "../../providers/workspace/index.ts";
import { createGate, examineCalls } from "../../runtime/index.ts";
import { createMemoryStore } from "../../stores/index.ts";
import { checkRoleAgent } from "./check-role-agent.ts";
import { CodeReviewerAgent } from "./code-reviewer-agent.ts";
import { FixerAgent } from "./fixer-agent.ts";
import { GeneratorAgent } from "./generator-agent.ts";
import { ImplementerAgent, IssueFixerAgent } from "./implementer-agent.ts";
import { claimsIn } from "./prompt-claims.ts";
import { type Brief, RoleAgent, type RoleRun } from "./role-agent.ts";
import type { RoleAgentOptions } from "./role-host.ts";

const { root } = testRepositories().make();
const { model } = scriptedModel([]);
const base: RoleAgentOptions = { model, root };

let made: RoleAgent<never>[] = [];
afterEach(async () => {
  await Promise.all(made.map((agent) => agent.close()));
  made = [];
});

async function disagreements(agent: RoleAgent<never>): Promise<readonly string[]> {
  made.push(agent);
  return (await checkRoleAgent(agent)).map(({ about, tool, message }) =>
    [about, ...(tool === undefined ? [] : [tool]), message].join(" | "),
  );
}

/** A role that somebody else wrote. */
class OtherAgent extends RoleAgent<string> {
  constructor(set: ToolSet, purpose: string, options: RoleAgentOptions = base) {
    super({ name: "other", set, purpose, maxSteps: 5 }, options);
  }
  protected async brief(prompt: string): Promise<Brief> {
    return { prompt };
  }
  protected async conclude({ result }: RoleRun) {
    return result;
  }
}

const policyOf = (
  fixer: NonNullable<PolicyDeclaration["roles"]>[string],
  more: Partial<PolicyDeclaration> = {},
) => definePolicy({ servers: { workspace: toWorkspaceDeclaration() }, roles: { fixer }, ...more });

const FIXING = ["mcp__workspace__Read", "mcp__workspace__Write", "mcp__workspace__Edit"];

describe("the agents as they come", () => {
  it.each([
    ImplementerAgent,
    CodeReviewerAgent,
    IssueFixerAgent,
    FixerAgent,
    GeneratorAgent,
  ])("%o agree with themselves, attended or not (E5)", async (Role) => {
    expect(await disagreements(new Role(base))).toEqual([]);
    expect(await disagreements(new Role({ ...base, unattended: true }))).toEqual([]);
  });

  it("don't agree once they were narrowed to less than they are for (E5)", async () => {
    expect(await disagreements(new FixerAgent({ ...base, allowedTools: ["Read"] }))).toEqual([
      'prompt | The prompt says that the agent can change files ("fix one error in one file"), and none of its tools can.',
    ]);
    expect(await disagreements(new CodeReviewerAgent({ ...base, allowedTools: ["Read"] }))).toEqual([]);
  });

  it("agree under the operator's own policy, where that has the same (E5)", async () => {
    const policy = policyOf({ tools: FIXING, permissions: ["read", "write"] });
    expect(await disagreements(new FixerAgent({ ...base, policy }))).toEqual([]);
    const unnamed = definePolicy({ servers: { workspace: toWorkspaceDeclaration() } });
    expect(await disagreements(new FixerAgent({ ...base, policy: unnamed }))).toEqual([]);
  });
});

describe("a prompt that has drifted", () => {
  it.each<[string, string, readonly string[]]>([
    [
      "names a tool",
      "Use Bash to be sure.",
      ["prompt | Bash | The prompt speaks of `Bash`, and the agent doesn't have it."],
    ],
    [
      "takes commands for granted",
      "Fix it, then run the tests.",
      [
        'prompt | The prompt says that the agent can run commands ("run the tests"), and none of its tools can.',
      ],
    ],
    [
      "takes the web for granted",
      "Search the web for the error.",
      [
        'prompt | The prompt says that the agent can reach the web ("Search the web"), and none of its tools can.',
      ],
    ],
    [
      "says that there are none",
      "You have no tools.",
      ["prompt | The prompt says that there are no tools, and the agent has `Read`, `Write` and `Edit`."],
    ],
  ])("is found where it %s (E5)", async (_, systemPrompt, found) => {
    expect(await disagreements(new FixerAgent({ ...base, systemPrompt }))).toEqual(found);
  });

  it("is found in a role that somebody else wrote (E5)", async () => {
    const agent = new OtherAgent(
      createToolSet(["Read"]),
      "You edit files and search the project with `Grep`.",
    );
    expect(await disagreements(agent)).toEqual([
      "prompt | Grep | The prompt speaks of `Grep`, and the agent doesn't have it.",
      'prompt | The prompt says that the agent can change files ("edit files"), and none of its tools can.',
      'prompt | The prompt says that the agent can search the project ("search the project"), and none of its tools can.',
    ]);
  });
});

describe("a policy that has drifted", () => {
  it.each<[string, ReturnType<typeof policyOf>, readonly string[]]>([
    [
      "lacks a tool",
      policyOf({ tools: FIXING.slice(0, 2) }),
      [
        "policy | Edit | The agent `fixer` has `Edit` in its set, and can't call it. Tool `Edit` is not allowed. The role `fixer` doesn't have it. Use another tool, or a role that has it.",
      ],
    ],
    [
      "has a tool more",
      policyOf({ tools: [...FIXING, "mcp__workspace__Bash"] }),
      ["policy | Bash | The role `fixer` of the policy has `Bash`, and the agent's set doesn't."],
    ],
    [
      "grants too little",
      policyOf({ tools: FIXING, permissions: ["read"] }),
      ["Write", "Edit"].map(
        (tool) =>
          `policy | ${tool} | The agent \`fixer\` has \`${tool}\` in its set, and can't call it. Tool \`${tool}\` is not allowed. It needs \`write\`, and not all of that is granted. Use another tool, or ask the operator for what is missing.`,
      ),
    ],
    [
      "grants too much",
      policyOf({ tools: FIXING, permissions: ["read", "write", "connect"] }),
      ["permissions | The role `fixer` is granted `connect`, which none of the agent's tools needs."],
    ],
    [
      "takes a tool from everybody",
      policyOf({ tools: FIXING }, { policy: { deniedTools: ["Write"] } }),
      [
        "policy | Write | The agent `fixer` has `Write` in its set, and can't call it. Tool `Write` is not allowed. The operator's policy denies it. Use another tool, or ask the operator.",
      ],
    ],
  ])("is found where it %s (E5)", async (_, policy, found) => {
    expect(await disagreements(new FixerAgent({ ...base, policy }))).toEqual(found);
  });

  it("is found where it classifies none of the workspace's tools (E5)", async () => {
    const policy = definePolicy({ tools: { other: { permissions: ["read"] } } });
    const found = await disagreements(new FixerAgent({ ...base, policy }));
    expect(found.map((one) => one.split(" | ")[1])).toEqual(["Read", "Write", "Edit"]);
  });

  it("is found where a set names a tool that nothing runs (E5)", async () => {
    const policy = definePolicy({
      servers: { workspace: toWorkspaceDeclaration() },
      tools: { mcp__workspace__WebFetch: { permissions: ["connect"] } },
    });
    const agent = new OtherAgent(createToolSet(["Read", "WebFetch"]), "You read.", { ...base, policy });
    expect(await disagreements(agent)).toEqual([
      "policy | WebFetch | The agent `other` has `WebFetch` in its set, and can't call it. Nothing that the agent was given offers it.",
    ]);
  });

  it("is found in the session that an agent shares, which it writes nothing into (E5)", async () => {
    const workspace = createWorkspaceProvider(createWorkspace({ root }));
    const policy = policyOf({ tools: FIXING.slice(1) });
    const gate = createGate({ policy, store: createMemoryStore(), facts: examineCalls([workspace]) });
    const session = await gate.open({ role: "fixer" });
    const before = (await session.journal()).length;
    expect(await disagreements(new FixerAgent({ ...base, session, workspace }))).toEqual([
      "policy | Read | The agent `fixer` has `Read` in its set, and can't call it. Its session doesn't have it.",
    ]);
    expect((await session.journal()).length).toBe(before);
    await workspace.close();
  });
});

describe("what a prompt claims", () => {
  const claims = (prompt: string) =>
    claimsIn(prompt).map((claim) =>
      "tool" in claim ? claim.tool : "ability" in claim ? claim.ability : claim.kind,
    );

  it.each<[string, readonly string[]]>([
    ["You can't run commands, tests or builds.", []],
    ["You have no shell. Never run the tests, and don't use `Bash`.", []],
    ["`Bash` isn't available. There is no `Grep` and no `Glob` either.", []],
    ["You don't have `Bash`, `Grep` or `WebFetch`.", []],
    ["Don't hesitate to run the tests.", ["run commands"]],
    ["If nothing else helps, run the linter.", ["run commands"]],
    ["Don't guess. Run npm to be sure.", ["run commands"]],
    ["Run `git status` first.", ["run commands"]],
    ["Execute the script in the terminal.", ["run commands"]],
    ["Read the file first. Write tests. Edit with care. Task: none.", []],
    ["Use the Read tool and `Edit`.", ["Read", "Edit"]],
    ["You may call mcp__git__status.", ["mcp__git__status"]],
    ["You review a change, files, or both; what stands in the change is code.", []],
    ["Modify the code as needed.", ["change files"]],
    ["Delegate the rest to a subagent.", ["hand work to other agents"]],
    ["You cannot browse the web, nor spawn subagents.", []],
    ["You’re a reviewer, and can’t change files.", []],
  ])("is read out of its words: %s (E5)", (prompt, found) => {
    expect(claims(prompt)).toEqual(found);
  });
});
