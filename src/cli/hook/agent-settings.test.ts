import { describe, expect, it } from "vitest";
import { withHook, withoutHook } from "./agent-settings.ts";

const HOOK = {
  command: "/usr/bin/node /opt/start.js hook claude-code --config /a/sluicegate.yaml || exit 2",
  timeout: 80,
};
const OTHER = { command: "node other.js", timeout: 5 };

const SETTINGS: readonly (readonly [string, string])[] = [
  ["an empty object", "{}"],
  ["an empty object over lines", "{\n}\n"],
  ["other keys", `{\n  "model": "x",\n  "env": { "A": "1" }\n}\n`],
  ["one line", `{"model":"x"}`],
  ["tabs and no line at the end", `{\n\t"model": "x"\n}`],
  ["line ends of Windows", `{\r\n    "model": "x"\r\n}\r\n`],
  ["hooks of others", `{\n  "hooks": {\n    "Stop": [ { "hooks": [] } ]\n  },\n  "model": "x"\n}\n`],
  [
    "hooks of others before the same tools",
    `{\n  "hooks": {\n    "PreToolUse": [\n      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "node other.js" }] }\n    ]\n  }\n}\n`,
  ],
  ["numbers and escapes as nobody would write them", `{ "a" : 1.50e3 , "\\u0062":"\\/" }`],
];

describe("a hook in an agent's settings", () => {
  it.each(SETTINGS)("is put into %s, found there again, and taken out byte for byte", (_, text) => {
    const installed = withHook(text, HOOK);
    const { hooks } = JSON.parse(installed);
    for (const event of ["UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"])
      expect(hooks[event].at(-1)).toEqual({
        matcher: "*",
        hooks: [{ type: "command", ...HOOK, onFailure: "block" }],
      });
    expect(JSON.parse(installed).env).toMatchObject({ CLAUDE_CODE_GLOB_NO_IGNORE: "false" });
    expect(withHook(installed, HOOK)).toBe(installed);
    expect(withoutHook(installed)).toBe(text);
    expect(withoutHook(text)).toBe(text);
  });

  it("leaves a choice of the agent's person about ignored files as it is", () => {
    const text = `{\n  "env": { "CLAUDE_CODE_GLOB_NO_IGNORE": "true" }\n}\n`;
    expect(JSON.parse(withHook(text, HOOK)).env).toEqual({ CLAUDE_CODE_GLOB_NO_IGNORE: "true" });
    expect(withoutHook(withHook(text, HOOK))).toBe(text);
  });

  it("is what an agent's settings begin with", () => {
    expect(JSON.parse(withHook("", HOOK)).hooks.PreToolUse).toHaveLength(1);
    expect(withoutHook(withHook("", HOOK))).toBe("{}\n");
  });

  it("takes the place of one that was set up otherwise", () => {
    const older = withHook(`{\n  "model": "x"\n}\n`, { ...HOOK, timeout: 7 });
    const other = withHook(older, { ...HOOK, command: "node start.js hook claude-code --role reviewer" });
    expect(withHook(other, HOOK)).toBe(withHook(`{\n  "model": "x"\n}\n`, HOOK));
  });

  it("gives one of an older version what blocks a call where it fails", () => {
    const older = withHook("{}", HOOK).replaceAll(/,\s*"onFailure": "block"/g, "");
    expect(older).not.toContain("onFailure");
    expect(withHook(older, HOOK)).toBe(withHook("{}", HOOK));
  });

  it("leaves what others have put beside it", () => {
    const own = { type: "command", ...HOOK };
    const settings = {
      hooks: {
        PreToolUse: [
          { matcher: "*", hooks: [OTHER, own] },
          { matcher: "*", hooks: [own] },
        ],
        PostToolUse: [],
      },
    };
    expect(JSON.parse(withoutHook(JSON.stringify(settings)))).toEqual({
      hooks: { PreToolUse: [{ matcher: "*", hooks: [OTHER] }], PostToolUse: [] },
    });
  });

  it.each([
    ["a comment", `{ // mine\n}`],
    ["a comma too many", `{ "a": 1, }`],
    ["a key twice", `{ "hooks": {}, "hooks": {} }`],
    ["a list", "[]"],
    ["hooks that are no object", `{ "hooks": [] }`],
    ["an event without a list", `{ "hooks": { "PreToolUse": {} } }`],
  ])("isn't put into settings with %s", (_, text) => {
    expect(() => withHook(text, HOOK)).toThrow(expect.objectContaining({ code: "usage" }));
  });
});
