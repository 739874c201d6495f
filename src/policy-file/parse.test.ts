import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { bottomLabel, withOffered } from "../core/index.ts";
import { parseNow } from "./testing/parse-now.ts";
import { EXAMPLE } from "./testing/valid-policies.ts";

const configOf = (text: string) =>
  parseNow(text, { file: "/etc/sluicegate/p.yaml", environment: { WEB_TOKEN: "t0ken" } });

describe("the specification's example", () => {
  const { file, policy, servers, warnings } = configOf(EXAMPLE);

  test("gives a policy with every tool under its identity (X1-policy)", () => {
    expect([...policy.tools.keys()]).toEqual([
      "mcp__mail__search_email",
      "mcp__mail__send_email",
      "mcp__web__web_search",
      "search_docs",
      "slack_post",
      "github_create_pr",
      "wire_transfer",
    ]);
    expect(policy.version).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(policy.unclassified).toBe("withhold");
    expect(policy.lattice.levels).toEqual(["public", "internal", "confidential", "secret"]);
  });

  test("fills in what labels leave out", () => {
    expect(policy.tools.get("mcp__mail__search_email")).toMatchObject({
      name: "search_email",
      server: "mail",
      permissions: ["read"],
      source: { level: "internal", categories: [], trust: "untrusted" },
      clearances: null,
    });
    expect(policy.tools.get("mcp__mail__send_email")?.clearances).toEqual([
      { level: "public", categories: [], trust: "untrusted" },
      { level: "confidential", categories: ["hr"], trust: "trusted" },
    ]);
    expect(policy.tools.get("wire_transfer")).toMatchObject({
      approval: "always",
      tags: ["money"],
      source: null,
    });
  });

  test("gives a server its own source", () => {
    expect(policy.origin.declaration.servers?.mail?.source).toEqual({ level: "internal" });
  });

  test("gives roles with what they lack", () => {
    const removed = policy.roles.get("clerk")?.removed;
    expect([...(removed?.keys() ?? [])]).toEqual(["wire_transfer"]);
    expect(policy.roles.get("reviewer")?.permissions).toEqual(["read"]);
    expect(policy.roles.get("reviewer")?.removed.size).toBe(7);
  });

  test("says how each server is reached", () => {
    expect(file).toBe("/etc/sluicegate/p.yaml");
    expect([...servers.values()]).toEqual([
      {
        id: "mail",
        transport: {
          kind: "stdio",
          command: "node",
          args: ["mail-server.ts"],
          env: { MAILBOX: "inbox.mbox" },
          cwd: "/etc/sluicegate",
        },
      },
      {
        id: "web",
        transport: {
          kind: "http",
          url: "http://127.0.0.1:9100/mcp",
          headers: { authorization: "Bearer t0ken" },
        },
      },
    ]);
  });

  test("warns of the tools that a later version brings along, and of nothing else", () => {
    expect(warnings.map(({ line, column, message }) => `${line}:${column}: ${message}`)).toEqual([
      "33:23: Nothing declares `Read`, `Glob` and `Grep` yet, so the role `reviewer` doesn't have what it names.",
    ]);
  });
});

describe("a parsed policy", () => {
  test("reads the seed's flags as permissions with the second-lowest source and the lowest clearance", () => {
    const { policy } = configOf(`version: 1
levels: [open, staff, board]
tools:
  inbox: { is_internal_source: true }
  post: { is_external: true }
  both: { is_internal_source: true, is_external: true, source: board, sink: staff, permissions: [write] }
  neither: { is_internal_source: false, permissions: [] }
`);
    expect(policy.tools.get("inbox")).toMatchObject({
      permissions: ["read"],
      source: { level: "staff" },
      clearances: null,
    });
    expect(policy.tools.get("post")).toMatchObject({
      permissions: ["connect"],
      source: null,
      clearances: [{ level: "open" }],
    });
    expect(policy.tools.get("both")).toMatchObject({
      permissions: ["read", "write", "connect"],
      source: { level: "board" },
      clearances: [{ level: "staff" }],
    });
    expect(policy.tools.get("neither")).toMatchObject({ permissions: [], source: null, clearances: null });
  });

  test("gives a source without a level the lowest, and a tool without a source none", () => {
    const { policy } = configOf(
      "version: 1\ntools:\n  a: { permissions: [], source: {} }\n  b: { permissions: [] }\n",
    );
    expect(policy.tools.get("a")?.source).toEqual(bottomLabel(policy.lattice));
    expect(policy.tools.get("b")?.source).toBeNull();
  });

  test("classifies what a server offers by the most specific pattern", () => {
    const { policy } = configOf(`version: 1
servers:
  files: { command: node, tools: { "read_*": { permissions: [read], source: internal } } }
tools:
  "mcp__files__*": { permissions: [read], source: secret }
`);
    const offered = withOffered(policy, "files", ["read_file", "burn"]);
    expect(offered.tools.get("mcp__files__read_file")?.source?.level).toBe("internal");
    expect(offered.tools.get("mcp__files__burn")?.source?.level).toBe("secret");
  });

  test("has tools and servers whose names other objects inherit, and no others", () => {
    const { policy, servers } = configOf(`version: 1
servers: { constructor: { command: node, tools: { toString: { permissions: [read] } } } }
tools: { valueOf: { permissions: [read] } }
`);
    expect([...policy.tools.keys()]).toEqual(["mcp__constructor__toString", "valueOf"]);
    expect([...servers.keys()]).toEqual(["constructor"]);
    expect(servers.get("constructor")?.transport).toMatchObject({
      args: [],
      env: {},
      cwd: "/etc/sluicegate",
    });
  });

  test("is frozen, with its servers", () => {
    const config = configOf(EXAMPLE);
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.policy)).toBe(true);
    expect(
      [...config.servers.values()].every(
        (server) => Object.isFrozen(server) && Object.isFrozen(server.transport),
      ),
    ).toBe(true);
  });
});

test("a policy's categories are those that agents may report, and none where it declares none", () => {
  const categoriesOf = (text: string) => configOf(`version: 1\n${text}`).policy.origin.declaration.categories;
  expect(categoriesOf("categories: { hr: {}, legal: {} }\n")).toEqual(["hr", "legal"]);
  expect(categoriesOf("")).toEqual([]);
});

const versionOf = (text: string, environment: Record<string, string> = {}) =>
  parseNow(text, { file: "p.yaml", environment }).policy.version;

const TEXT = `version: 1
tools:
  a: { permissions: [read], source: internal }
  b: { permissions: [connect], sink: "\${LEVEL}" }
`;

describe("a policy's version", () => {
  test("is the hash of the document's canonical JSON as it is written", () => {
    const a = `"a":{"permissions":["read"],"source":"internal"}`;
    const b = `"b":{"permissions":["connect"],"sink":"\${LEVEL}"}`;
    const hash = createHash("sha256").update(`{"tools":{${a},${b}},"version":1}`).digest("hex");
    expect(versionOf(TEXT, { LEVEL: "public" })).toBe(`sha256:${hash}`);
  });

  test("is the same whatever the order of keys, the comments, the style and the aliases", () => {
    const text = `# the same
tools:
  b:
    sink: \${LEVEL}   # written without quotes
    permissions:
      - connect
  a: { source: internal, permissions: ['read'] }
version: 1
`;
    expect(versionOf(text, { LEVEL: "public" })).toBe(versionOf(TEXT, { LEVEL: "public" }));
    const plain = "version: 1\ntools: { a: { permissions: [read] }, b: { permissions: [read] } }\n";
    const aliased = "version: 1\ntools: { a: &tool { permissions: [read] }, b: *tool }\n";
    expect(versionOf(aliased)).toBe(versionOf(plain));
  });

  test("doesn't depend on what variables hold", () => {
    expect(versionOf(TEXT, { LEVEL: "secret" })).toBe(versionOf(TEXT, { LEVEL: "public" }));
  });

  test.each([
    ["another value", TEXT.replace("internal", "secret")],
    ["another key", TEXT.replace("  a:", "  c:")],
    ["another variable", TEXT.replace("LEVEL", "HIGH")],
    ["one more key", `${TEXT}unclassified: withhold\n`],
    ["the order of a list", `${TEXT}trust: [trusted, untrusted]\n`],
  ])("changes with %s", (_, text) => {
    const environment = { LEVEL: "public", HIGH: "public" };
    expect(versionOf(text, environment)).not.toBe(versionOf(TEXT, environment));
    expect(versionOf(`${TEXT}trust: [untrusted, trusted]\n`, environment)).not.toBe(
      versionOf(text, environment),
    );
  });

  test("can be given", () => {
    const { policy } = parseNow("version: 1\n", { file: "p.yaml", environment: {}, version: "mine" });
    expect(policy.version).toBe("mine");
  });
});
