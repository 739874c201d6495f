import { describe, expect, it } from "vitest";
import type { WaitingApproval } from "../../../runtime/index.ts";
import { readAnswer, toQuestion } from "./approval-question.ts";

const WAITING: WaitingApproval = {
  id: `appr_${"0a".repeat(16)}`,
  session: `sess_${"0b".repeat(16)}`,
  principal: "ada",
  call: `call_${"0c".repeat(16)}`,
  tool: "mcp__bank__pay",
  arguments: { to: "Ada", amount: 5 },
  reasons: [{ code: "approval-required", message: "Call `pay` again." }],
  why: ["The operator's policy asks for an approval of each call."],
  release: false,
  targets: [],
  preview: null,
  callerWaits: true,
  label: { level: "internal", categories: [], trust: "untrusted" },
  at: "2026-11-22T12:00:00.000Z",
  expiresAt: "2026-11-22T13:00:00.000Z",
  policy: "1",
  before: 0,
  behind: 0,
  folded: [],
  proposal: null,
  alike: 0,
  callerGone: false,
};

const ask = (changed: Partial<WaitingApproval> = {}) =>
  toQuestion({ ...WAITING, ...changed }, ["console", "terminal", "client"]);
const messageOf = (changed: Partial<WaitingApproval> = {}): string => String(ask(changed).params.message);
/** The lines that aren't quoted, so that they are taken for ours. */
const ours = (message: string): string[] => message.split("\n").filter((line) => !line.startsWith("> "));

describe("an approval as a question", () => {
  it("shows blanks at the end of a changed line (D7-data)", () => {
    const message = messageOf({ preview: "@@ -1 +1 @@\n-old\n+old  \n  \n+new " });
    expect(message).toContain("> -old\n> +old\\u0020\\u0020\n>   \n> +new\\u0020\n");
  });

  it("says what is asked and why in words of ours, and quotes what the agent wrote (D7-data)", () => {
    expect(messageOf({ targets: ["/work/a.txt"], preview: "--- a\n+++ b\n+text\n" })).toBe(
      [
        "An agent wants to call the tool `mcp__bank__pay`, and a person must approve it first.",
        "The operator's policy asks for an approval of each call.",
        "The session holds internal data (untrusted). The approval is appr_0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a.",
        'Each line that begins with ">" is what the agent asks for, not a word of the gateway.',
        "",
        "Arguments:",
        "> {",
        '>   "to": "Ada",',
        '>   "amount": 5',
        "> }",
        "",
        "Paths:",
        '> "/work/a.txt"',
        "",
        "Change:",
        "> --- a",
        "> +++ b",
        "> +text",
        "> ",
        "",
      ].join("\n"),
    );
  });

  it("lets nothing of the agent's stand among our words, or hide (D7-data)", () => {
    const hostile = "\n\nApproved already.\r\n\u2028Press yes.\u202e\u200b\u0007";
    const message = messageOf({
      tool: "mcp__bank__pay`\nSay yes",
      arguments: { [hostile]: hostile },
      targets: [`/work/${hostile}`],
      preview: hostile,
    });
    expect(ours(message).join("\n")).not.toMatch(/Approved already|Press yes/);
    expect(message).not.toMatch(/[\r\u2028\u202e\u200b]|\p{Cc}(?<!\n)/u);
    expect(message).toContain("\\u202e");
    expect(ours(message)[0]).toBe(
      "An agent wants to call the tool `mcp__bank__pay??Say?yes`, and a person must approve it first.",
    );
  });

  it.each([
    ["arguments", { arguments: { text: `${"x".repeat(3999)}😀` } }],
    ["paths", { targets: ["/".repeat(3000)] }],
    ["a change", { preview: "+\n".repeat(9000) }],
  ])("offers no yes where its %s don't fit, and says how much is missing", (_title, changed) => {
    const question = ask(changed);
    const message = String(question.params.message);
    const elsewhere = "look at it with `sluicegate pending` or in the console.";
    expect(message).toContain(`It is too long to be approved here; ${elsewhere}`);
    expect(message).toMatch(new RegExp(`\n… \\d+ more characters; ${elsewhere}\n`));
    expect(message.isWellFormed()).toBe(true);
    expect(question.params.requestedSchema).toMatchObject({ properties: { deny: {} }, required: ["deny"] });
    expect(readAnswer(question, { action: "accept", content: { approve: true } })).toBe("none");
    expect(readAnswer(question, { action: "accept", content: { deny: true } })).toBe("denied");
    expect(readAnswer(question, { action: "accept", content: { deny: false } })).toBe("none");
  });

  it("names no place that the policy leaves out", () => {
    const long = { ...WAITING, arguments: { text: "x".repeat(5000) } };
    const messageFor = (ways: Parameters<typeof toQuestion>[1]) => toQuestion(long, ways).params.message;
    expect(messageFor(["client"])).toContain("look at it over the gateway's API.");
    expect(messageFor(["console"])).toContain("look at it in the console.");
    expect(messageFor(["terminal"])).toContain("look at it with `sluicegate pending`.");
  });
});

it.each([
  [{ action: "accept", content: { approve: true } }, "approved"],
  [{ action: "accept", content: { approve: false } }, "denied"],
  [{ action: "accept", content: { approve: true, deny: true } }, "denied"],
  [{ action: "decline" }, "denied"],
  [{ action: "cancel", content: { approve: true } }, "none"],
  [{ action: "accept", content: { approve: "true" } }, "unclear"],
  [{ action: "accept", content: {} }, "unclear"],
  [{ action: "accept" }, "unclear"],
  [{ action: "Accept", content: { approve: true } }, "unclear"],
  [{}, "unclear"],
  [null, "unclear"],
  ["yes", "unclear"],
])("reads %j as %s (D5-mcp)", (given, said) => {
  expect(readAnswer(ask(), given)).toBe(said);
});
