import { describe, expect, test } from "vitest";
import { problemsOf } from "../testing/problems-of.ts";

const CASES: readonly { title: string; text: string; lines: readonly string[] }[] = [
  {
    title: "keys that they don't have, and values of the wrong kind",
    text: `version: 1
databases:
  a: { type: sqlite, path: a.db, sensitivty: internal, tabels: {} }
  b: { type: mysql, path: b.db }
  c: { path: c.db }
  d: { type: sqlite, path: d.db, limits: { row: 1, rows: many }, columns: [x.y], tls: maybe }
  e: { type: sqlite, path: e.db, tools: { query: { permissions: [read], approvers: 2 } } }
  f: sqlite
`,
    lines: [
      "p.yaml:3:34: Unknown key `sensitivty`; did you mean `sensitivity`?",
      "p.yaml:3:56: Unknown key `tabels`. A database takes `type`, `path`, `dbname`, `database`, `url`, `host`, `port`, `user`, `password`, `schema`, `tls`, `sensitivity`, `categories`, `trust`, `catalog`, `columns`, `aggregates`, `tools` and `limits`.",
      "p.yaml:4:14: `type` takes `sqlite`, `postgres` or `postgresql`, not `mysql`.",
      "p.yaml:5:6: `type` is missing. Say what it is: `type: sqlite` or `type: postgres`.",
      "p.yaml:6:44: Unknown key `row`; did you mean `rows`?",
      "p.yaml:6:58: `rows` must be a number, but it is text.",
      "p.yaml:6:75: `columns` must be a map of labels, but it is a list.",
      "p.yaml:6:82: `tls` is for a database with `type: postgres`, and this one is `sqlite`.",
      "p.yaml:6:87: `tls` must be true or false, but it is text.",
      "p.yaml:7:52: Unknown key `permissions`. A tool of a database takes `tags`, `approval`, `on_violation` and `approvers`.",
      "p.yaml:7:84: It takes 2 people to approve, and those who may are the operator alone. Name more under `identities`, with the right `approve`.",
      "p.yaml:8:6: `f` must be a map with `type`, but it is text.",
    ],
  },
  {
    title: "several ways to reach one, or none, or those of another kind",
    text: `version: 1
databases:
  a: { type: sqlite }
  b: { type: sqlite, path: b.db, dbname: c.db }
  c: { type: sqlite, path: c.db, host: localhost, url: "postgres://x/y" }
  d: { type: postgres, path: d.db, dbname: d, database: d }
  e: { type: postgres, url: "postgres://x/y", host: x, password: "1" }
  f: { type: postgresql, dbname: f }
`,
    lines: [
      "p.yaml:3:6: `path` is missing. Name the file of the database, relative to this one.",
      "p.yaml:4:34: The database has both `path` and `dbname`. Keep one of the two.",
      "p.yaml:5:34: `host` is for a database with `type: postgres`, and this one is `sqlite`.",
      "p.yaml:5:51: `url` is for a database with `type: postgres`, and this one is `sqlite`.",
      "p.yaml:6:24: `path` is for a database with `type: sqlite`, and this one is `postgres`. Its name stands under `dbname`.",
      "p.yaml:6:47: The database has both `dbname` and `database`. Keep one of the two.",
      "p.yaml:7:47: The database has both `url` and `host` and `password`. The address holds them all: keep it, or what it is made of.",
    ],
  },
  {
    title: "addresses, hosts and ports that are none, without telling what they hold",
    text: `version: 1
databases:
  a: { type: postgres, url: "mysql://me:hunter2@x/y" }
  b: { type: postgres, url: "postgres://me:hunter2@x/y?sslmode=disable" }
  c: { type: postgres, host: "127.0.0.1:5432", port: 70000 }
  d: { type: postgres, host: "postgres://x", port: x }
  e: { type: postgres, host: "::1", port: "5432" }
  f: { type: postgres, host: /var/run/postgresql, port: 1 }
  g: { type: postgres, host: "", port: 0.5 }
  h: { type: postgres, url: "postgres:///x" }
`,
    lines: [
      "p.yaml:3:29: `url` is not an address that begins with `postgres://` or `postgresql://`.",
      "p.yaml:4:29: `url` holds parameters, which could say otherwise than the other keys. Take out what follows the name of the database; `schema` and `tls` are keys of their own.",
      "p.yaml:5:30: `host` is not the name or the address of a host: `127.0.0.1:5432`. Write the name or the address alone; the port stands under `port`.",
      "p.yaml:5:54: `port` can be from 1 to 65535, and `70000` is not.",
      "p.yaml:6:30: `host` is not the name or the address of a host: `postgres://x`. Write the name or the address alone; the port stands under `port`.",
      "p.yaml:6:52: `port` can be from 1 to 65535, and `x` is not.",
      "p.yaml:9:30: `host` must not be empty.",
      "p.yaml:9:40: `port` can be from 1 to 65535, and `0.5` is not.",
      "p.yaml:10:29: `url` names no host. Write where the server is: `postgres://127.0.0.1/name`.",
    ],
  },
  {
    title: "labels that nobody declared, wherever one may stand",
    text: `version: 1
categories: { hr: {} }
databases:
  a:
    type: sqlite
    path: a.db
    sensitivity: confidental
    categories: [hr, rh]
    trust: none
    catalog: { level: publik }
    columns: { a.b: sercet, c.d: { categories: [legal] }, e.f: { lvl: public } }
    aggregates: { count: pubic }
`,
    lines: [
      "p.yaml:7:18: Unknown level `confidental`; did you mean `confidential`?",
      "p.yaml:8:22: Unknown category `rh`. The categories are `hr`.",
      "p.yaml:9:12: Unknown trust level `none`. The trust levels are `untrusted` and `trusted`.",
      "p.yaml:10:23: Unknown level `publik`; did you mean `public`?",
      "p.yaml:11:21: Unknown level `sercet`; did you mean `secret`?",
      "p.yaml:11:49: Unknown category `legal`. The categories are `hr`.",
      "p.yaml:11:66: Unknown key `lvl`. A label takes `level`, `categories` and `trust`.",
      "p.yaml:12:26: Unknown level `pubic`; did you mean `public`?",
    ],
  },
  {
    title: "names that no column and no function can have",
    text: `version: 1
databases:
  a:
    type: sqlite
    path: a.db
    columns:
      name: public
      "*.name": public
      "customers.": public
      "a.b.c.d": public
      "main.customers.*": public
      Customers.Name: public
      customers.name: internal
    aggregates: { COUNT: public, "sum(x)": public, avg: public }
  b: { type: postgres, columns: { T.c: public, t.c: internal } }
`,
    lines: [
      "p.yaml:7:7: `name` is not the name of a column. Write `table.column` or `schema.table.column`; `table.*` is every column that no other key names.",
      "p.yaml:8:7: `*.name` is not the name of a column. Write `table.column` or `schema.table.column`; `table.*` is every column that no other key names.",
      "p.yaml:9:7: `customers.` is not the name of a column. Write `table.column` or `schema.table.column`; `table.*` is every column that no other key names.",
      "p.yaml:10:7: `a.b.c.d` is not the name of a column. Write `table.column` or `schema.table.column`; `table.*` is every column that no other key names.",
      "p.yaml:13:7: `customers.name` and `Customers.Name` are the same column to SQLite. Keep one of the two.",
      "p.yaml:14:19: An aggregate function can't be called `COUNT`. Write its name in lower case: `count`.",
      "p.yaml:14:34: An aggregate function can't be called `sum(x)`. Write its name in lower case: `count`.",
    ],
  },
  {
    title: "tools that they don't have, and limits that nothing can hold",
    text: `version: 1
databases:
  a:
    type: sqlite
    path: a.db
    tools: { qeury: {}, "*": {}, constructor: {}, get_row: { approval: 'arg.id == 1' } }
    limits: { rows: 0, seconds: 1.5, bytes: 100000000000 }
`,
    lines: [
      "p.yaml:6:14: The database `a` has no tool `qeury`; did you mean `query`?",
      "p.yaml:6:25: The database `a` has no tool `*`. It has `query`, `list_tables`, `describe_table` and `get_row`.",
      "p.yaml:6:34: The database `a` has no tool `constructor`. It has `query`, `list_tables`, `describe_table` and `get_row`.",
      "p.yaml:6:73: There is no `arg` in a condition; did you mean `args`?",
      "p.yaml:7:21: `rows` can be a whole number from 1 to 100000, and `0` is not.",
      "p.yaml:7:33: `seconds` can be a whole number from 1 to 600, and `1.5` is not.",
      "p.yaml:7:45: `bytes` can be a whole number from 1024 to 67108864, and `100000000000` is not.",
    ],
  },
  {
    title: "names that an object inherits, as keys that can't be used",
    text: `version: 1
databases:
  __proto__: { type: sqlite, path: a.db }
  constructor: { type: sqlite, path: a.db, columns: { __proto__: public, "toString.valueOf": public } }
`,
    lines: [
      "p.yaml:3:3: Nothing can be called `__proto__`. Choose another name.",
      "p.yaml:4:55: Nothing can be called `__proto__`. Choose another name.",
    ],
  },
];

describe("databases in a policy file", () => {
  test.each(CASES)("are refused for $title (A5)", ({ text, lines }) => {
    expect(problemsOf(text)).toEqual(lines);
  });

  test("tell nothing of what variables hold, and which of them is missing", () => {
    const text = `version: 1
databases:
  a: { type: postgres, url: "\${URL}", sensitivity: "\${LEVEL}" }
  b: { type: postgres, host: "\${URL}", password: "\${NONE}" }
`;
    const lines = problemsOf(text, { URL: "mysql://me:hunter2@x/y", LEVEL: "hunter3" });
    expect(lines).toEqual([
      "p.yaml:3:29: `url` is not an address that begins with `postgres://` or `postgresql://`.",
      `p.yaml:3:52: Unknown level \`\${LEVEL}\`. The levels are \`public\`, \`internal\`, \`confidential\` and \`secret\`.`,
      `p.yaml:4:30: \`host\` is not the name or the address of a host: \`\${URL}\`. Write the name or the address alone; the port stands under \`port\`.`,
      "p.yaml:4:50: The variable `NONE` is not set. Set it in the environment of this command, or in the env file beside the policy.",
    ]);
  });
});
