import { expect, it } from "vitest";
import { createFolder, isHarmless, POLICY, sluicegate } from "../cli.test-kit.ts";

const MAIL = { level: "internal", categories: [], trust: "untrusted" };
const KNOWN = { depends_on_arguments: false };
const SHUT_BY_MAIL = ["web_search", "slack_post"];

it("finds the seed's one violation and its safe order, in the shape that REST has", async () => {
  using folder = createFolder({ "p.yaml": POLICY });
  const args = ["plan", "p.yaml", "search_email", "web_search", "github_create_pr"];
  const [words, json] = await Promise.all([
    sluicegate(args, { cwd: folder.path }),
    sluicegate([...args, "--json"], { cwd: folder.path }),
  ]);
  expect(words).toMatchObject({ status: 1, err: "" });
  expect(words.out).toMatch(
    /^not valid: one step is in the way\. Steps count from 0\.\n\n {2}step 1 {2}web_search {2}flow-blocked\n/,
  );
  expect(words.out).toContain("Safe order: web_search, search_email, github_create_pr\n");
  expect(json.status).toBe(1);
  expect(json.json()).toEqual({
    valid: false,
    violations: [
      {
        at_step: 1,
        tool: "web_search",
        code: "flow-blocked",
        reason: "`web_search` is blocked after `search_email` (step 0) loads internal data",
        suggestion: "move `web_search` before `search_email`",
      },
    ],
    safe_ordering: ["web_search", "search_email", "github_create_pr"],
    approvals: [],
    questions: 0,
    in_the_way: [],
    ways_out: [],
    steps: [
      {
        at_step: 0,
        tool: "search_email",
        effect: "allow",
        raises: MAIL,
        label: MAIL,
        shut: SHUT_BY_MAIL,
        ...KNOWN,
      },
      { at_step: 1, tool: "web_search", effect: "deny", raises: null, label: MAIL, shut: [], ...KNOWN },
      {
        at_step: 2,
        tool: "github_create_pr",
        effect: "allow",
        raises: null,
        label: MAIL,
        shut: [],
        ...KNOWN,
      },
    ],
  });
});

it("calls a plan valid that meets no block, and names the steps that a person is asked about", async () => {
  using folder = createFolder({ "p.yaml": POLICY });
  const ran = await sluicegate(["plan", "p.yaml", "web_search", "search_email", "wire_transfer"], {
    cwd: folder.path,
  });
  expect(ran).toMatchObject({ status: 0, err: "" });
  expect(ran.out).toMatch(/^valid: the 3 steps meet no block in this order\.\n/);
  expect(ran.out).toMatch(/\n {2}step 2 {2}wire_transfer {2}Tool `wire_transfer` waits for a person\./);
});

it("counts a condition as one that may ask, unless the arguments say that it doesn't (X3-approval)", async () => {
  const steps = [
    { tool: "wire" },
    { tool: "wire", arguments: { amount: 1 } },
    { tool: "wire", arguments: { amount: 10001 } },
    { tool: "wire", arguments: { amount: "1" } },
  ];
  const policy = "version: 1\ntools:\n  wire: { permissions: [write], approval: args.amount > 10000 }\n";
  using folder = createFolder({ "p.yaml": policy, "steps.json": JSON.stringify(steps) });
  const ran = await sluicegate(["plan", "p.yaml", "--steps", "steps.json", "--json"], { cwd: folder.path });
  expect(ran.status).toBe(0);
  expect(ran.json()).toMatchObject({
    valid: true,
    approvals: [{ at_step: 0 }, { at_step: 2 }, { at_step: 3 }],
  });
});

it("reads steps with ids and `after` from a file and from its input", async () => {
  const steps = JSON.stringify([
    { id: "read", tool: "search_docs", arguments: { query: "q3" } },
    { id: "post", tool: "slack_post", after: ["read"] },
    "github_create_pr",
  ]);
  using folder = createFolder({ "p.yaml": POLICY, "steps.json": steps });
  const [file, input] = await Promise.all([
    sluicegate(["plan", "p.yaml", "--steps", "steps.json", "--json"], { cwd: folder.path }),
    sluicegate(["plan", "p.yaml", "--steps", "-"], { cwd: folder.path, input: steps }),
  ]);
  expect(file.status).toBe(1);
  expect(file.json()).toMatchObject({
    valid: false,
    violations: [{ at_step: 1, tool: "slack_post", code: "flow-blocked" }],
    safe_ordering: null,
    in_the_way: [expect.any(String)],
    ways_out: expect.arrayContaining([expect.stringMatching(/^Drop /)]),
  });
  expect(input.status).toBe(1);
  expect(input.out).toMatch(/\nNo order of these steps is safe\. In the way: \w+\.\n {2}- Drop /);
});

it("obeys the role, and shows hostile names harmlessly", async () => {
  using folder = createFolder({ "p.yaml": POLICY });
  const [role, hostile] = await Promise.all([
    sluicegate(["plan", "p.yaml", "web_search", "--role", "reader", "--json"], { cwd: folder.path }),
    sluicegate(["plan", "p.yaml", "a\u001b[2J\u202eb"], { cwd: folder.path }),
  ]);
  expect(role.json()).toMatchObject({ valid: false, violations: [{ code: "not-in-tool-set" }] });
  expect(hostile).toMatchObject({ status: 1, out: expect.stringContaining("a\\u{1b}[2J\\u{202e}b") });
  expect(isHarmless(hostile.out)).toBe(true);
});

it.concurrent.each([
  ["no plan at all", [], "There is no plan to check."],
  ["two plans", ["web_search", "--steps", "-"], "The plan is given twice."],
  ["a file that isn't there", ["--steps", "nope.json"], "The plan `nope.json` can't be read."],
  ["a plan that is none", ["--steps", "-"], "The plan is not a JSON list."],
])("refuses %s", async (_, args, message) => {
  using folder = createFolder({ "p.yaml": POLICY });
  const ran = await sluicegate(["plan", "p.yaml", ...args], { cwd: folder.path, input: "{}" });
  expect(ran).toMatchObject({ status: 2, out: "" });
  expect(ran.err).toContain(`error: ${message}\n`);
});

it("predicts by the user's task which steps wait for a person (X4, C5)", async () => {
  const policy = `version: 1
endorsement: strict
tools:
  read_inbox: { permissions: [read], source: { trust: untrusted } }
  delete_file: { permissions: [write], critical: [path] }
`;
  const erase = (path: string) => ({ tool: "delete_file", arguments: { path } });
  const steps = JSON.stringify(["read_inbox", erase("/tmp/old.txt"), erase("/etc/passwd")]);
  using folder = createFolder({ "p.yaml": policy, "plan.json": steps });
  const args = ["plan", "p.yaml", "--steps", "plan.json", "--json"];
  const [told, silent] = await Promise.all([
    sluicegate([...args, "--task", "Read my mail and delete /tmp/old.txt"], { cwd: folder.path }),
    sluicegate(args, { cwd: folder.path }),
  ]);
  const reason = expect.stringContaining("`path`");
  const asked = (step: number) => ({ at_step: step, tool: "delete_file", reason });
  expect(told.json()).toMatchObject({ approvals: [asked(2)] });
  expect(silent.json()).toMatchObject({ approvals: [asked(1), asked(2)] });
});
