import { join } from "node:path";
import { expect, it } from "vitest";
import { BROKEN_POLICY, createFolder, isHarmless, POLICY, sluicegate } from "../cli.test-kit.ts";

it("calls a sound policy usable, with what it holds", async () => {
  using folder = createFolder({ "p.yaml": POLICY });
  const [words, json] = await Promise.all([
    sluicegate(["check", "p.yaml"], { cwd: folder.path }),
    sluicegate(["check", join(folder.path, "p.yaml"), "--json"]),
  ]);
  expect(words).toMatchObject({ status: 0, err: "" });
  expect(words.out).toMatch(
    /^usable: `p\.yaml` has 6 tools, no servers, 2 roles \(analyst, reader\)\.\nIts version is sha256:[0-9a-f]{64}\.\n$/,
  );
  expect(json).toMatchObject({ status: 0, err: "" });
  expect(json.json()).toEqual({
    valid: true,
    file: join(folder.path, "p.yaml"),
    problems: [],
    warnings: [],
    tools: 6,
    servers: 0,
    databases: 0,
    apis: 0,
    roles: ["analyst", "reader"],
    version: expect.stringMatching(/^sha256:/),
  });
});

it("prints warnings, and is content all the same", async () => {
  const policy = `${POLICY}policy: { denied_tools: [slack_post] }\n`;
  using folder = createFolder({ "p.yaml": policy });
  const ran = await sluicegate(["check", "p.yaml"], { cwd: folder.path });
  expect(ran.status).toBe(0);
  expect(ran.out).toMatch(/^p\.yaml:6:3: warning: .*`slack_post`/);
  expect(ran.out).toContain("\n\nusable with 1 warning: `p.yaml` has 6 tools");
});

it("tells everything that is wrong with a policy, by line and column, and says no (X1-policy)", async () => {
  using folder = createFolder({ "p.yaml": BROKEN_POLICY });
  const [words, json] = await Promise.all([
    sluicegate(["check", "p.yaml"], { cwd: folder.path }),
    sluicegate(["check", "p.yaml", "--json"], { cwd: folder.path }),
  ]);
  expect(words).toMatchObject({ status: 1, err: "" });
  expect(words.out).toMatch(
    /^p\.yaml:3:\d+: .*reed.*\np\.yaml:5:\d+: .*pubic.*\n\nnot usable: `p\.yaml` has 2 problems/,
  );
  expect(json).toMatchObject({ status: 1, err: "" });
  expect(json.json()).toMatchObject({
    valid: false,
    file: "p.yaml",
    problems: [
      { file: "p.yaml", line: 3, column: expect.any(Number), message: expect.stringContaining("`reed`") },
      { file: "p.yaml", line: 5, column: expect.any(Number), message: expect.stringContaining("`pubic`") },
    ],
    warnings: [],
  });
});

it("takes a file that isn't there for wrong usage, and not for a wrong policy", async () => {
  using folder = createFolder();
  const ran = await sluicegate(["check", "p.yaml", "--json"], { cwd: folder.path });
  expect(ran).toMatchObject({ status: 2, err: "" });
  expect(ran.json()).toMatchObject({ error: { code: "policy-unreadable" } });
});

it("takes the file that the other commands take where it is given none, and says what to type where that is missing", async () => {
  using folder = createFolder({ "sluicegate.yaml": POLICY });
  using empty = createFolder();
  const [found, missing] = await Promise.all(
    [folder, empty].map(({ path }) => sluicegate(["check"], { cwd: path })),
  );
  expect(found).toMatchObject({ status: 0, out: expect.stringContaining("`sluicegate.yaml` has 6 tools") });
  expect(missing).toMatchObject({ status: 2, err: expect.stringContaining("`sluicegate init`") });
});

it("makes what a hostile policy holds visible", async () => {
  const policy = 'version: 1\ntools:\n  "a\\e[2J\\u202Eb": { permissions: [reed] }\n"k\u202ex": 1\n';
  using folder = createFolder({ "p\u001b.yaml": policy });
  const [words, json] = await Promise.all([
    sluicegate(["check", "p\u001b.yaml"], { cwd: folder.path }),
    sluicegate(["check", "p\u001b.yaml", "--json"], { cwd: folder.path }),
  ]);
  expect(words.status).toBe(1);
  expect(words.out).toMatch(/^p\\u\{1b\}\.yaml:3:/);
  expect(isHarmless(words.out + json.out)).toBe(true);
  expect(json.json()).toMatchObject({ valid: false, file: "p\u001b.yaml" });
});

it("prints the schema of policies as one JSON document", async () => {
  const ran = await sluicegate(["schema"]);
  expect(ran).toMatchObject({ status: 0, err: "" });
  expect(ran.json()).toMatchObject({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    properties: { version: { const: 1 }, tools: {}, roles: {} },
  });
});
