import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { parseNow } from "../testing/parse-now.ts";

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
