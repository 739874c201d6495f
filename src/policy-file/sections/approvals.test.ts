import { describe, expect, test } from "vitest";
import { parseNow } from "../testing/parse-now.ts";
import { problemsOf } from "../testing/problems-of.ts";

const approvalsOf = (text: string) =>
  parseNow(`version: 1\n${text}`, { file: "p.yaml", environment: {} }).policy.approvals;

describe("how approvals are answered", () => {
  test("is by console and terminal within an hour, where nothing is said", () => {
    expect(approvalsOf("")).toEqual({
      via: ["console", "terminal"],
      expiresSeconds: 3600,
      waitSeconds: 50,
      approvers: 1,
      own: true,
    });
  });

  test.each([
    ["90", 90],
    ["90s", 90],
    ["30m", 1800],
    ["2h", 7200],
    ['"1d"', 86_400],
    ["7d", 604_800],
  ])("takes %s as a length of time", (written, seconds) => {
    expect(approvalsOf(`approvals: { via: [client], expires: ${written}, wait: 0 }\n`)).toEqual({
      via: ["client"],
      expiresSeconds: seconds,
      waitSeconds: 0,
      approvers: 1,
      own: true,
    });
  });

  test("is told with line and column where it is wrong (X1-policy)", () => {
    expect(
      problemsOf(`version: 1
approvals:
  via: [console, email, klient]
  expires: 30 minutes
  wait: 2h
`),
    ).toEqual([
      "p.yaml:3:18: `via` takes `console`, `terminal` or `client`, not `email`.",
      "p.yaml:3:25: `via` takes `console`, `terminal` or `client`, not `klient`; did you mean `client`?",
      "p.yaml:4:12: `expires` isn't a duration: `30 minutes`. Write a whole number of seconds, or one with a unit: `90s`, `30m`, `2h`, `1d`.",
      "p.yaml:5:9: `wait` can be an hour at most, and `2h` is not.",
    ]);
    expect(problemsOf("version: 1\napprovals: { via: [], expires: 0, wait: true, until: 5 }\n")).toEqual([
      "p.yaml:2:19: `via` must not be empty.",
      "p.yaml:2:32: `expires` can be from a second to 7 days, and `0` is not.",
      "p.yaml:2:41: `wait` must be a number of seconds, or one with a unit, such as `30m`, but `true` is a boolean.",
      "p.yaml:2:47: Unknown key `until`. `approvals` takes `via`, `expires`, `wait`, `approvers` and `own`.",
    ]);
    expect(problemsOf("version: 1\napprovals: { expires: 1.5, wait: -1 }\n")).toEqual([
      "p.yaml:2:23: `expires` isn't a duration: `1.5`. Write a whole number of seconds, or one with a unit: `90s`, `30m`, `2h`, `1d`.",
      "p.yaml:2:34: `wait` isn't a duration: `-1`. Write a whole number of seconds, or one with a unit: `90s`, `30m`, `2h`, `1d`.",
    ]);
    expect(problemsOf("version: 1\napprovals: { expires: 8d, wait: .inf }\n")).toHaveLength(2);
  });
});
