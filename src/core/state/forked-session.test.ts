/** What a session's state knows of forks and of paused runs. */
import { describe, expect, it } from "vitest";
import { decide } from "../decision/decide.ts";
import { visibleTools } from "../decision/decision-context.ts";
import { definePolicy } from "../policy/policy.ts";
import { fromLimit, isLeft, type ToolPolicy, toLimit } from "../tools/tool-policy.ts";
import type { SessionEvent } from "./session-event.ts";
import { apply, initialState, type SessionState } from "./state.ts";

const tools = {
  read: { permissions: ["read"], tags: ["office"] },
  send: { permissions: ["connect"] },
} as const;
const roles = { reader: { tools: ["read", "send"], permissions: ["read"] } } as const;
const policy = definePolicy({ tools, roles, policy: { deniedTools: ["nothing"] } });
const AT = "2026-11-22T08:00:00Z";

const opened = (limits: readonly ToolPolicy[], role: string | null = null): SessionEvent => ({
  kind: "session-opened",
  principal: "ada",
  role,
  tools: null,
  task: false,
  parent: "sess_1",
  limits,
  shares: "sess_1",
});
const play = (...events: SessionEvent[]): SessionState =>
  events.reduce((state, event) => apply(state, event, AT), initialState(policy.lattice));

describe("the tool policies of a fork", () => {
  const codesOf = (state: SessionState, tool: string): readonly string[] =>
    decide(policy, state, { tool }).reasons.map(({ code }) => code);

  it.each([
    ["denied", { deniedTools: ["se*"] }, null, ["read"], ["denied-by-policy"]],
    ["not allowed", { allowedTools: ["read"] }, null, ["read"], ["denied-by-policy"]],
    ["untagged", { requireTags: ["office"] }, null, ["read"], ["missing-tag"]],
    [
      "denied in a role",
      { deniedTools: ["send"] },
      "reader",
      ["read"],
      ["denied-by-policy", "permission-missing"],
    ],
    ["of a role that is gone", {}, "gone", [], ["not-in-tool-set", "permission-missing"]],
  ] as const)("take away what is %s (B5)", (_, limit, role, seen, codes) => {
    const state = play(opened([limit], role));
    expect(visibleTools(policy, state).map(({ id }) => id)).toEqual(seen);
    expect(codesOf(state, "send")).toEqual(codes);
  });

  it("stay as they were told, also where they are told again", () => {
    const limits = [{ allowedTools: [], deniedTools: ["a", "b*"] }, { requireTags: ["office"] }, {}];
    const state = play(opened(limits), opened([]));
    expect(state.limits.map(fromLimit)).toEqual(limits);
    expect(state.shares).toBe("sess_1");
  });

  it("leave a tool only if all of them do, in whatever order they stand (law-1)", () => {
    const read = policy.tools.get("read");
    if (read === undefined) throw new Error("There is no such tool.");
    const left = (...policies: readonly ToolPolicy[]) => isLeft(policies.map(toLimit), read, policy.names);
    expect([left(), left({ allowedTools: ["r*"] }, { requireTags: ["office"] })]).toEqual([true, true]);
    for (const denying of [{ deniedTools: ["read"] }, { allowedTools: [] }, { requireTags: ["hr"] }])
      expect([left(denying, {}), left({}, denying)]).toEqual([false, false]);
    expect(() => toLimit({ deniedTools: ["mcp__read"] })).toThrow("matches no tool");
  });
});

it("counts forks, and knows the runs that wait until they have ended or the session is closed (B6)", () => {
  const pause = (run: string): SessionEvent => ({ kind: "run-paused", run, expires: AT });
  const waiting = play(
    { kind: "session-forked", fork: "sess_2" },
    pause("a"),
    pause("b"),
    { kind: "run-ended", run: "a", outcome: "resumed" },
    { kind: "run-ended", run: "never", outcome: "expired" },
  );
  expect([waiting.forks, waiting.pausedRuns]).toEqual([1, [{ run: "b", expires: AT }]]);
  expect(apply(waiting, { kind: "session-closed", reason: "reset", successor: "s" }, AT).pausedRuns).toEqual(
    [],
  );
});
