import { describe, expect, test } from "vitest";
import { parseFiles, problemsIn } from "../testing/parse-files.ts";
import { TICKETS_JSON } from "../testing/tickets-document.ts";

const CASES: readonly { title: string; text: string; lines: readonly string[] }[] = [
  {
    title: "keys that they don't have, or have twice, or lack",
    text: `version: 1
apis:
  a: { spec: t.json, base_url: "http://x", sensitivty: internal, servers: [] }
  b: { spec: t.json, spec_source: t.json, base_url: "http://x" }
  c: { base_url: "http://x" }
  d: { spec: t.json }
  e: { spec: t.json, base_url: "http://x", private_addresses: yes, limits: { rows: 1 }, headers: [a] }
`,
    lines: [
      "p.yaml:3:44: Unknown key `sensitivty`; did you mean `sensitivity`?",
      "p.yaml:3:66: Unknown key `servers`. An API takes `spec`, `spec_source`, `base_url`, `sensitivity`, `categories`, `trust`, `headers`, `query`, `private_addresses`, `only`, `operations` and `limits`.",
      "p.yaml:4:22: The API has both `spec` and `spec_source`. Keep one of the two.",
      "p.yaml:5:6: `spec` is missing. Name the API's OpenAPI document, relative to this file.",
      "p.yaml:6:6: `base_url` is missing. Say where calls go, such as `base_url: https://api.example.com/v1`.",
      "p.yaml:7:63: `private_addresses` takes `allow` or `deny`, not `yes`.",
      "p.yaml:7:78: Unknown key `rows`. `limits` takes `seconds` and `bytes`.",
      "p.yaml:7:98: `headers` must be a map of names to text, but it is a list.",
    ],
  },
  {
    title: "documents that lie elsewhere, and addresses that calls can't go to",
    text: `version: 1
apis:
  a: { spec: "https://x.example/openapi.json", base_url: "ftp://x" }
  b: { spec: none.json, base_url: "https://me:hunter2@x" }
  c: { spec: t.json, base_url: "https://x/?key=hunter2" }
  d: { spec: t.json, base_url: "x.example" }
`,
    lines: [
      "p.yaml:3:14: The document of an API is a file, and this is an address. Save the document beside the policy, so that nobody changes it unseen, and name that file.",
      "p.yaml:3:58: `base_url` is not an address that begins with `http://` or `https://`.",
      "p.yaml:4:14: The file `none.json` can't be read. There is no such file. Paths are relative to the file that they stand in.",
      "p.yaml:4:35: `base_url` holds a user name or a password. Send them in `headers` or in `query`, from a variable.",
      "p.yaml:5:32: `base_url` holds more than a path. Parameters that every call needs stand under `query`.",
      "p.yaml:6:32: `base_url` is not an address that begins with `http://` or `https://`.",
    ],
  },
  {
    title: "headers that can't be sent, or that aren't for a policy to say",
    text: `version: 1
apis:
  a:
    spec: t.json
    base_url: "http://x"
    headers: { "bad name": x, ok: "line\\nbreak", Host: y, X-Key: a, x-key: b, n: 5 }
`,
    lines: [
      "p.yaml:6:16: A header can't be called `bad name`.",
      "p.yaml:6:35: The value of the header `ok` holds a character that headers can't carry. Look for a line break or a letter outside Latin-1.",
      "p.yaml:6:50: The header `Host` follows from the call. Remove it.",
      "p.yaml:6:69: `x-key` and `X-Key` are the same header. Keep one of the two.",
      'p.yaml:6:82: `n` must be text, but `5` is a number. Put it in quotes: `"5"`.',
    ],
  },
  {
    title: "operations that the document doesn't have, or that it doesn't offer",
    text: `version: 1
apis:
  a:
    spec: t.json
    base_url: "http://x"
    only: [listTickets, getTickett, constructor]
    operations:
      listTicket: { sensitivity: public }
      getTicket: { sensitivity: public }
      toString: {}
      "*": {}
`,
    lines: [
      "p.yaml:6:25: The document has no operation `getTickett`; did you mean `getTicket`?",
      "p.yaml:6:37: The document has no operation `constructor`. It has `listTickets`, `createTicket`, `getTicket` and `delete_tickets_by_id`.",
      "p.yaml:8:7: The document has no operation `listTicket`; did you mean `listTickets`?",
      "p.yaml:9:7: `getTicket` is none of the operations that `only` names. Name it there too, or remove what is said of it.",
      "p.yaml:10:7: The document has no operation `toString`. It has `listTickets`, `createTicket`, `getTicket` and `delete_tickets_by_id`.",
      "p.yaml:11:7: The document has no operation `*`. It has `listTickets`, `createTicket`, `getTicket` and `delete_tickets_by_id`.",
    ],
  },
  {
    title: "labels that nobody declared, and fields that no response has",
    text: `version: 1
apis:
  a:
    spec: t.json
    base_url: "http://x"
    sensitivity: interal
    operations:
      getTicket: { sensitivity: pubic, sink: [public, { level: secrt }], fields: [id, "a..b", "items[0].id", "[].id", "a[].b.*[]", ""] }
      listTickets: { trust: low, source: public, approval: arg.x, permissions: [reed], payload: [x], sink: { to: x } }
`,
    lines: [
      "p.yaml:6:18: Unknown level `interal`; did you mean `internal`?",
      "p.yaml:8:33: Unknown level `pubic`; did you mean `public`?",
      "p.yaml:8:64: Unknown level `secrt`; did you mean `secret`?",
      "p.yaml:8:87: `a..b` is not the name of a field. Write its path in the response: `id`, `customer.name`, `items[].id`.",
      "p.yaml:8:95: `items[0].id` is not the name of a field. Write its path in the response: `id`, `customer.name`, `items[].id`.",
      "p.yaml:8:132: An item of `fields` must not be empty.",
      "p.yaml:9:29: Unknown trust level `low`. The trust levels are `untrusted` and `trusted`.",
      "p.yaml:9:34: Unknown key `source`. An operation takes `sensitivity`, `categories`, `trust`, `fields`, `sink`, `permissions`, `tags`, `approval`, `on_violation` and `approvers`.",
      "p.yaml:9:60: There is no `arg` in a condition; did you mean `args`?",
      "p.yaml:9:81: `permissions` takes `read`, `write` or `connect`, not `reed`; did you mean `read`?",
      "p.yaml:9:88: `payload` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
      "p.yaml:9:110: `to` is known, but this version doesn't enforce it yet. Remove it: what is written here must hold.",
    ],
  },
];

describe("APIs in a policy file", () => {
  test.each(CASES)("are refused for $title (A5)", async ({ text, lines }) => {
    expect(await problemsIn({ "p.yaml": text, "t.json": TICKETS_JSON })).toEqual(lines);
  });

  test("need somebody who reads their documents", async () => {
    const { parseConfig } = await import("../parse.ts");
    const text = 'version: 1\napis: { a: { spec: t.json, base_url: "http://x" } }\n';
    await expect(parseConfig(text, { file: "p.yaml", environment: {} })).rejects.toThrow(
      "p.yaml:2:20: The file `t.json` isn't read: this policy was given as text alone. Load the policy from its file, or leave out what names others.",
    );
  });

  test("tell nothing of what variables hold", async () => {
    const text = `version: 1
apis:
  a: { spec: "\${FILE}", base_url: "\${URL}", headers: { authorization: "Bearer \${TOKEN}" } }
`;
    const environment = { FILE: "hunter1.json", URL: "https://me:hunter2@x", TOKEN: "hunter\n3" };
    const lines = await problemsIn({ "p.yaml": text }, environment);
    expect(lines).toHaveLength(3);
    expect(lines.join("\n")).not.toContain("hunter");
  });

  test("that offer more operations than agents can be told of are refused, and `only` helps", async () => {
    const paths = Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`/p${index}`, { get: {} }]));
    const files = (only: string) => ({
      "p.yaml": `version: 1\napis: { a: { spec: t.json, base_url: "http://x"${only} } }\n`,
      "t.json": JSON.stringify({ openapi: "3.1.0", paths }),
    });
    expect(await problemsIn(files(""))).toEqual([
      "p.yaml:2:20: The API has 2001 operations, and 2000 are the most that it may offer. Name those that agents need under `only`.",
    ]);
    const { apis } = await parseFiles(files(", only: [get_p7]"));
    expect(apis.get("a")?.operations).toMatchObject([{ name: "get_p7", method: "get", path: "/p7" }]);
  });
});
