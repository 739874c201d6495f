import { describe, expect, test } from "vitest";
import { problemsOf } from "../testing/problems-of.ts";

const CASES: readonly { title: string; text: string; lines: readonly string[] }[] = [
  {
    title: "shows the right form of a server's tool, and the server that was probably meant",
    text: `version: 1
servers:
  mail: { command: node }
tools:
  mcp__mail: { permissions: [read] }
  mcp__mail__: { permissions: [read] }
  mcp__mial__search: { permissions: [read] }
  mcp__crm__search: { permissions: [read] }
  "mcp__*": { permissions: [read] }
  "mcp__m*__search": { permissions: [read] }
  "mcp__x*__search": { permissions: [read] }
`,
    lines: [
      "p.yaml:5:3: `mcp__mail` is not the name of a server's tool. Write `mcp__{server}__{tool}`; either part may hold `*`.",
      "p.yaml:6:3: `mcp__mail__` is not the name of a server's tool. Write `mcp__{server}__{tool}`; either part may hold `*`.",
      "p.yaml:7:3: `mcp__mial__search` is for a server `mial`, which is not configured; did you mean `mail`?",
      "p.yaml:8:3: `mcp__crm__search` is for a server `crm`, which is not configured. Configured are `mail`.",
      "p.yaml:9:3: `mcp__*` is not the name of a server's tool. Write `mcp__{server}__{tool}`; either part may hold `*`.",
      "p.yaml:11:3: `mcp__x*__search` is for a server `x*`, which is not configured. Configured are `mail`.",
    ],
  },
  {
    title: "says so where no server is configured at all",
    text: `version: 1
tools:
  mcp__mail__search: { permissions: [read] }
`,
    lines: [
      "p.yaml:3:3: `mcp__mail__search` is for a server `mail`, which is not configured. Configure it under `servers`.",
    ],
  },
  {
    title: "refuses a tool that is declared under its server and at the top, at the second",
    text: `version: 1
tools:
  mcp__mail__search: { permissions: [read] }
servers:
  mail:
    command: node
    tools:
      search: { permissions: [read] }
      mcp__mail__send: { permissions: [connect], sink: public }
`,
    lines: [
      "p.yaml:8:7: `mcp__mail__search` is declared twice; the first is `mcp__mail__search` on line 3. Keep one of the two.",
      "p.yaml:9:7: Under its server a tool has its short name, not `mcp__mail__send`. Write `send`.",
    ],
  },
  {
    title: "refuses a pattern that is declared twice as well",
    text: `version: 1
servers:
  mail:
    command: node
    tools:
      "*": { permissions: [read] }
tools:
  "mcp__mail__*": { permissions: [read] }
`,
    lines: ["p.yaml:8:3: `mcp__mail__*` is declared twice; the first is `*` on line 6. Keep one of the two."],
  },
  {
    title: "refuses what is written like a method of a server and matches none (X14)",
    text: `version: 1
servers:
  mail: { command: node, tools: { "resource/*": { permissions: [read] }, "*/get": { permissions: [read] } } }
tools:
  mcp__mail__resources/templates/list: { permissions: [read] }
  "mcp__*__prompts/*": { permissions: [read] }
  own/name: { permissions: [read] }
`,
    lines: [
      "p.yaml:3:35: `resource/*` has a `/` in its name and matches no method of a server, so it would never apply. Write a tool's name, or a method such as `resources/read`, `prompts/get` or `resources/*`.",
      "p.yaml:5:3: `mcp__mail__resources/templates/list` has a `/` in its name and matches no method of a server, so it would never apply. Write a tool's name, or a method such as `resources/read`, `prompts/get` or `resources/*`.",
    ],
  },
  {
    title: "keeps the names of Sluicegate's own tools",
    text: `version: 1
tools:
  sluicegate_manifest: { permissions: [] }
  sluicegate_check_plan: { permissions: [] }
servers:
  other: { command: node, tools: { sluicegate_manifest: { permissions: [read] } } }
`,
    lines: [
      "p.yaml:3:3: `sluicegate_manifest` is a tool of Sluicegate itself. Give yours another name.",
      "p.yaml:4:3: `sluicegate_check_plan` is a tool of Sluicegate itself. Give yours another name.",
    ],
  },
  {
    title: "has no second-lowest level where there is one",
    text: `version: 1
levels: [only]
tools:
  inbox: { is_internal_source: true }
  outbox: { is_internal_source: true, source: only }
`,
    lines: [
      "p.yaml:4:12: `is_internal_source` means the second-lowest level, and there is only one. Name the `source`, or add a level.",
    ],
  },
  {
    title: "refuses __proto__ as a name and takes what other objects inherit",
    text: `version: 1
tools:
  __proto__: { permissions: [read] }
  toString: { permissions: [read], sorce: public }
  constructor: { permissions: [read], source: hasOwnProperty }
servers:
  __proto__: { command: node }
  constructor: { command: node, tools: { valueOf: {} } }
`,
    lines: [
      "p.yaml:3:3: Nothing can be called `__proto__`. Choose another name.",
      "p.yaml:4:36: Unknown key `sorce`; did you mean `source`?",
      "p.yaml:5:47: Unknown level `hasOwnProperty`. The levels are `public`, `internal`, `confidential` and `secret`.",
      "p.yaml:7:3: Nothing can be called `__proto__`. Choose another name.",
      "p.yaml:8:51: `permissions` is missing. Say what the tool does, with any of `read`, `write` and `connect`: `permissions: [read]`.",
    ],
  },
];

describe("tools and their names", () => {
  test.each(CASES)("$title", ({ text, lines }) => {
    expect(problemsOf(text)).toEqual(lines);
  });
});
