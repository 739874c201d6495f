import { describe, expect, test } from "vitest";
import { problemsOf } from "../testing/problems-of.ts";

const CASES: readonly { title: string; text: string; lines: readonly string[] }[] = [
  {
    title: "points at each tool that nothing declares",
    text: `version: 1
servers:
  mail: { command: node, tools: { search_email: { permissions: [read] } } }
tools:
  search_docs: { permissions: [read] }
roles:
  clerk: { tools: [search_emial, Raed, mcp__crm__x, zebra, "zebra*"] }
`,
    lines: [
      "p.yaml:7:20: There is no tool `search_emial`; did you mean `search_email`?",
      "p.yaml:7:34: There is no tool `Raed`; did you mean `Read`?",
      "p.yaml:7:40: There is no tool `mcp__crm__x`. Declare it under `tools`, or use one of `mcp__mail__search_email`, `search_docs`, `mcp__mail__*`, `Read`, `Write`, `Edit`, `Bash`, `Glob`, `Grep`, `NotebookEdit`, `WebFetch`, `WebSearch` and 3 more.",
      "p.yaml:7:53: There is no tool `zebra`. Declare it under `tools`, or use one of `mcp__mail__search_email`, `search_docs`, `mcp__mail__*`, `Read`, `Write`, `Edit`, `Bash`, `Glob`, `Grep`, `NotebookEdit`, `WebFetch`, `WebSearch` and 3 more.",
      "p.yaml:7:60: There is no tool `zebra*`. Declare it under `tools`, or use one of `mcp__mail__search_email`, `search_docs`, `mcp__mail__*`, `Read`, `Write`, `Edit`, `Bash`, `Glob`, `Grep`, `NotebookEdit`, `WebFetch`, `WebSearch` and 3 more.",
    ],
  },
  {
    title: "takes names, aliases, built-in tools, patterns and a server's tools that nobody has declared",
    text: `version: 1
servers:
  mail: { command: node, tools: { search_email: { permissions: [read] } } }
tools:
  search_docs: { permissions: [read] }
roles:
  clerk: { tools: [search_email, mail__search_email, mcp__mail__search_email, Read, "search_*", "*", mcp__mail__other] }
`,
    lines: [],
  },
  {
    title: "refuses a pattern that looks like a server's tool and can match none",
    text: `version: 1
workspace: { root: . }
roles:
  clerk: { tools: [mcp__workspace_*, Read], approval: { "mcp__workspace_*": always } }
  other: { denied_tools: [mcp__x] }
`,
    lines: [
      "p.yaml:4:20: `mcp__workspace_*` in `tools` is not the name of a server's tool. Write `mcp__{server}__{tool}`; either part may hold `*`.",
      "p.yaml:4:57: `mcp__workspace_*` in `approval` is not the name of a server's tool. Write `mcp__{server}__{tool}`; either part may hold `*`.",
      "p.yaml:5:27: `mcp__x` in `denied_tools` is not the name of a server's tool. Write `mcp__{server}__{tool}`; either part may hold `*`.",
    ],
  },
  {
    title: "checks the names in a role's clearance",
    text: `version: 1
roles:
  clerk: { clearance: interal }
  boss: { clearance: [public, { level: secret, trust: trustd, categories: [hr] }] }
  none: { clearance: [] }
`,
    lines: [
      "p.yaml:3:23: Unknown level `interal`; did you mean `internal`?",
      "p.yaml:4:55: Unknown trust level `trustd`; did you mean `trusted`?",
      "p.yaml:4:76: Unknown category `hr`. Declare it under `categories`.",
      "p.yaml:5:22: `clearance` must not be empty.",
    ],
  },
  {
    title: "counts a tool as declared though its declaration is wrong",
    text: `version: 1
tools:
  search: { permissions: [reed] }
roles:
  clerk: { tools: [search] }
`,
    lines: [
      "p.yaml:3:27: `permissions` takes `read`, `write` or `connect`, not `reed`; did you mean `read`?",
    ],
  },
];

describe("the tools of roles", () => {
  test.each(CASES)("$title", ({ text, lines }) => {
    expect(problemsOf(text)).toEqual(lines);
  });
});
