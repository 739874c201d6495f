import { describe, expect, test } from "vitest";
import { problemsOf, warningsOf } from "../testing/problems-of.ts";

describe("warnings about approvals", () => {
  test("are given of a client that may answer, and of what acts unasked, by tool and by role", () => {
    expect(
      warningsOf(`version: 1
approvals: { via: [console, client] }
workspace:
  root: .
  tools:
    Read: { approval: never }
    Write: { approval: never }
    run_command: { approval: never }
    Edit: { approval: args.path != "x" }
roles:
  mender: { tools: [Read, Write, "mcp__workspace__*"], approval: { Read: never, "*_text_file": never, Bash: never } }
  reader: { tools: [Read, Grep], approval: { "*": never } }
  writer: { tools: [Write], approval: { "mcp__workspace__*": never, Write: always } }
  both: { denied_tools: [Bash, run_command, rename], approval: { "*": never } }
`),
    ).toEqual([
      "p.yaml:2:29: The agent's own client may answer approvals, and it can answer without its person. Leave `client` out if a person must certainly have approved.",
      "p.yaml:7:24: `Write` has `approval: never`, so an agent can change files unasked.",
      "p.yaml:8:30: `run_command` has `approval: never`, so an agent can run programs unasked.",
      "p.yaml:11:81: The role `mender` has `approval: never` for `write_text_file` and `edit_text_file`, so an agent in it can change files unasked.",
      "p.yaml:11:103: The role `mender` has `approval: never` for `Bash`, so an agent in it can run programs unasked.",
      "p.yaml:14:66: The role `both` has `approval: never` for `write_text_file`, `edit_text_file`, `create_dir`, `delete_file`, `Write` and `Edit`, so an agent in it can change files unasked.",
    ]);
  });

  test("are not given of a tool that nobody has", () => {
    expect(
      warningsOf(`version: 1
workspace: { root: ., tools: { Write: { approval: never } } }
policy: { denied_tools: [Write] }
roles: { r: { approval: { Write: never } } }
`),
    ).toEqual([]);
  });

  test("and problems are told of the names in a role's approvals, as of its tools (E2)", () => {
    const text = (names: string): string => `version: 1
servers:
  notes: { command: node, tools: { Edit: { permissions: [write] } } }
workspace: { root: . }
roles:
  r: { approval: { ${names} } }
`;
    expect(
      problemsOf(text('Wriet: never, "mcp__crm__*": never, mcp__crm: always, "zebra*": always')),
    ).toEqual([
      "p.yaml:6:20: There is no tool `Wriet`; did you mean `Write`?",
      expect.stringMatching(/^p\.yaml:6:34: There is no tool `mcp__crm__\*`\. Declare it under `tools`/),
      expect.stringMatching(/^p\.yaml:6:56: `mcp__crm` in `approval` is not the name of a server's tool\./),
      expect.stringMatching(/^p\.yaml:6:74: There is no tool `zebra\*`\. Declare/),
    ]);
    expect(warningsOf(text("Edit: always, NotebookEdit: always"))).toEqual([
      "p.yaml:6:20: `Edit` could mean `mcp__notes__Edit` or `mcp__workspace__Edit`, so the approvals of the role `r` mean none of them. Write out the one that is meant.",
      "p.yaml:6:34: Nothing declares `NotebookEdit` yet, so the role `r` doesn't have what it names. Declare what each does under `tools`.",
    ]);
  });
});
