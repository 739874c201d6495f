import { describe, expect, test } from "vitest";
import { decide, initialState, lookUp } from "../../core/index.ts";
import { parseNow } from "../testing/parse-now.ts";
import { problemsOf, warningsOf } from "../testing/problems-of.ts";

const POLICY = `version: 1
servers:
  mail: { command: node, tools: { send: { permissions: [connect], sink: internal, tags: [mail] } } }
tools:
  wire_transfer: { permissions: [write] }
  look: { permissions: [read] }
`;
const withRules = (rules: string): string => `${POLICY}rules:\n${rules}`;

const decideOn = (rules: string, tool: string, args: Readonly<Record<string, unknown>>) => {
  const { policy } = parseNow(withRules(rules), { file: "p.yaml", environment: {} });
  return decide(policy, initialState(policy.lattice), { tool, arguments: args });
};

describe("rules of a policy file", () => {
  const rules = `  - name: big payments
    when: tool.name == "wire_transfer" && args.amount > 10000
    effect: ask
  - { name: only us, when: 'tool.tags.exists(t, t == "mail") && !args.to.all(a, a.endsWith("@acme.example"))', effect: deny }
  - { name: no secrets, when: 'has(args.headers) && "authorization" in keys(args.headers)', effect: deny }
`;

  test.each([
    ["wire_transfer", { amount: 10_000 }, "allow"],
    ["wire_transfer", { amount: 10_001 }, "ask"],
    ["wire_transfer", { amount: 1e100 }, "ask"],
    ["wire_transfer", { amount: "10001" }, "ask"],
    ["wire_transfer", {}, "ask"],
    ["look", {}, "allow"],
    ["send", { to: ["ada@acme.example"] }, "allow"],
    ["send", { to: ["ada@acme.example", "eve@evil.example"] }, "deny"],
    ["send", { to: "ada@acme.example" }, "deny"],
    ["send", { to: [["ada@acme.example"]] }, "deny"],
    ["send", {}, "deny"],
    ["look", { headers: { authorization: "" } }, "deny"],
    ["look", { headers: { accept: "" } }, "allow"],
    ["look", { headers: null }, "deny"],
  ] as const)("answer a call of %s with %j: %s (X3-rules)", (tool, args, effect) => {
    expect(decideOn(rules, tool, args).effect).toBe(effect);
  });

  test("keep the condition as it is written", () => {
    const { policy } = parseNow(withRules(rules), { file: "p.yaml", environment: {} });
    expect(policy.rules.map(({ name, effect, when }) => [name, effect, when.when])[0]).toEqual([
      "big payments",
      "ask",
      'tool.name == "wire_transfer" && args.amount > 10000',
    ]);
    expect(lookUp(policy, "send").tool?.name).toBe("send");
  });

  test("are bounded together: arguments on which they would take long are denied (X3-rules)", () => {
    const slow = (name: string) =>
      `  - { name: ${name}, when: 'tool.name == "look" && args.a.exists(x, args.a.exists(y, x == y + 1))', effect: deny }\n`;
    const many = Array.from({ length: 50 }, (_, at) => slow(`r${at}`)).join("");
    const before = performance.now();
    const { reasons } = decideOn(many, "look", { a: Array.from({ length: 3000 }, () => 0) });
    expect(performance.now() - before).toBeLessThan(5000);
    expect(reasons).toHaveLength(50);
    expect(reasons[0]).toMatchObject({ code: "denied-by-rule", result: "unclear" });
  });

  test.each<readonly [title: string, rules: string, ...lines: readonly string[]]>([
    [
      "what is missing, and another effect",
      "  - { when: args.x > 1, effect: deni }\n  - name: a\n  - 5\n",
      "p.yaml:8:5: `name` is missing.",
      "p.yaml:8:33: `effect` takes `deny` or `ask`, not `deni`; did you mean `deny`?",
      "p.yaml:9:5: `when` is missing.",
      "p.yaml:9:5: `effect` is missing.",
      "p.yaml:10:5: An item of `rules` must be a map with `name`, `when` and `effect`, but `5` is a number.",
    ],
    [
      "names and types that can't be",
      `  - { name: a, when: 'tol.name == "x"', effect: deny }
  - { name: b, when: args.x > 1 && tool.name == 5, effect: deny }
  - name: c
    when: sizee(args.x) > 1
    effect: deny
  - { name: d, when: "true", effect: deny }
`,
      "p.yaml:8:23: There is no `tol` in a condition; did you mean `tool`?",
      "p.yaml:9:36: `tool.name == 5` can't be determined: there is no `string == int`.",
      "p.yaml:11:11: A condition has no `sizee` as a call; did you mean `size`?",
      "p.yaml:13:23: The condition is the same for every call: it names neither `args`, `tool` nor `session`. Name what it depends on. An `approval` may be `always` or `never` as well.",
    ],
    [
      "names that can't be distinguished or quoted",
      `  - { name: a, when: args.x > 1, effect: deny }
  - { name: a, when: args.y > 1, effect: deny }
  - { name: "a\`b", when: args.y > 1, effect: deny }
`,
      "p.yaml:9:13: Another rule is called `a`, on line 8. Give each rule a name of its own, since a refusal names it.",
      "p.yaml:10:13: A rule's `name` has up to 100 visible characters, and no backtick or line break. A refusal quotes it in a sentence.",
    ],
    [
      "a tool's identity for its own name",
      "  - { name: a, when: tool.name == 'mcp__mail__send', effect: deny }\n",
      'p.yaml:8:35: `tool.name` is a tool\'s own name without its server\'s, so it is never `mcp__mail__send`. Write `tool.server == "mail" && tool.name == "send"`.',
    ],
    [
      "more approvers than there are people",
      "  - { name: a, when: args.x > 1, effect: ask, approvers: 2 }\n",
      "p.yaml:8:58: It takes 2 people to approve, and those who may are the operator alone. Name more under `identities`, with the right `approve`.",
    ],
  ])("are told of %s (X1-policy, X3-rules)", (_, text, ...lines) => {
    expect(problemsOf(withRules(text))).toEqual(lines);
  });

  test("are warned about where they concern no call, or more calls than they name (X3-rules)", () => {
    const text = `  - { name: a, when: 'tool.name == "wire_tranfer" && args.amount > 1', effect: deny }
  - { name: b, when: 'tool.server == "chat" || "mial" in tool.tags', effect: deny }
  - { name: c, when: args.amount > 10, effect: ask }
  - { name: d, when: 'tool.name in ["send", "resources/read"] && tool.server == "mail"', effect: ask }
  - { name: e, when: has(args.amount) && args.amount > 10, effect: ask }
`;
    expect(warningsOf(withRules(text))).toEqual([
      "p.yaml:8:36: No tool of this policy is called `wire_tranfer`; did you mean `wire_transfer`? The rule concerns no call by that name.",
      "p.yaml:9:38: No server of this policy is called `chat`. The rule concerns no call by that name.",
      "p.yaml:9:48: No tag of this policy is called `mial`; did you mean `mail`? The rule concerns no call by that name.",
      'p.yaml:10:22: The rule looks at arguments and doesn\'t say of which tools, so it concerns every call that lacks them as well. Begin with the tool that is meant: `tool.name == "…" && …`.',
    ]);
    const patterns = `version: 1
servers: { files: { command: node, tools: { "read_*": { permissions: [read] } } } }
rules: [{ name: a, when: 'tool.name == "read_all" || tool.name == "write"', effect: deny }]
`;
    expect(warningsOf(patterns).filter((line) => line.startsWith("p.yaml:3"))).toHaveLength(1);
    expect(
      warningsOf(`${patterns}unclassified: ask\n`).filter((line) => line.startsWith("p.yaml:3")),
    ).toEqual([]);
  });
});
