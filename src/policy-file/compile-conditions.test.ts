import { describe, expect, test } from "vitest";
import { bottomLabel } from "../core/index.ts";
import { parseConfig } from "./parse.ts";
import { parseNow } from "./testing/parse-now.ts";
import { problemsOf } from "./testing/problems-of.ts";

const VARIABLE = `\${SECRET}`;

const CASES: readonly { title: string; text: string; lines: readonly string[] }[] = [
  {
    title: "points into the condition, plain or in quotes, at its problem",
    text: `version: 1
tools:
  a: { permissions: [write], approval: arg.amount > 100 }
  b: { permissions: [write], approval: "args.amount >" }
  c:
    permissions: [write]
    approval: tool.nme == "pay"
  d:
    permissions: [write]
    approval: 'session.level == "secrt"'
  e: { permissions: [write], approval: args.a and args.b }
  f: { permissions: [write], approval: args.amount + 1 }
servers:
  bank:
    command: node
    tools:
      wire: { permissions: [write], approval: args.to.matches(".*@x") }
`,
    lines: [
      "p.yaml:3:40: There is no `arg` in a condition; did you mean `args`?",
      "p.yaml:4:54: The condition ends where something is missing.",
      "p.yaml:7:20: `tool` has no `nme`; did you mean `name`?",
      "p.yaml:10:33: Unknown level `secrt`; did you mean `secret`?",
      "p.yaml:11:47: The condition can't be read at `and`; did you mean `&&`?",
      "p.yaml:12:40: The condition is neither true nor false, but of the type `int`. Compare it with something, such as `args.amount > 100`.",
      "p.yaml:17:55: A condition has no `matches`. Use `startsWith`, `endsWith` or `contains`: a regular expression could take for ever.",
    ],
  },
  {
    title: "points at the beginning where the text isn't in the file as it is",
    text: `version: 1
tools:
  k: { permissions: [write], approval: "args.note == \\"caf\\u00e9\\" && arg.x" }
  l:
    permissions: [write]
    approval: >-
      args.amount > 5 &&
      arg.x == 1
`,
    lines: [
      "p.yaml:3:40: There is no `arg` in a condition; did you mean `args`?",
      "p.yaml:6:15: There is no `arg` in a condition; did you mean `args`?",
    ],
  },
  {
    title: "says what was meant by a word or by true and false",
    text: `version: 1
tools:
  a: { permissions: [write], approval: true }
  b: { permissions: [write], approval: false }
  c: { permissions: [write], approval: ask }
  d: { permissions: [write], approval: nevr }
  e: { permissions: [write], approval: sometimes }
  f: { permissions: [write], approval: [always] }
  g: { permissions: [write], approval: "true" }
  h: { permissions: [write], on_violation: asks }
roles:
  r: { approval: { a: true, b: args.x > 1, c: nevr } }
`,
    lines: [
      "p.yaml:3:40: `approval` takes `always`, `never` or a condition, not `true`; did you mean `always`?",
      "p.yaml:4:40: `approval` takes `always`, `never` or a condition, not `false`; did you mean `never`?",
      "p.yaml:5:40: `approval` takes `always`, `never` or a condition such as `args.amount > 100`, not `ask`; did you mean `always`?",
      "p.yaml:6:40: `approval` takes `always`, `never` or a condition such as `args.amount > 100`, not `nevr`; did you mean `never`?",
      "p.yaml:7:40: `approval` takes `always`, `never` or a condition such as `args.amount > 100`, not `sometimes`.",
      "p.yaml:8:40: `approval` takes `always`, `never` or a condition, not a list.",
      "p.yaml:9:40: `approval` takes `always`, `never` or a condition such as `args.amount > 100`, not `true`; did you mean `always`?",
      "p.yaml:10:44: `on_violation` takes `deny` or `ask`, not `asks`; did you mean `ask`?",
      "p.yaml:12:23: `a` takes `always` or `never`, not `true`; did you mean `always`?",
      "p.yaml:12:32: `b` takes `always` or `never`, not `args.x > 1`.",
      "p.yaml:12:47: `c` takes `always` or `never`, not `nevr`; did you mean `never`?",
    ],
  },
  {
    title: "says that a condition that begins like a tag goes in quotes",
    text: `version: 1
tools:
  a:
    permissions: [write]
    approval: !has(args.x)
`,
    lines: [
      "p.yaml:5:5: `approval` takes `always`, `never` or a condition, not nothing.",
      "p.yaml:5:15: The tag `!has(args.x)` can't be used. Put a condition that begins with `!` in quotes.",
    ],
  },
];

describe("conditions in a policy file", () => {
  test.each(CASES)("are told of: $title (X1-policy)", ({ text, lines }) => {
    expect(problemsOf(text)).toEqual(lines);
  });

  test("tell nothing of what variables hold", () => {
    const text = 'version: 1\ntools:\n  a: { permissions: [write], approval: "args.x == $" }\n'.replace(
      "$",
      VARIABLE,
    );
    expect(problemsOf(text, { SECRET: "hunter2" })).toEqual([
      "p.yaml:3:40: The condition in `approval` can't be used with what its variables hold. Try it with the values written out.",
    ]);
    const { policy } = parseNow(text, { file: "p.yaml", environment: { SECRET: "42" } });
    expect(policy.tools.get("a")?.approval).toMatchObject({ when: `args.x == ${VARIABLE}` });
  });

  test("are compiled when the text of a file is read (X3-approval)", async () => {
    const text = `version: 1
tools:
  pay: { permissions: [write], approval: args.amount > 10000 }
`;
    const { policy } = await parseConfig(text, { file: "p.yaml", environment: {} });
    const approval = policy.tools.get("pay")?.approval;
    if (typeof approval !== "object") throw new Error("It is a condition.");
    const session = { ...bottomLabel(policy.lattice), principal: "ada", role: null };
    const tool = { name: "pay", server: null, tags: [], permissions: [] };
    const holds = (amount: unknown): boolean => approval.holds({ args: { amount }, tool, session });
    expect(approval.when).toBe("args.amount > 10000");
    expect([holds(10000), holds(10001)]).toEqual([false, true]);
    expect(() => holds("10001")).toThrow();
  });
});
