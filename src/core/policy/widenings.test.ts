/** Each way in which a changed policy may allow more, by its sentence; what only narrows has none. */
import { expect, it } from "vitest";
import type { ToolDeclaration } from "../tools/tool.ts";
import { definePolicy, type PolicyDeclaration } from "./policy.ts";
import { widenings } from "./widenings.ts";

const TOOL: ToolDeclaration = {
  permissions: ["connect"],
  source: { level: "internal" },
  sink: [{ level: "internal" }],
  approval: "always",
  approvers: 2,
  critical: ["to"],
  payload: ["body"],
  tags: ["mail"],
};
const RULE = { name: "big", when: { when: "args.n > 1", holds: () => true }, effect: "ask" } as const;
const POLICY: PolicyDeclaration = {
  tools: { send: TOOL, "get_*": { permissions: ["read"] } },
  roles: { clerk: { tools: ["send"] } },
  policy: { deniedTools: ["drop"] },
  rules: [RULE],
};
const withTool = (change: Partial<ToolDeclaration>): Partial<PolicyDeclaration> => ({
  tools: { ...POLICY.tools, send: { ...TOOL, ...change } },
});
const between = (change: Partial<PolicyDeclaration>) =>
  widenings(definePolicy(POLICY), definePolicy({ ...POLICY, ...change }));

it.each<[string, Partial<PolicyDeclaration>, readonly string[]]>([
  ["nothing", {}, []],
  ["fewer permissions", withTool({ permissions: [] }), ["Tool `send`: it needs fewer permissions."]],
  ["a lower source", withTool({ source: {} }), ["Tool `send`: what it brings in is labelled lower."]],
  ["a higher sink", withTool({ sink: [{ level: "secret" }] }), ["Tool `send`: it may receive more."]],
  ["no approval", withTool({ approval: "never" }), ["Tool `send`: fewer of its calls wait for a person."]],
  ["fewer approvers", withTool({ approvers: 1 }), ["Tool `send`: fewer people must approve its calls."]],
  ["a release", withTool({ onViolation: "ask" }), ["Tool `send`: a person may release its calls."]],
  [
    "less that must be said",
    withTool({ critical: [], payload: ["body", "to"] }),
    ["Tool `send`: fewer of its arguments must be the user's word."],
  ],
  ["harmless calls", withTool({ isDestructive: false }), ["Tool `send`: its calls count as harmless."]],
  ["other tags", withTool({ tags: [] }), ["Tool `send`: it changed."]],
  ["a tool", { tools: { ...POLICY.tools, pay: TOOL } }, ["Tool `pay` can be called."]],
  ["a pattern", { tools: { send: TOOL, "get_*": { permissions: [] } } }, ["The pattern `get_*` changed."]],
  [
    "a pattern less, where a wider one is left",
    { tools: { send: TOOL, "*": { permissions: [] } } },
    ["The pattern `*` changed.", "The pattern `get_*` is gone."],
  ],
  ["the last pattern less", { tools: { send: TOOL } }, []],
  [
    "the last pattern less, where what is unclassified asks",
    { tools: { send: TOOL }, unclassified: "ask" },
    ["The pattern `get_*` is gone.", "`unclassified` changed."],
  ],
  ["a role", { roles: { clerk: {} } }, ["The role `clerk` changed."]],
  ["a rule less", { rules: [] }, ["The rule `big` changed or is gone."]],
  [
    "a rule's text",
    { rules: [{ ...RULE, when: { ...RULE.when, when: "args.n > 2" } }] },
    ["The rule `big` changed or is gone."],
  ],
  ["fewer denied tools", { policy: {} }, ["`policy` takes fewer tools away."]],
  ["another section", { named: "internal" }, ["`named` changed."]],
  [
    "other levels",
    { levels: ["public", "internal", "secret"] },
    ["The levels or kinds of trust changed, so nothing can be compared."],
  ],
  [
    "what only narrows",
    {
      ...withTool({
        permissions: ["connect", "write"],
        source: { level: "secret" },
        sink: [{ level: "public" }],
        approvers: 3,
      }),
      roles: {},
      policy: { deniedTools: ["drop", "send"] },
      rules: [RULE, { ...RULE, name: "more", effect: "deny" }],
    },
    [],
  ],
])("of %s says what it may allow (X26)", (_, change, sentences) => {
  expect(between(change)).toEqual(sentences);
});

const METHOD: ToolDeclaration = {
  permissions: [],
  source: { level: "secret" },
  sink: [{ level: "public" }],
  approval: "always",
};
const withMethods = (tools: Record<string, ToolDeclaration>) =>
  definePolicy({ servers: { mail: { source: {}, sink: [{ level: "secret" }], tools } } });

it.each([
  "resources/read",
  "prompts/get",
  "completion/complete",
  "sampling/createMessage",
  "elicitation/create",
])("names a server's %s that changed, is gone, or is no longer matched by a pattern (X26)", (method) => {
  const before = withMethods({ [method]: METHOD });
  for (const after of [
    withMethods({ [method]: { permissions: [], sink: [{ level: "secret" }] } }),
    withMethods({}),
  ])
    expect(widenings(before, after)).toContain(
      `Method \`mcp__mail__${method}\`: fewer of its calls wait for a person.`,
    );
  expect(widenings(before, before)).toEqual([]);
});

it("names the agent's own tools whose names a server's tool no longer has (X26)", () => {
  const own = { "*": { permissions: [], approval: "always" } } as const;
  const before = definePolicy({ tools: { mcp__mail__send: TOOL, ...own } });
  const after = definePolicy({ tools: own });
  expect(widenings(before, after)).toEqual([
    "Tool `send` can be called.",
    "Tool `mail__send` can be called.",
  ]);
  expect(widenings(before, before)).toEqual([]);
});
