import { describe, expect, test } from "vitest";
import { parseFiles, problemsIn, type TextFiles, warningsIn } from "../testing/parse-files.ts";
import { TICKETS_JSON } from "../testing/tickets-document.ts";

const POLICY = "version: 1\ninclude: [dbs.yaml]\n";

const CASES: readonly { title: string; files: TextFiles; lines: readonly string[] }[] = [
  {
    title: "that aren't there, twice the same, or not text",
    files: {
      "p.yaml": "version: 1\ninclude: [none.yaml, dbs.yaml, ./dbs.yaml, 7, '']\n",
      "dbs.yaml": "databases: { crm: { type: sqlite, path: crm.db } }\n",
    },
    lines: [
      "p.yaml:2:11: The file `none.yaml` can't be read. There is no such file. Paths are relative to the file that they stand in.",
      "p.yaml:2:32: `./dbs.yaml` is included twice. Keep one of the two.",
      'p.yaml:2:44: An item of `include` must be text, but `7` is a number. Put it in quotes: `"7"`.',
      "p.yaml:2:47: An item of `include` must not be empty.",
    ],
  },
  {
    title: "that hold anything else",
    files: {
      "p.yaml": POLICY,
      "dbs.yaml":
        "version: 1\ndatabase: {}\ntools: {}\ninclude: [dbs.yaml]\nconstructor: 1\ndatabases:\napis: []\n",
    },
    lines: [
      "dbs.yaml:1:1: `version` can't stand in an included file. It holds `databases` and `apis` alone; the rest goes into the policy file.",
      "dbs.yaml:2:1: `database` can't stand in an included file; did you mean `databases`?",
      "dbs.yaml:3:1: `tools` can't stand in an included file. It holds `databases` and `apis` alone; the rest goes into the policy file.",
      "dbs.yaml:4:1: An included file includes no other. Name it in the `include` of the policy file.",
      "dbs.yaml:5:1: `constructor` can't stand in an included file. It holds `databases` and `apis` alone; the rest goes into the policy file.",
      "dbs.yaml:6:1: `databases` must be a map of databases by name, but there is nothing. Fill it in, or remove the key.",
      "dbs.yaml:7:7: `apis` must be a map of APIs by name, but it is a list.",
    ],
  },
  {
    title: "that are no map",
    files: { "p.yaml": POLICY, "dbs.yaml": "- databases\n" },
    lines: [
      "dbs.yaml:1:1: An included file must be a map with `databases` or `apis`. Begin with `databases:` or `apis:`.",
    ],
  },
  {
    title: "that are empty",
    files: { "p.yaml": POLICY, "dbs.yaml": "# nothing yet\n" },
    lines: ["dbs.yaml:1:1: The file is empty. Begin with `databases:` or `apis:`."],
  },
  {
    title: "that hold nothing",
    files: { "p.yaml": POLICY, "dbs.yaml": "{}\n" },
    lines: ["dbs.yaml:1:1: An included file holds `databases` or `apis`, and this one has neither."],
  },
  {
    title: "that are no YAML, or use what it can't",
    files: {
      "p.yaml": "version: 1\ninclude: [a.yaml, sub/b.yaml]\nzebra: 1\n",
      "a.yaml": "databases:\n\tcrm: {}\n",
      "sub/b.yaml": "databases:\n  __proto__: {}\n  crm: !x { type: sqlite, path: *y }\n",
    },
    lines: [
      "p.yaml:3:1: Unknown key `zebra`. A policy file takes `version`, `levels`, `trust`, `categories`, `servers`, `tools`, `workspace`, `databases`, `apis`, `include`, `detectors`, `roles`, `policy`, `approvals`, `rules`, `endorsement`, `named`, `evidence`, `groups`, `recipients`, `identities`, `notify`, `retention` and `unclassified`.",
      "a.yaml:2:1: The line is indented with a tab. Indent with spaces.",
      "sub/b.yaml:2:3: Nothing can be called `__proto__`. Choose another name.",
      "sub/b.yaml:3:8: The tag `!x` can't be used. Leave it out; a policy is plain text, lists and maps.",
      "sub/b.yaml:3:33: The alias `*y` has no anchor `&y` above it.",
    ],
  },
  {
    title: "whose databases and APIs are wrong, at their places in them",
    files: {
      "p.yaml": "version: 1\ninclude: [sub/dbs.yaml]\ndatabases: { own: { type: sqlite } }\n",
      "sub/dbs.yaml":
        'databases:\n  crm: { type: sqlite, pth: x.db, sensitivity: secrt }\n  own: { type: sqlite, path: o.db }\napis:\n  t: { spec_source: t.json, base_url: "$URL" }\n  u: { spec_source: ../t.json, base_url: x }\n'.replace(
          "$URL",
          `\${URL}`,
        ),
      "t.json": TICKETS_JSON,
    },
    lines: [
      "p.yaml:3:19: `path` is missing. Name the file of the database, relative to this one.",
      "sub/dbs.yaml:2:8: `path` is missing. Name the file of the database, relative to this one.",
      "sub/dbs.yaml:2:24: Unknown key `pth`; did you mean `path`?",
      "sub/dbs.yaml:2:48: Unknown level `secrt`; did you mean `secret`?",
      "sub/dbs.yaml:3:3: The database `own` is declared twice; the first is in `p.yaml` on line 3. Keep one of the two.",
      "sub/dbs.yaml:5:21: The file `t.json` can't be read. There is no such file. Paths are relative to the file that they stand in.",
      "sub/dbs.yaml:5:39: The variable `URL` is not set. Set it in the environment of this command, or in the env file beside the policy.",
      "sub/dbs.yaml:6:42: `base_url` is not an address that begins with `http://` or `https://`.",
    ],
  },
  {
    title: "that declare what another file has declared",
    files: {
      "p.yaml": "version: 1\ninclude: [a.yaml, b.yaml]\n",
      "a.yaml": "databases:\n  crm: { type: sqlite, path: a.db }\n",
      "b.yaml":
        'databases:\n  crm: { type: sqlite, path: b.db }\napis:\n  crm: { spec: t.json, base_url: "http://x" }\n',
      "t.json": TICKETS_JSON,
    },
    lines: [
      "b.yaml:2:3: The database `crm` is declared twice; the first is in `a.yaml` on line 2. Keep one of the two.",
      "b.yaml:4:3: The API `crm` has the same name as the database in `a.yaml` on line 2. Give one of them another name: their tools go by it.",
    ],
  },
  {
    title: "that are more than a policy needs",
    files: {
      "p.yaml": `version: 1\ninclude: [${Array.from({ length: 33 }, (_, at) => `f${at}`).join(", ")}]\n`,
    },
    lines: ["p.yaml:2:10: `include` names more than 32 files. Put several into one."],
  },
  {
    title: "that are larger than a policy may be",
    files: { "p.yaml": POLICY, "dbs.yaml": `# ${"x".repeat(1024 * 1024)}\n` },
    lines: [
      "p.yaml:2:11: The file `dbs.yaml` can't be read. It is larger than 1 MiB. Paths are relative to the file that they stand in.",
    ],
  },
];

describe("included files", () => {
  test.each(CASES)("are refused $title (A5)", async ({ files, lines }) => {
    expect(await problemsIn(files)).toEqual(lines);
  });

  test("hold the seed's databases and APIs as they are, with paths relative to themselves (A5)", async () => {
    const { databases, apis, policy } = await parseFiles(
      {
        "p.yaml": `version: 1\ninclude: [config/dbs.yaml, '\${DIR}/apis.yaml']\n`,
        "config/dbs.yaml": `databases:\n  shop:\n    type: sqlite\n    dbname: data/shop.db\n  books:\n    type: postgres\n    host: db.example\n    port: 5433\n    dbname: books\n    user: reader\n    password: \${PASSWORD}\n    schema: sales\n    sensitivity: confidential\n`,
        "config/apis.yaml":
          "apis:\n  tickets:\n    spec_source: specs/t.json\n    base_url: https://tickets.example/v1\n    sensitivity: internal\n",
        "config/specs/t.json": TICKETS_JSON,
      },
      { DIR: "config", PASSWORD: "hunter2" },
    );
    const folder = `${process.cwd()}/config`;
    expect(databases.get("shop")?.connection).toEqual({ type: "sqlite", path: `${folder}/data/shop.db` });
    expect(databases.get("books")?.connection).toEqual({
      type: "postgres",
      host: "db.example",
      port: 5433,
      database: "books",
      user: "reader",
      password: "hunter2",
      schema: "sales",
      tls: true,
    });
    expect(policy.tools.get("mcp__books__query")?.source?.level).toBe("confidential");
    expect(apis.get("tickets")?.operations.map(({ label }) => label.level)).toEqual(
      Array.from({ length: 4 }, () => "internal"),
    );
  });

  test("stand beside what the policy file declares itself", async () => {
    const { databases, warnings } = await parseFiles({
      "p.yaml": `${POLICY}databases: { own: { type: sqlite, path: o.db, sensitivity: secret } }\n`,
      "dbs.yaml": "databases: { crm: { type: sqlite, path: c.db, sensitivity: secret } }\n",
    });
    expect([...databases.keys()]).toEqual(["own", "crm"]);
    expect(warnings).toEqual([]);
  });

  test("have their warnings at their places too", async () => {
    const files = { "p.yaml": POLICY, "dbs.yaml": "databases:\n  crm: { type: sqlite, path: c.db }\n" };
    expect(await warningsIn(files)).toEqual([
      "dbs.yaml:2:3: Nothing says how sensitive the database `crm` is, so all of it is `public`. Say so with `sensitivity`, or name another level.",
    ]);
  });

  test("and documents are part of the policy's version", async () => {
    const files = {
      "p.yaml": `${POLICY}apis: { t: { spec: t.json, base_url: "http://x" } }\n`,
      "dbs.yaml": "databases: { crm: { type: sqlite, path: c.db } }\n",
      "t.json": TICKETS_JSON,
    };
    const versionOf = async (changed: TextFiles) =>
      (await parseFiles({ ...files, ...changed })).policy.version;
    const version = await versionOf({});
    expect(version).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await versionOf({ "dbs.yaml": `# a comment\n${files["dbs.yaml"]}` })).toBe(version);
    expect(await versionOf({ "dbs.yaml": files["dbs.yaml"].replace("c.db", "d.db") })).not.toBe(version);
    expect(await versionOf({ "t.json": `${TICKETS_JSON}\n` })).not.toBe(version);
  });
});
