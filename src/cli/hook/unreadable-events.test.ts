import { describe, expect, it } from "vitest";
import { longestTurn, threadTime } from "../../../test/fixtures/longest-turn.ts";
import { answerEvent } from "../../hooks/claude-code/answer-event.ts";
import type { HookSettings } from "../../hooks/claude-code/hook-settings.ts";

const SETTINGS: HookSettings = {
  ...{ config: "/x.yaml", store: "/x.db", role: null, unlisted: "policy" },
  ...{ waitSeconds: 0, environment: {}, settings: null },
};
const answer = async (text: string): Promise<unknown> =>
  JSON.parse(
    await answerEvent(text, SETTINGS, () => {
      throw new Error("It was read.");
    }),
  );

const event = (name: string, result: string): string =>
  `{"session_id":"one","hook_event_name":"${name}","cwd":"/work","tool_name":"Read","tool_use_id":"u","tool_input":{},"tool_response":${result}}`;
const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

describe("an event that can't be read", () => {
  it.each(["PostToolUse", "PostToolUseFailure"])("stops the agent after a call: %s (law-8)", async (name) => {
    const stopped = { continue: false, stopReason: expect.stringContaining("nested") };
    expect(await answer(event(name, nested(2000)))).toEqual(stopped);
    const unfinished = event(name, '{"a":');
    expect(await answer(unfinished)).toMatchObject({ continue: false });
  });

  it("denies the call or blocks the prompt before it (law-9)", async () => {
    const denied = { hookSpecificOutput: { permissionDecision: "deny" } };
    expect(await answer(event("PreToolUse", nested(2000)))).toMatchObject(denied);
    expect(await answer("{")).toMatchObject(denied);
    expect(await answer(event("UserPromptSubmit", nested(2000)))).toMatchObject({ decision: "block" });
  });

  it("holds nobody else up, however deep its result is (law-8)", async () => {
    const text = event("PostToolUse", nested(5_000_000));
    const longest = longestTurn(threadTime);
    expect(await answer(text)).toMatchObject({ continue: false });
    expect(longest()).toBeLessThan(200);
  });

  it("isn't one whose result is only unusual (law-8)", async () => {
    const read = { continue: false, stopReason: expect.stringContaining("Something went wrong inside it") };
    for (const result of [nested(900), '{"a":1,"a":2}', JSON.stringify(nested(5000))])
      expect(await answer(event("PostToolUse", result))).toMatchObject(read);
  });
});
