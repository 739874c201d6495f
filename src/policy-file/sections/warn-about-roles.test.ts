import { describe, expect, test } from "vitest";
import { warningsOf } from "../testing/problems-of.ts";

const SERVERS = `version: 1
servers:
  mail: { command: node, tools: { find: { permissions: [read], tags: [ok] }, send: { permissions: [connect], sink: public }, drop: { permissions: [write], sink: public } } }
`;

describe("warnings about roles whose parts disagree", () => {
  test.each<[string, string, readonly string[]]>([
    [
      "names a tool that its own tool policy takes away (E5)",
      "roles: { r: { tools: [find, send], denied_tools: [send] } }",
      [
        "p.yaml:4:29: The role `r` names `send`, which it can't use: its own `allowed_tools`, `denied_tools` or `require_tags` take it away.",
      ],
    ],
    [
      "names a tool without a tag that it requires (E5)",
      "roles: { r: { tools: [find, drop], require_tags: [ok] } }",
      [
        "p.yaml:4:29: The role `r` names `drop`, which it can't use: its own `allowed_tools`, `denied_tools` or `require_tags` take it away.",
      ],
    ],
    [
      "names a pattern of which nothing is left (E5)",
      'roles: { r: { tools: [find, "mcp__mail__d*"], denied_tools: [drop] } }',
      [
        "p.yaml:4:29: The role `r` names every tool that `mcp__mail__d*` means, which it can't use: its own `allowed_tools`, `denied_tools` or `require_tags` take it away.",
      ],
    ],
    [
      "names a pattern of which something is left",
      'roles: { r: { tools: ["mcp__mail__*"], denied_tools: [drop] } }',
      [],
    ],
    [
      "is granted what none of its tools needs (E5)",
      "roles: { r: { tools: [find], permissions: [read, connect] } }",
      ["p.yaml:4:50: The role `r` is granted `connect`, which none of its tools needs. Leave it out."],
    ],
    [
      "is granted what a pattern may need one day",
      'roles: { r: { tools: ["mcp__mail__f*"], permissions: [read, connect] } }',
      [],
    ],
    ["has no set of its own", "roles: { r: { permissions: [read, connect], denied_tools: [drop] } }", []],
  ])("are given of one that %s", (_, roles, lines) => {
    expect(warningsOf(`${SERVERS}${roles}\n`)).toEqual(lines);
  });

  test("are given of one that names what nobody has (E5)", () => {
    expect(
      warningsOf(`${SERVERS}roles: { r: { tools: [find, send] } }\npolicy: { denied_tools: [send] }\n`),
    ).toContain(
      "p.yaml:4:29: The role `r` names `send`, which it can't use: `policy` takes it from everybody.",
    );
  });

  test("are given of one that is called like an agent that comes along, and has other tools (E5)", () => {
    expect(
      warningsOf(`version: 1
workspace: { root: . }
roles:
  fixer: { tools: [Read, Write, Edit, Bash] }
  implementer: { tools: [Read, Glob, Grep, Edit] }
  code-reviewer: { tools: [Read, Glob, Grep] }
  issue-fixer: { tools: ["mcp__workspace__R*", "mcp__workspace__ren*", Write] }
  mender: { tools: [Read, Bash] }
`),
    ).toEqual([
      "p.yaml:4:3: The role `fixer` has `Bash`, which the agent of that name never has. Leave that out of its `tools`, or call the role otherwise.",
      "p.yaml:5:3: The role `implementer` doesn't have `Write`, which the agent of that name works with.",
      "p.yaml:7:3: The role `issue-fixer` has `rename`, which the agent of that name never has. Leave that out of its `tools`, or call the role otherwise.",
      "p.yaml:7:3: The role `issue-fixer` doesn't have `Edit`, `Glob` and `Grep`, which the agent of that name works with.",
    ]);
  });

  test("are not given of such a name where there is no workspace", () => {
    expect(warningsOf(`${SERVERS}roles: { fixer: { tools: [find] } }\n`)).toEqual([]);
  });
});
