import { describe, expect, it } from "vitest";
import { fileCallOf } from "./file-call.ts";
import { parseHookEvent } from "./hook-event.ts";

const event = (tool: string, input: object) =>
  parseHookEvent({
    hook_event_name: "PreToolUse",
    session_id: "one",
    cwd: "/work",
    tool_name: tool,
    tool_use_id: "toolu_1",
    tool_input: input,
  });

describe("what a coding agent's call touches", () => {
  it.each([
    ["Read", { file_path: "a.ts", pages: "1" }, [{ tool: "Read", arguments: { file_path: "/work/a.ts" } }]],
    ["Read", { file_path: "/etc/x" }, [{ tool: "Read", arguments: { file_path: "/etc/x" } }]],
    [
      "Write",
      { file_path: "a", content: "x" },
      [{ tool: "Write", arguments: { file_path: "/work/a", content: "x" } }],
    ],
    ["Bash", { command: "ls", run_in_background: true }, [{ tool: "Bash", arguments: { command: "ls" } }]],
    [
      "Read",
      { file_path: "a/../b.ts" },
      [
        { tool: "Read", arguments: { file_path: "/work/b.ts" } },
        { tool: "Read", arguments: { file_path: "/work/a/../b.ts" } },
      ],
    ],
    ["Grep", { pattern: "x", path: 7 }, [{ tool: "list_dir", arguments: { path: 7 } }]],
  ])("of %s with %j is examined from where the agent works (D2)", (tool, input, examinations) => {
    expect(fileCallOf(event(tool, input))).toMatchObject({ examinations, asks: [] });
  });

  it.each([
    ["Grep", { pattern: "x" }, { path: "/work", globs: [], isListing: false }],
    ["Grep", { pattern: "x", glob: "!*.md" }, { path: "/work", globs: [], isListing: false }],
    ["Grep", { pattern: "x", glob: "*.ts" }, { path: "/work", globs: ["*.ts"], isListing: false }],
    ["Grep", { pattern: "x", glob: "*.{ts,md}" }, { path: "/work", globs: ["*.{ts,md}"], isListing: false }],
    [
      "Grep",
      { pattern: "x", glob: "*.md,src/*.ts" },
      { path: "/work", globs: ["**/*.md,src/*.ts", "*.md", "**/src/*.ts"], isListing: false },
    ],
    [
      "Grep",
      { pattern: "x", glob: "*.md *.{a,b},c" },
      { path: "/work", globs: ["*.md *.{a,b},c", "*.md *.{a,b}", "c", "*.md", "*.{a,b},c", "*.{a,b}"] },
    ],
    // Nobody tells where the agent starts ripgrep.
    [
      "Grep",
      { pattern: "x", glob: "/src/*.ts" },
      { path: "/work", globs: ["**/src/*.ts"], isListing: false },
    ],
    ["Glob", { pattern: "*.ts", path: "src" }, { path: "/work/src", globs: ["*.ts"], isListing: true }],
    ["Glob", { pattern: "/etc/ssh/*.pub" }, { path: "/etc/ssh", globs: ["**/*.pub"], isListing: true }],
  ])("of %s with %j is what ripgrep would find (D1)", (tool, input, search) => {
    expect(fileCallOf(event(tool, input))).toMatchObject({ searches: [search], asks: [] });
  });

  it.each([
    ["Read", { file_path: "~/.ssh/id_rsa" }],
    ["Read", { file_path: "/etc/passwd " }],
    ["Read", { file_path: "cafe\u0301.txt" }],
    ["Edit", { file_path: "a\\b", old_string: "a", new_string: "b" }],
    ["NotebookEdit", { notebook_path: " a.ipynb", new_source: "" }],
    ["Glob", { pattern: "~/*" }],
    ["Glob", { pattern: "../*" }],
    ["Glob", { pattern: "{a,/etc/*}" }],
    ["Grep", { pattern: "x", path: "~" }],
    ["Grep", { pattern: "x", glob: "!*.md,*.ts" }],
    ["Grep", { pattern: "x", glob: "*.ts !x" }],
    ["Grep", { pattern: "x", glob: "*.ts /x" }],
    ["Grep", { pattern: "x", glob: "{a,/b}" }],
    ["Grep", { pattern: "x", glob: "!a, .env" }],
    ["Grep", { pattern: "x", glob: [] }],
  ])("of %s with %j asks, since the agent may take it otherwise (D2)", (tool, input) => {
    expect(fileCallOf(event(tool, input))?.asks).toHaveLength(1);
  });

  it("isn't told of tools that work on no files", () => {
    expect([fileCallOf(event("WebFetch", {})), fileCallOf(event("constructor", {}))]).toEqual([null, null]);
  });
});

describe("an event of a hook", () => {
  const whole = {
    hook_event_name: "PostToolUse",
    session_id: "one",
    cwd: "/work",
    tool_name: "Read",
    tool_use_id: "toolu_1",
    tool_input: {},
    tool_response: { is_error: true },
  };

  it("tells whether the tool failed", () => {
    expect([whole, { ...whole, tool_response: [] }].map((given) => parseHookEvent(given).failed)).toEqual([
      true,
      false,
    ]);
    expect(
      parseHookEvent({ ...whole, hook_event_name: "PostToolUseFailure", tool_response: undefined }).failed,
    ).toBe(true);
  });

  it.each([
    null,
    [],
    { ...whole, hook_event_name: "Stop" },
    { ...whole, session_id: "a b" },
    { ...whole, session_id: undefined },
    { ...whole, tool_use_id: 7 },
    { ...whole, cwd: "work" },
    { ...whole, tool_name: "" },
    { ...whole, tool_input: [] },
    Object.create(whole),
  ])("is none that lacks anything: %j", (given) => {
    expect(() => parseHookEvent(given)).toThrow(expect.objectContaining({ code: "invalid-request" }));
  });
});
