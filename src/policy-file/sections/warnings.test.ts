import { describe, expect, test } from "vitest";
import { warningsOf } from "../testing/problems-of.ts";

const CASES: readonly { title: string; text: string; lines: readonly string[] }[] = [
  {
    title:
      "says so of a tool that reaches outside without a sink, but not where the seed's flag says what that means",
    text: `version: 1
levels: [open, closed]
tools:
  post: { permissions: [connect] }
  tweet: { permissions: [connect], is_external: true }
  call: { is_external: true }
  pr: { permissions: [write, connect], sink: closed }
  note: { permissions: [write] }
`,
    lines: [
      "p.yaml:4:3: `post` reaches outside and has no `sink`, so only `open` data may go there. Say so with `sink: open`, or name the highest level that may be sent.",
    ],
  },
  {
    title: "says so of a server that keeps what one session writes and gives it to another without a label",
    text: `version: 1
servers:
  memory:
    command: node
    tools:
      remember: { permissions: [write] }
      recall: { permissions: [read] }
  kept:
    command: node
    tools:
      put: { permissions: [write], sink: internal }
      get: { permissions: [read] }
  marked:
    command: node
    tools:
      put: { permissions: [write] }
      get: { permissions: [read], source: secret }
`,
    lines: [
      "p.yaml:6:7: `remember` may keep any session's data at its server, and `recall` gives what is kept there to any session as if it were nothing. Give `remember` a `sink`, or `recall` a `source` that is as high as what may be kept.",
    ],
  },
  {
    title: "says so of patterns, under a server and at the top",
    text: `version: 1
servers:
  files: { command: node, tools: { "read_*": { permissions: [read] } } }
tools:
  "*": { permissions: [read], source: secret }
  "mcp__f*__list": { permissions: [read] }
`,
    lines: [
      "p.yaml:3:36: The pattern `read_*` classifies tools that nobody has reviewed. Declare each tool by its own name where you can.",
      "p.yaml:5:3: The pattern `*` classifies tools that nobody has reviewed. Declare each tool by its own name where you can.",
      "p.yaml:6:3: The pattern `mcp__f*__list` classifies tools that nobody has reviewed. Declare each tool by its own name where you can.",
    ],
  },
  {
    title: "says so of a method that is declared by itself and brings nothing in (X14)",
    text: `version: 1
servers:
  mail:
    command: node
    tools:
      search: { permissions: [read], source: internal }
      "resources/*": { permissions: [read], approval: always }
      prompts/get: { permissions: [read], source: internal }
`,
    lines: [
      "p.yaml:7:7: `resources/*` is declared without a `source`, so it brings nothing into a session, whatever its server holds. Write what it brings in, such as `source: public`.",
    ],
  },
  {
    title: "says which limit takes a tool from everybody",
    text: `version: 1
servers:
  mail: { command: node, tools: { send: { permissions: [connect] }, search: { permissions: [read], tags: [ok] } } }
tools:
  a: { permissions: [read], tags: [ok] }
  b: { permissions: [read] }
  c: { permissions: [read], tags: [ok] }
policy: { denied_tools: [send], allowed_tools: [a, b, send, search], require_tags: [ok] }
`,
    lines: [
      "p.yaml:3:35: Nobody can call `send`: `denied_tools` of `policy` takes it away.",
      "p.yaml:6:3: Nobody can call `b`: it lacks the tag `ok`, which `policy` requires.",
      "p.yaml:7:3: Nobody can call `c`: `allowed_tools` of `policy` doesn't have it.",
    ],
  },
  {
    title: "says what a role names in vain",
    text: `version: 1
servers:
  mail: { command: node, tools: { find: { permissions: [read] }, send: { permissions: [connect], sink: public } } }
  docs: { command: node, tools: { find: { permissions: [read] } } }
tools:
  search: { permissions: [read] }
roles:
  reader: { tools: [Read, search, Glob, find, "mcp__docs__*", mcp__mail__burn, send], permissions: [read] }
  all: { tools: ["*"] }
`,
    lines: [
      "p.yaml:8:21: Nothing declares `Read`, `Glob` and `mcp__mail__burn` yet, so the role `reader` doesn't have what it names. Declare what each does under `tools`.",
      "p.yaml:8:41: `find` could mean `mcp__mail__find` or `mcp__docs__find`, so the role `reader` gets none of them. Write out the one that is meant.",
      "p.yaml:8:80: The role `reader` has `send` and can't call it: it isn't granted `connect`.",
    ],
  },
  {
    title: "says which entries of limits mean nothing",
    text: `version: 1
servers:
  mail: { command: node, tools: { find: { permissions: [read] } } }
  docs: { command: node, tools: { find: { permissions: [read] } } }
tools:
  search: { permissions: [read] }
policy: { denied_tools: [serch, mcp__tail__x, "mcp__crm__*", Bash, "del_*", "mcp__*__x", mcp__mail__y] }
roles:
  all: { allowed_tools: [find, search] }
`,
    lines: [
      "p.yaml:7:26: `serch` in `denied_tools` isn't a tool of this policy; did you mean `search`?",
      "p.yaml:7:33: `mcp__tail__x` in `denied_tools` isn't a tool of this policy.",
      "p.yaml:7:47: `mcp__crm__*` in `denied_tools` isn't a tool of this policy.",
      "p.yaml:9:26: `find` could mean `mcp__mail__find` or `mcp__docs__find`, so `allowed_tools` allows none of them. Write out the one that is meant.",
    ],
  },
  {
    title: "keeps quiet about limits on short names where a pattern takes in what a server offers one day",
    text: `version: 1
servers:
  mail: { command: node, tools: { "find_*": { permissions: [read] } } }
policy: { denied_tools: [find_everything] }
`,
    lines: [
      "p.yaml:3:35: The pattern `find_*` classifies tools that nobody has reviewed. Declare each tool by its own name where you can.",
    ],
  },
  {
    title: "says so of a name that looks like a server's tool and isn't one",
    text: `version: 1
servers:
  mail: { command: node, tools: { find: { permissions: [read] } } }
tools:
  mail__find: { permissions: [read] }
`,
    lines: [
      "p.yaml:5:3: `mail__find` is taken for a tool that the agent runs itself. For one of the server `mail` write `mcp__mail__find`.",
    ],
  },
  {
    title: "says so of a server of which agents get nothing",
    text: `version: 1
servers:
  mail: { command: node }
  web: { url: "http://localhost" }
  docs: { command: node }
tools:
  mcp__web__search: { permissions: [read] }
  "mcp__d*__*": { permissions: [read] }
`,
    lines: [
      "p.yaml:3:3: No tool of the server `mail` is declared, so agents get none of them. Declare those that agents may use under its `tools`.",
      "p.yaml:8:3: The pattern `mcp__d*__*` classifies tools that nobody has reviewed. Declare each tool by its own name where you can.",
    ],
  },
  {
    title: "says nothing of such a server where a person is asked about each of its tools",
    text: `version: 1
servers:
  mail: { command: node }
unclassified: ask
roles: { clerk: { tools: [mcp__mail__anything, "mcp__mail__*"] } }
`,
    lines: [],
  },
  {
    title: "says nothing of what a pattern over everything takes in",
    text: `version: 1
servers:
  mail: { command: node }
tools: { "*": { permissions: [read] } }
roles: { clerk: { tools: [Read, mcp__mail__x, "mcp__mail__*"], denied_tools: [whatever] } }
`,
    lines: [
      "p.yaml:4:10: The pattern `*` classifies tools that nobody has reviewed. Declare each tool by its own name where you can.",
    ],
  },
];

describe("warnings of a sound policy", () => {
  test.each(CASES)("$title", ({ text, lines }) => {
    expect(warningsOf(text)).toEqual(lines);
  });
});
