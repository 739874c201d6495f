import { describe, expect, test } from "vitest";
import { warningsIn } from "../testing/parse-files.ts";
import { TICKETS_JSON } from "../testing/tickets-document.ts";

const CASES: readonly { title: string; text: string; lines: readonly string[] }[] = [
  {
    title: "of what nothing says how sensitive it is",
    text: `version: 1
categories: { hr: {} }
databases:
  a: { type: sqlite, path: a.db }
  b: { type: sqlite, path: b.db, sensitivity: public }
  c: { type: sqlite, path: c.db, columns: { x.y: public } }
  d: { type: sqlite, path: c.db, categories: [hr] }
apis:
  e: { spec: t.json, base_url: "https://x" }
  f: { spec: t.json, base_url: "https://x", operations: { getTicket: { sensitivity: public } } }
`,
    lines: [
      "p.yaml:4:3: Nothing says how sensitive the database `a` is, so all of it is `public`. Say so with `sensitivity`, or name another level.",
      "p.yaml:9:3: Nothing says how sensitive the API `e` is, so all that it answers is `public`. Say so with `sensitivity`, or name another level.",
    ],
  },
  {
    title: "of columns above their database, and of functions that show what they are made of",
    text: `version: 1
databases:
  a:
    type: sqlite
    path: a.db
    sensitivity: internal
    columns: { t.open: public, t.high: secret, t.low: internal, u.high: confidential }
    aggregates: { count: public, max: internal, sum: public, min: secret }
`,
    lines: [
      "p.yaml:7:32: The label of the database doesn't cover `t.high` and `u.high`, and a column that is added one day has the database's. Give the database the label of the worst that is in it, and name the columns that are less.",
      "p.yaml:8:34: `max` shows values as they are, and counts as `internal` whatever it is made of. Leave it out, so that its result is as sensitive as the columns in it.",
      "p.yaml:8:49: `sum` of one row is, or tells of, its value, and counts as `public` whatever it is made of. Leave it out, so that its result is as sensitive as the columns in it.",
    ],
  },
  {
    title: "of passwords that stand in the file, and of what goes unencrypted",
    text: `version: 1
databases:
  a: { type: postgres, host: db.example, password: hunter2, sensitivity: public, tls: false }
  b: { type: postgres, url: "postgres://me:hunter2@127.0.0.1/x", sensitivity: public, tls: false }
  c: { type: postgres, host: localhost, password: "\${PASSWORD}", sensitivity: public }
  d: { type: postgres, url: "postgres://me:\${PASSWORD}@db.example/x", sensitivity: public }
apis:
  e: { spec: t.json, base_url: "http://x.example", sensitivity: public }
  f: { spec: t.json, base_url: "http://127.0.0.1", sensitivity: public }
  g: { spec: t.json, base_url: "http://[::1]:80", sensitivity: public, only: [] }
`,
    lines: [
      `p.yaml:3:52: A password stands in the file. Put it into a variable, and write \`\${NAME}\`.`,
      "p.yaml:3:87: The database is on another machine, and what it says goes there and back unencrypted.",
      `p.yaml:4:29: A password stands in the file. Put it into a variable, and write \`\${NAME}\`.`,
      "p.yaml:8:32: The API is on another machine, and what it is asked and answers goes unencrypted. Use `https://` where it answers that.",
      "p.yaml:10:72: The API `g` offers no operation, so agents get none of it.",
    ],
  },
  {
    title: "of detectors that look for nothing, or raise nothing",
    text: "version: 1\ndetectors: {}\n",
    lines: [
      "p.yaml:2:12: `detectors` names nothing to look for. Name `secrets` or `personal_data`, each with a label.",
    ],
  },
  {
    title: "of a finding that raises nothing",
    text: "version: 1\ncategories: { x: {} }\ndetectors: { secrets: public, personal_data: { categories: [x] } }\n",
    lines: [
      "p.yaml:3:14: A finding under `secrets` raises nothing: its label is the lowest. Name a level that such data has.",
    ],
  },
  {
    title: "of nothing else: neither of tools that have no sink, nor of an API without headers",
    text: `version: 1
databases: { a: { type: sqlite, path: a.db, sensitivity: secret } }
apis: { b: { spec: t.json, base_url: "https://x", sensitivity: internal } }
roles: { r: { tools: ["mcp__a__*", getTicket, "mcp__b__*"], approval: { getTicket: always } } }
policy: { denied_tools: [mcp__a__get_row, createTicket] }
detectors: { secrets: secret }
`,
    lines: [],
  },
];

describe("a policy with databases and APIs is warned", () => {
  test.each(CASES)("$title", async ({ text, lines }) => {
    expect(await warningsIn({ "p.yaml": text, "t.json": TICKETS_JSON }, { PASSWORD: "pw" })).toEqual(lines);
  });
});
