import { describe, expect, test } from "vitest";
import { conditionProblems } from "../testing/conditions.ts";

const ROWS: readonly (readonly [text: string, ...lines: readonly string[]])[] = [
  ["arg.amount > 1", "0: There is no `arg` in a condition; did you mean `args`?"],
  [
    "amount > 1",
    "0: There is no `amount` in a condition; did you mean `args.amount`? A condition sees `args`, `tool` and `session`.",
  ],
  ['role == "clerk"', "0: There is no `role` in a condition; did you mean `session.role`?"],
  ['tool.nme == "a"', "5: `tool` has no `nme`; did you mean `name`?"],
  [
    "session.zebra == 1",
    "8: `session` has no `zebra`. It has `level`, `categories`, `trust`, `principal` and `role`.",
  ],
  ["args.a >", "8: The condition ends where something is missing."],
  ["size(args.a", "11: The condition ends where something is missing."],
  ["args.a = 5", "7: The condition can't be read at `=`; did you mean `==`?"],
  ["args.a and args.b", "7: The condition can't be read at `and`; did you mean `&&`?"],
  ["args.a == 'x", "10: A quote in the condition is left open."],
  [
    "args.a + 1",
    "0: The condition is neither true nor false, but of the type `int`. Compare it with something, such as `args.amount > 100`.",
  ],
  ["tool.name == 5", "0: `tool.name == 5` can't be determined: there is no `string == int`."],
  [
    "args.x == 1 && 'a'",
    "0: The condition can't be used: Logical operator requires bool operands, got 'string'.",
  ],
  [
    "5 in session.categories",
    "0: `5 in session.categories` can't be determined: there is no `int in list<string>`.",
  ],
  [
    "args.x in [1, 'b']",
    "14: The condition can't be used: List elements must have the same type, expected type 'int' but found 'string'.",
  ],
  ["has(args)", "4: `has` takes a field, such as `has(args.amount)`."],
  ["args.a.startWith('x')", "7: A condition has no `startWith` as a method; did you mean `startsWith`?"],
  [
    "args.a.matches('(a+)+$')",
    "7: A condition has no `matches`. Use `startsWith`, `endsWith` or `contains`: a regular expression could take for ever.",
  ],
  [
    "lenght(args.a) > 1",
    "0: A condition has no `lenght` as a call. It has `size`, `int`, `double`, `string`, `isPublicUrl`, `keys` and `has`.",
  ],
  [
    "args.a.exists(args, args > 1)",
    "14: `args` is what a condition sees, and can't stand for an item as well. Give the item another name.",
  ],
  ["args.a == b'x'", "10: A condition has no bytes and no unsigned numbers."],
  ["args.a == 5u", "10: A condition has no bytes and no unsigned numbers."],
  [
    "1 < 2",
    "0: The condition is the same for every call: it names neither `args`, `tool` nor `session`. Name what it depends on. An `approval` may be `always` or `never` as well.",
  ],
  ["'wirte' in tool.permissions", "0: Unknown permission `wirte`; did you mean `write`?"],
  [
    "tool.name == 'mcp__mail__send'",
    '13: `tool.name` is a tool\'s own name without its server\'s, so it is never `mcp__mail__send`. Write `tool.server == "mail" && tool.name == "send"`.',
  ],
  [
    "!(tool.name in ['mail__own', 'mail__send'])",
    '29: `tool.name` is a tool\'s own name without its server\'s, so it is never `mail__send`. Write `tool.server == "mail" && tool.name == "send"`.',
  ],
  ["session.level == 'secrt'", "17: Unknown level `secrt`; did you mean `secret`?"],
  [
    "session.level in ['public', 'top']",
    "28: Unknown level `top`. There are `public`, `internal`, `confidential` and `secret`.",
  ],
  ["session.trust != 'untrustd'", "17: Unknown trust level `untrustd`; did you mean `untrusted`?"],
  ["'legl' in session.categories", "0: Unknown category `legl`; did you mean `legal`?"],
  ["session.role == 'clark'", "16: Unknown role `clark`; did you mean `clerk`?"],
  [
    "session.level >= 'internal'",
    '0: `<` and `>` would compare the letters of a level, not how high it is. Name the levels that are meant: `session.level in ["confidential", "secret"]`.',
  ],
  [
    "arg.a == 1 && sesion.role == null",
    "0: There is no `arg` in a condition; did you mean `args`?",
    "14: There is no `sesion` in a condition; did you mean `session`?",
  ],
];

describe("what is wrong with a condition", () => {
  test.each(ROWS.map(([text, ...lines]) => ({ text, lines })))("is told of $text (X3-approval, X1-policy)", ({
    text,
    lines,
  }) => {
    expect(conditionProblems(text)).toEqual(lines);
  });

  test("is told of one that is too long or too deep, in no time", () => {
    expect(conditionProblems(`args.a == '${"x".repeat(2000)}'`)).toEqual([
      "0: A condition has at most 2000 characters, and this one has 2012.",
    ]);
    for (const text of [
      "(".repeat(1900),
      "[".repeat(1900),
      `args${".a".repeat(900)}`,
      "args.x.exists(i,".repeat(100),
    ]) {
      expect(conditionProblems(text)).toHaveLength(1);
    }
    expect(conditionProblems(`${"!".repeat(1990)}args.a`)).toEqual([]);
    expect(conditionProblems(`${"1+".repeat(990)}args.a > 5`)).toEqual([]);
  });

  test.each([
    "args.a",
    "args.a || args.b",
    "has(args.a) ? args.a : false",
    "[1, 2].exists(n, n == args.a)",
  ])("is nothing where %s may be true or false", (text) => {
    expect(conditionProblems(text)).toEqual([]);
  });
});
