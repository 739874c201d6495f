import { describe, expect, test } from "vitest";
import { problemsIn } from "../testing/parse-files.ts";
import { TICKETS_JSON } from "../testing/tickets-document.ts";

const API = `{ spec: t.json, base_url: "http://x" }`;
const DATABASE = "{ type: sqlite, path: a.db }";
const ID_FIX =
  "An id has up to 64 letters, digits, `.`, `-` and single `_`, and begins with a letter or a digit.";

const CASES: readonly { title: string; text: string; lines: readonly string[] }[] = [
  {
    title: "ids that would make a tool's identity ambiguous",
    text: `version: 1
databases: { a__b: ${DATABASE}, _c: ${DATABASE}, crm: ${DATABASE} }
apis: { "d e": ${API}, "${"x".repeat(65)}": ${API} }
`,
    lines: [
      `p.yaml:2:14: A database can't be called \`a__b\`. ${ID_FIX}`,
      `p.yaml:2:50: A database can't be called \`_c\`. ${ID_FIX}`,
      `p.yaml:3:9: An API can't be called \`d e\`. ${ID_FIX}`,
      `p.yaml:3:56: An API can't be called \`${"x".repeat(65)}\`. ${ID_FIX}`,
    ],
  },
  {
    title: "ids that another server has",
    text: `version: 1
servers: { mail: { command: node, tools: {} } }
databases: { mail: ${DATABASE}, workspace: ${DATABASE}, crm: ${DATABASE} }
apis: { crm: ${API}, workspace: ${API}, constructor: ${API} }
`,
    lines: [
      "p.yaml:3:14: The database `mail` has the same name as the server in `p.yaml` on line 2. Give one of them another name: their tools go by it.",
      "p.yaml:3:50: `workspace` is the server of the workspace's own tools, so nothing else can be called so. Choose another name.",
      "p.yaml:4:9: The API `crm` has the same name as the database in `p.yaml` on line 3. Give one of them another name: their tools go by it.",
      "p.yaml:4:54: `workspace` is the server of the workspace's own tools, so nothing else can be called so. Choose another name.",
    ],
  },
  {
    title: "their tools declared a second time, and others under their names",
    text: `version: 1
databases: { crm: ${DATABASE} }
apis: { tickets: ${API} }
tools:
  mcp__crm__query: { permissions: [read] }
  mcp__crm__qeury: { permissions: [read] }
  mcp__crm__zebra: { permissions: [read] }
  mcp__tickets__getTicket: { permissions: [read] }
  mcp__tickets__getTikcet: { permissions: [read] }
  mcp__ticket__x: { permissions: [read] }
  "mcp__crm__*": { permissions: [read] }
  query: { permissions: [read] }
`,
    lines: [
      "p.yaml:5:3: `mcp__crm__query` is declared by `databases.crm` already. Declare it under its `tools`.",
      "p.yaml:6:3: The database `crm` has no tool `qeury`; did you mean `query`?",
      "p.yaml:7:3: The database `crm` has no tool `zebra`. It has `query`, `list_tables`, `describe_table` and `get_row`.",
      "p.yaml:8:3: `mcp__tickets__getTicket` is declared by `apis.tickets` already. Declare it under its `operations`.",
      "p.yaml:9:3: The API `tickets` offers no operation `getTikcet`; did you mean `getTicket`?",
      "p.yaml:10:3: `mcp__ticket__x` is for a server `ticket`, which is not configured; did you mean `tickets`?",
    ],
  },
  {
    title: "tools that they don't have, named by a role",
    text: `version: 1
databases: { crm: ${DATABASE} }
apis: { tickets: ${API.replace(" }", ", only: [getTicket] }")} }
roles:
  clerk: { tools: [crm__query, get_row, mcp__crm__list_tables, getTicket, mcp__tickets__getTicket, "mcp__crm__*"] }
  other: { tools: [getTikcet, listTickets], approval: { crm__qeury: always } }
policy: { denied_tools: [mcp__crm__get_row, crm__query] }
`,
    lines: [
      "p.yaml:6:20: There is no tool `getTikcet`; did you mean `getTicket`?",
      "p.yaml:6:31: There is no tool `listTickets`. Declare it under `tools`, or use one of `mcp__crm__*`, `mcp__tickets__*`, `Read`, `Write`, `Edit`, `Bash`, `Glob`, `Grep`, `NotebookEdit`, `WebFetch`, `WebSearch`, `TodoWrite` and 2 more.",
      "p.yaml:6:57: There is no tool `crm__qeury`; did you mean `crm__query`?",
    ],
  },
];

describe("the names of databases and APIs", () => {
  test.each(CASES)("are refused for $title (A5)", async ({ text, lines }) => {
    expect(await problemsIn({ "p.yaml": text, "t.json": TICKETS_JSON })).toEqual(lines);
  });

  test("of an API whose document can't be read don't make its operations unknown tools", async () => {
    const text = `version: 1
apis: { tickets: ${API} }
tools: { mcp__tickets__getTicket: { permissions: [read] } }
roles: { clerk: { tools: [getTicket, listTickets] } }
`;
    expect(await problemsIn({ "p.yaml": text })).toEqual([
      "p.yaml:2:26: The file `t.json` can't be read. There is no such file. Paths are relative to the file that they stand in.",
    ]);
  });
});
