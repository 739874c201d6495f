import { expect, it } from "vitest";
import type { Part } from "../terminal/terminal.ts";
import { appealLines, approvalLines, behindWords, expiryWords, outcomeWords } from "./approval-words.ts";
import { approvalOf } from "./approvals.test-kit.ts";
import type { WireApproval } from "./parse-approval.ts";

const textOf = (part: Part): string => (typeof part === "string" ? part : part.text);
const linesOf = (changes: Partial<WireApproval>): readonly string[] =>
  approvalLines(approvalOf(changes)).map((line) => line.map(textOf).join(""));

it("says all that a person needs to judge a write: tool, for whom, label, why, path, changes, arguments (D7-data)", () => {
  const lines = linesOf({
    tool: "mcp__workspace__Write",
    targets: [{ path: "/work/src/a.ts" }],
    diff: "@@ -1 +1 @@\n-old\n+\tnew\n",
    why: ["Every write asks.", "It is ignored by git."],
    arguments: { path: "src/a.ts", content: "new\n" },
  });
  expect(lines).toEqual([
    "tool      mcp__workspace__Write",
    "for       ada, session sess_1",
    "label     internal, untrusted: what this session has seen so far",
    "why       Every write asks.",
    "why       It is ignored by git.",
    "release   no",
    "path      /work/src/a.ts",
    `approval  appr_${"1".repeat(32)}`,
    "Changes",
    "  @@ -1 +1 @@",
    "  -old",
    "  +⇥   new",
    "Arguments",
    "  {",
    '    "path": "src/a.ts",',
    '    "content": "new\\n"',
    "  }",
  ]);
});

it("shows blanks at the end of a changed line (D7-data)", () => {
  const lines = linesOf({ diff: "@@ -1,2 +1,2 @@\n-old\n+old  \n same\n \n" });
  expect(lines.slice(lines.indexOf("Changes") + 1, lines.indexOf("Arguments"))).toEqual([
    "  @@ -1,2 +1,2 @@",
    "  -old",
    "  +old\\u{20}\\u{20}",
    "   same",
    "   ",
  ]);
});

it("puts a release first, in words that need no colour (D7-data)", () => {
  const [first, ...rest] = linesOf({ release: true });
  expect(first).toMatch(/^RELEASE: /);
  expect(rest).toContain("release   YES, as said above");
});

it("shows arguments exactly, and breaks texts after their line feeds alone", () => {
  const lines = linesOf({ arguments: { body: "a\nb\\nc\n\nd", mark: "\u202e\u001b[2J" } });
  expect(lines.slice(lines.indexOf("Arguments") + 1)).toEqual([
    "  {",
    '    "body": "a\\n',
    "      ↪ b\\\\nc\\n",
    "      ↪ \\n",
    '      ↪ d",',
    '    "mark": "\\u202e\\u001b[2J"',
    "  }",
  ]);
});

it("says how long it still waits, and how many wait behind it", () => {
  const now = new Date("2026-11-22T08:00:00.000Z");
  expect(expiryWords("2026-11-22T09:00:00.000Z", now)).toBe("expires in 60 min");
  expect(expiryWords("2026-11-22T08:01:30.000Z", now)).toBe("expires in 90 s");
  expect(expiryWords("2026-11-22T07:59:00.000Z", now)).toBe("expires now");
  expect(expiryWords("soon", now)).toBe("expires at soon");
  expect([0, 1, 3].map((count) => behindWords(approvalOf({ waiting_behind: count })))).toEqual([
    "",
    "1 more of this session waits behind it",
    "3 more of this session wait behind it",
  ]);
});

it.each([
  [{ status: "denied", answered_by: "bo", via: "console" }, "denied by bo, in the console"],
  [{ status: "approved", answered_by: "operator", via: null }, "approved by operator"],
  [{ status: "approved", answered_by: "bo", via: "pigeon" }, "approved by bo, via pigeon"],
  [{ status: "pending", answered_by: "bo", via: null }, "counted as a yes: 2 must say yes; bo has"],
  [{ status: "expired", answered_by: null, via: null }, "expired, since nobody answered in time"],
] as const)("tells of %o who answered and how", (outcome, words) => {
  expect(
    outcomeWords({
      id: "appr_1",
      session_id: "sess_1",
      ended_at: "",
      approvers: 2,
      approved_by: ["bo"],
      ...outcome,
    }),
  ).toBe(words);
});

it("shows an agent's appeal as its own words on a line of their own (X24)", () => {
  expect(appealLines([])).toEqual([]);
  const appeal = { session_id: "sess_1", principal: "ada", call_id: "call_1", name: "web_search" };
  const lines = appealLines([{ ...appeal, text: "Please.", at: "2026-11-23T05:00:00.000Z" }]);
  expect(lines.map((line) => line.map(textOf).join(""))).toEqual([
    "",
    "Appeals of agents against refusals; they grant nothing",
    "  web_search  for ada, session sess_1, 2026-11-23T05:00:00.000Z",
    "    > Please.",
  ]);
});
