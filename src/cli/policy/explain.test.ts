import { expect, it } from "vitest";
import { toWireReasons } from "../../gateway/rest/wire.ts";
import { parseConfig } from "../../policy-file/index.ts";
import { createGate } from "../../runtime/index.ts";
import { createMemoryStore } from "../../stores/index.ts";
import { BROKEN_POLICY, createFolder, POLICY, sluicegate } from "../cli.test-kit.ts";

const PUBLIC = { level: "public", categories: [], trust: "trusted" };
const INTERNAL = { level: "internal", categories: [], trust: "untrusted" };
const BLOCKED =
  "Tool `web_search` is blocked in this session. `search_email` (call 1) loaded internal data, and `web_search` may receive public data at most. Call `web_search` before `search_email`, or give that part of the task to a session of its own.";

it("allows a call and says what it would add to the session and shut", async () => {
  using folder = createFolder({ "p.yaml": POLICY });
  const args = ["explain", "p.yaml", "--tool", "search_email", "--args", '{"query":"q3"}'];
  const [words, json] = await Promise.all([
    sluicegate(args, { cwd: folder.path }),
    sluicegate([...args, "--json"], { cwd: folder.path }),
  ]);
  expect(words).toMatchObject({ status: 0, err: "" });
  expect(words.out).toMatch(/^allow {2}search_email\n\nChecks\n {2}exists {7}pass/);
  expect(words.out).toMatch(
    /session before {2}public data \(trusted\)\n {2}the call adds {3}internal data \(untrusted\)/,
  );
  expect(words.out).toContain("that shuts      web_search, slack_post\n");
  expect(json.status).toBe(0);
  const checks = [
    "exists",
    "policy",
    "visible",
    "permissions",
    "rules",
    "flow",
    "endorsement",
    "approval",
    "facts",
  ];
  expect(json.json()).toEqual({
    tool: "search_email",
    effect: "allow",
    reasons: [],
    trail: checks.map((check) => ({ check, result: "pass", reasons: [] })),
    user_word: [],
    label: PUBLIC,
    raises: INTERNAL,
    shuts: ["web_search", "slack_post"],
    after: [],
  });
});

it("denies web_search after search_email with the runtime's own sentence, and applies no refused call (X1-policy)", async () => {
  using folder = createFolder({ "p.yaml": POLICY });
  const args = [
    "explain",
    "p.yaml",
    "--tool",
    "web_search",
    "--after",
    "search_email,slack_post , nope,wire_transfer",
  ];
  const [words, json] = await Promise.all([
    sluicegate(args, { cwd: folder.path }),
    sluicegate([...args, "--json"], { cwd: folder.path }),
  ]);
  expect(words).toMatchObject({ status: 1, err: "" });
  expect(words.out).toContain(`deny  web_search\n  ${BLOCKED}\n`);
  expect(words.out).toMatch(/flow +deny +flow-blocked\n {2}endorsement +pass/);
  expect(words.out).toContain("  1. search_email  allow  brings in internal data (untrusted)\n");
  expect(words.out).toContain("  2. slack_post  deny  not run, so it changes nothing\n");
  expect(words.out).toContain("  4. wire_transfer  ask  taken as approved; adds nothing new\n");
  expect(json.status).toBe(1);
  const reasons = [
    {
      code: "flow-blocked",
      message: BLOCKED,
      caused_by: [{ step: 0, tool: "search_email", dataset: "search_email" }],
    },
  ];
  expect(json.json()).toMatchObject({
    effect: "deny",
    reasons,
    trail: expect.arrayContaining([{ check: "flow", result: "deny", reasons }]),
    label: INTERNAL,
    raises: null,
    shuts: [],
    after: [
      { tool: "search_email", effect: "allow", raises: INTERNAL, label: INTERNAL },
      {
        tool: "slack_post",
        effect: "deny",
        reasons: [{ code: "flow-blocked" }],
        raises: null,
        label: INTERNAL,
      },
      { tool: "nope", effect: "deny", reasons: [{ code: "unknown-tool" }], raises: null, label: INTERNAL },
      { tool: "wire_transfer", effect: "ask", reasons: [{ code: "approval-required" }], raises: null },
    ],
  });
});

it("takes an ask for no, and obeys the role", async () => {
  using folder = createFolder({ "p.yaml": POLICY });
  const explain = (...args: string[]) => sluicegate(["explain", "p.yaml", ...args], { cwd: folder.path });
  const [ask, role, unknown] = await Promise.all([
    explain("--tool", "wire_transfer"),
    explain("--tool", "web_search", "--after", "search_email", "--role", "reader", "--json"),
    explain("--tool", "web_search", "--role", "raeder"),
  ]);
  expect(ask).toMatchObject({ status: 1, out: expect.stringMatching(/^ask {2}wire_transfer\n/) });
  expect(role.status).toBe(1);
  expect(role.json()).toMatchObject({
    reasons: [{ code: "not-in-tool-set" }, { code: "permission-missing" }],
    label: PUBLIC,
    after: [{ effect: "deny", raises: null, label: PUBLIC }],
  });
  expect(unknown).toMatchObject({ status: 2, out: "" });
  expect(unknown.err).toContain("fix: Did you mean `reader`?");
});

it("names a tool that was probably meant, and makes a hostile name visible", async () => {
  using folder = createFolder({ "p.yaml": POLICY });
  const explain = (tool: string) => sluicegate(["explain", "p.yaml", "--tool", tool], { cwd: folder.path });
  const [typo, hostile, inherited] = await Promise.all([
    explain("web_serch"),
    explain("web\u001b[1A\u202e_search\nallow"),
    explain("constructor"),
  ]);
  expect(typo).toMatchObject({ status: 1, out: expect.stringContaining("Did you mean `web_search`?") });
  expect(hostile.status).toBe(1);
  expect(hostile.out).toContain("deny  web\\u{1b}[1A\\u{202e}_search\\u{a}allow\n");
  expect(inherited).toMatchObject({ status: 1, out: expect.stringMatching(/exists +deny +unknown-tool/) });
});

it("refuses arguments that are no JSON object, and a broken policy with its lines", async () => {
  using folder = createFolder({ "p.yaml": POLICY, "broken.yaml": BROKEN_POLICY });
  const explain = (file: string, args: string, ...more: string[]) =>
    sluicegate(["explain", file, "--tool", "web_search", "--args", args, ...more], { cwd: folder.path });
  const [list, malformed, broken, json] = await Promise.all([
    explain("p.yaml", "[1]"),
    explain("p.yaml", "{", "--json"),
    explain("broken.yaml", "{}"),
    explain("broken.yaml", "{}", "--json"),
  ]);
  expect(list).toMatchObject({ status: 2, out: "", err: expect.stringContaining("not a JSON object") });
  expect(malformed).toMatchObject({ status: 2, err: "" });
  expect(malformed.json()).toMatchObject({ error: { code: "malformed-json" } });
  expect(broken).toMatchObject({ status: 2, out: "" });
  expect(broken.err).toMatch(/^broken\.yaml:3:\d+: .*\nbroken\.yaml:5:\d+: .*\n {2}why: .*\n {2}fix: .*\n$/);
  expect(json.status).toBe(2);
  expect(json.json()).toMatchObject({
    error: { code: "policy-invalid", message: expect.stringContaining("broken.yaml:5:") },
  });
});

const CONDITIONED = `version: 1
tools:
  wire: { permissions: [write], approval: args.amount > 10000 }
roles:
  trainee: { approval: { wire: always } }
`;

it("says what a condition says of the arguments, and that it depends on them where there are none (X3-approval)", async () => {
  using folder = createFolder({ "p.yaml": CONDITIONED });
  const explain = (...args: string[]) =>
    sluicegate(["explain", "p.yaml", "--tool", "wire", ...args], { cwd: folder.path });
  const [large, small, unclear, open, role, json] = await Promise.all([
    explain("--args", '{"amount":10001}'),
    explain("--args", '{"amount":10000}'),
    explain("--args", '{"amount":"1"}'),
    explain(),
    explain("--role", "trainee", "--args", '{"amount":1}'),
    explain("--args", '{"amount":"1"}', "--json"),
  ]);
  expect(large).toMatchObject({ status: 1, out: expect.stringMatching(/^ask {2}wire\n/) });
  expect(large.out).toContain("  The condition `args.amount > 10000` holds.\n");
  expect(small).toMatchObject({ status: 0, out: expect.stringMatching(/^allow {2}wire\n/) });
  expect(small.out).not.toContain("condition");
  expect(unclear).toMatchObject({ status: 1, out: expect.stringMatching(/^ask {2}wire\n/) });
  expect(unclear.out).toContain(
    "  The condition `args.amount > 10000` can't be evaluated on these arguments.\n",
  );
  expect(open).toMatchObject({ status: 1, out: expect.stringMatching(/^ask {2}wire\n/) });
  expect(open.out).toContain(
    "  That depends on the arguments, which `--args` gives: a person is asked where `args.amount > 10000` holds, or can't be evaluated.\n",
  );
  expect(role).toMatchObject({ status: 1, out: expect.not.stringContaining("args.amount") });
  expect(json.json()).toMatchObject({
    effect: "ask",
    reasons: [{ code: "approval-required" }],
    condition: { when: "args.amount > 10000", holds: null },
  });
});

const MAIL_POLICY = `version: 1
endorsement: strict
named: internal
tools:
  read_inbox: { permissions: [read], source: { level: internal, trust: untrusted } }
  send_email: { permissions: [connect], sink: { to: [args.to, args.cc] }, critical: [to, cc], payload: [body], on_violation: ask }
`;

it("tells which arguments are the user's word, and by what (X4)", async () => {
  using folder = createFolder({ "p.yaml": MAIL_POLICY });
  const explain = (args: object, more: readonly string[]) =>
    sluicegate(
      [
        "explain",
        "p.yaml",
        "--tool",
        "send_email",
        "--args",
        JSON.stringify(args),
        "--after",
        "read_inbox",
        ...more,
      ],
      { cwd: folder.path },
    );
  const task = ["--task", "Write to Ada (ada@acme.example)"];
  const both = { to: "ada@acme.example", cc: ["eve@evil.example"] };
  const [named, mixed, json, silent] = await Promise.all([
    explain({ to: "ada@acme.example", body: "Hello" }, task),
    explain(both, task),
    explain(both, [...task, "--json"]),
    explain({ to: "ada@acme.example" }, []),
  ]);
  expect(named.status).toBe(0);
  expect(named.out).toMatch(/^allow {2}send_email\n/);
  expect(named.out).toContain("The user's word\n  to  said\n");
  expect(mixed.status).toBe(1);
  expect(mixed.out).toMatch(/The user's word\n {2}to +said\n {2}cc\[\] +missing\n/);
  expect(json.json()).toMatchObject({
    user_word: [
      { argument: "to", by: "said" },
      { argument: "cc[]", by: null },
    ],
  });
  expect(silent.out).toContain("The user's word\n  to  missing\n");
  // A real session tells the same, word for word.
  const { policy } = await parseConfig(MAIL_POLICY, { file: "p.yaml", environment: {} });
  const session = await createGate({ policy, store: createMemoryStore() }).open({ task: task[1] ?? "" });
  await session.call({ tool: "read_inbox" }, () => null);
  const { reasons } = await session.call({ tool: "send_email", arguments: both }, () => null);
  expect(json.json()).toMatchObject({ reasons: toWireReasons(reasons) });
});
