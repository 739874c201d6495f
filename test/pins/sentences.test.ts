/**
 * Every sentence that an agent can be told, word for word: what a model reads decides what it does next, so a
 * changed word is a decision.
 */
import { describe, expect, it } from "vitest";
import {
  type AskCause,
  type Cause,
  createLabel,
  DEFAULT_LATTICE,
  definePolicy,
  EFFECT_OF,
  explain,
  explainWish,
  lookUp,
  type NotEndorsed,
  PATH_CAUSES,
  type Reason,
  type RuleApplies,
  withOffered,
} from "../../src/core/index.ts";
import {
  explainCircle,
  explainDuplicateId,
  explainLateStep,
  explainStep,
  explainUnknownId,
  explainWaysOut,
} from "../../src/core/plan/explain-plan.ts";

const INTERNAL = createLabel("internal", [], "untrusted");
const PUBLIC = createLabel("public", [], "untrusted");

const notEndorsed = (parts: Partial<NotEndorsed>): Reason => ({
  code: "not-endorsed",
  tool: "send_email",
  problem: "not-said",
  argument: "to",
  firstSeen: null,
  ...parts,
});

const ruled = (code: RuleApplies["code"], result: RuleApplies["result"]): Reason => ({
  code,
  tool: "wire_transfer",
  rule: "big payments, 2025",
  result,
});

const blocked = (...causes: readonly Cause[]): Reason => ({
  code: "flow-blocked",
  tool: "web_search",
  label: INTERNAL,
  clearances: [PUBLIC],
  causes,
});

const cause = (parts: Partial<Cause> = {}): Cause => ({
  call: "call_1",
  step: 0,
  tool: "search_email",
  dataset: "mail",
  label: INTERNAL,
  ...parts,
});

const PLANNED = cause({ call: null });

const SENTENCES: readonly (readonly [what: string, reason: Reason, sentence: string])[] = [
  ...(
    [
      ["everything", "all calls of all sessions"],
      ["principal", "all calls of this principal's sessions"],
      ["session", "all calls of this session"],
      ["server", "all calls of its server"],
      ["tool", "all its calls"],
    ] as const
  ).map(
    ([scope, what]) =>
      [
        `frozen: ${scope}`,
        { code: "frozen", tool: "web_search", scope },
        `Tool \`web_search\` is refused. An operator has frozen ${what}. Continue when it is unfrozen, or ask the operator.`,
      ] as const,
  ),
  [
    "session-closed",
    { code: "session-closed" },
    "This session is closed. An operator reset or ended it. Go on in a new session.",
  ],
  [
    "unknown-tool",
    { code: "unknown-tool", tool: "web_search" },
    "There is no tool `web_search` in this session. Use a tool of the session's manifest.",
  ],
  [
    "hidden",
    { code: "hidden", tool: "web_search" },
    "There is no tool `web_search` in this session. Use a tool of the session's manifest.",
  ],
  [
    "ambiguous-tool",
    { code: "ambiguous-tool", tool: "search", candidates: ["mail__search", "web__search"] },
    "The name `search` means more than one tool. Use `mail__search` or `web__search`.",
  ],
  [
    "unclassified-tool",
    { code: "unclassified-tool", tool: "web_search" },
    "Tool `web_search` is withheld. Nobody has said yet what it reads and where it sends data. Ask the operator to classify it in the policy.",
  ],
  [
    "definition-changed",
    { code: "definition-changed", tool: "web_search" },
    "Tool `web_search` is withheld. Its server has changed its definition since it was accepted, and nobody has reviewed the change yet. Use another tool, or ask the operator to review it.",
  ],
  [
    "denied-by-policy",
    { code: "denied-by-policy", tool: "web_search" },
    "Tool `web_search` is not allowed. The operator's policy denies it. Use another tool, or ask the operator.",
  ],
  [
    "missing-tag",
    { code: "missing-tag", tool: "web_search" },
    "Tool `web_search` is not allowed. It lacks a tag that the operator's policy requires. Use another tool, or ask the operator.",
  ],
  [
    "not-in-tool-set",
    { code: "not-in-tool-set", tool: "web_search", role: "reviewer" },
    "Tool `web_search` is not allowed. The role `reviewer` doesn't have it. Use another tool, or a role that has it.",
  ],
  [
    "permission-missing",
    { code: "permission-missing", tool: "web_search", missing: ["connect"] },
    "Tool `web_search` is not allowed. It needs `connect`, and not all of that is granted. Use another tool, or ask the operator for what is missing.",
  ],
  [
    "flow-blocked by a call",
    blocked(cause()),
    "Tool `web_search` is blocked in this session. `search_email` (call 1) loaded internal data, and `web_search` may receive public data at most. Call `web_search` before `search_email`, or give that part of the task to a session of its own.",
  ],
  [
    "flow-blocked where a person may release it",
    { ...blocked(cause()), releasable: true } as Reason,
    "Tool `web_search` may not have this session's data unasked. `search_email` (call 1) loaded internal data, and `web_search` may receive public data at most. Call `web_search` before `search_email`, or give that part of the task to a session of its own.",
  ],
  [
    "flow-blocked by several calls",
    blocked(cause(), cause({ step: 3, tool: "search_docs" })),
    "Tool `web_search` is blocked in this session. `search_email` (call 1) loaded internal data; `search_docs` (call 4) loaded internal data, and `web_search` may receive public data at most. Call `web_search` before `search_email` and `search_docs`, or give that part of the task to a session of its own.",
  ],
  [
    "flow-blocked by a data set",
    blocked(cause({ call: null, step: null, tool: null })),
    "Tool `web_search` is blocked in this session. The data set `mail` brought in internal data, and `web_search` may receive public data at most. Give that part of the task to a session of its own.",
  ],
  [
    "flow-blocked by nothing that is known",
    blocked(),
    "Tool `web_search` is blocked in this session. The session holds internal data (untrusted), and `web_search` may receive public data at most. Give that part of the task to a session of its own.",
  ],
  [
    "denied-by-rule",
    ruled("denied-by-rule", "holds"),
    "Tool `wire_transfer` is not allowed. Such a call is denied by the rule `big payments, 2025` of the operator's policy. Change the call, or ask the operator.",
  ],
  [
    "denied-by-rule where that can't be determined",
    ruled("denied-by-rule", "unclear"),
    "Tool `wire_transfer` is not allowed. It can't be determined from these arguments whether the rule `big payments, 2025` of the operator's policy denies the call. Give each argument with its type, or ask the operator.",
  ],
  [
    "denied-by-rule in a plan without arguments",
    ruled("denied-by-rule", "unknown"),
    "Tool `wire_transfer` is not allowed with arguments that the rule `big payments, 2025` of the operator's policy denies. Plan it with its arguments to know.",
  ],
  [
    "rule-asks",
    ruled("rule-asks", "holds"),
    "Tool `wire_transfer` may not run unasked. Such a call needs a person's approval by the rule `big payments, 2025` of the operator's policy.",
  ],
  [
    "rule-asks where that can't be determined",
    ruled("rule-asks", "unclear"),
    "Tool `wire_transfer` may not run unasked. It can't be determined from these arguments whether the rule `big payments, 2025` of the operator's policy asks for a person's approval.",
  ],
  [
    "rule-asks in a plan without arguments",
    ruled("rule-asks", "unknown"),
    "Tool `wire_transfer` may not run unasked with arguments for which the rule `big payments, 2025` of the operator's policy asks. Plan it with its arguments to know.",
  ],
  [
    "not-endorsed, with where the value came from",
    notEndorsed({ firstSeen: { step: 1, tool: "read_inbox", trust: "untrusted" } }),
    "Tool `send_email` may not run unasked. Untrusted content is in this session, and the value of `to` isn't in the user's words; it first appeared in the result of `read_inbox` (call 2, untrusted). Use what the user named, or ask the user.",
  ],
  [
    "not-endorsed, from nowhere that is known",
    notEndorsed({}),
    "Tool `send_email` may not run unasked. Untrusted content is in this session, and the value of `to` isn't in the user's words. Use what the user named, or ask the user.",
  ],
  [
    "not-endorsed for a link",
    notEndorsed({ problem: "link", argument: "body" }),
    "Tool `send_email` may not run unasked. Untrusted content is in this session, and `body` holds a link that the user didn't give. Leave the link out, or ask the user.",
  ],
  [
    "not-endorsed for a credential",
    notEndorsed({ problem: "credential", argument: "password" }),
    "Tool `send_email` may not run unasked. `password` is a credential, and a person decides on each change of one.",
  ],
  [
    "not-endorsed for want of a critical argument",
    notEndorsed({ problem: "none-given", argument: null }),
    "Tool `send_email` may not run unasked. Untrusted content is in this session, and the call names nothing that the user could have named. Name whom or what it is for, or ask the user.",
  ],
  [
    "not-endorsed in a plan without arguments",
    notEndorsed({ problem: "unknown", argument: null }),
    "Tool `send_email` may not run unasked if untrusted content is in this session and its arguments aren't the user's words. Plan it with its arguments to know.",
  ],
  [
    "protected-path",
    { code: "protected-path", tool: "Write" },
    "Tool `Write` is refused. The path is kept from this session, and nobody can approve it. Use another path.",
  ],
  [
    "approval-denied",
    { code: "approval-denied", tool: "web_search" },
    "Tool `web_search` is refused. A person was asked about this very call and said no. Go on without it, or say that the task can't be done.",
  ],
  [
    "approval-expired",
    { code: "approval-expired", tool: "web_search" },
    "Tool `web_search` is refused. Its approval is over: no person answered in time, or you gave up. Call it again to ask once more, or go on without it.",
  ],
  [
    "unknown-argument",
    { code: "unknown-argument", tool: "fetch", argument: "ulr", near: "url" },
    "Tool `fetch` is refused. Its schema has no argument `ulr`; did you mean `url`? Call it again with arguments of its schema alone.",
  ],
  [
    "unknown-argument that resembles none",
    { code: "unknown-argument", tool: "fetch", argument: "launchOptions", near: null },
    "Tool `fetch` is refused. Its schema has no argument `launchOptions`. Call it again with arguments of its schema alone.",
  ],
  [
    "sign-in-needed",
    {
      code: "sign-in-needed",
      tool: "search_mail",
      server: "mail",
      link: "https://gate.example/oauth/sign-in/mail",
    },
    "Tool `search_mail` is refused. Whoever this session works for has not signed in to the server `mail`. Ask the user to sign in at https://gate.example/oauth/sign-in/mail, or with `sluicegate sign-in`, and call it again.",
  ],
  [
    "sign-in-needed without a page",
    { code: "sign-in-needed", tool: "search_mail", server: "mail", link: null },
    "Tool `search_mail` is refused. Whoever this session works for has not signed in to the server `mail`. Ask the user to sign in with `sluicegate sign-in`, and call it again.",
  ],
  [
    "fault",
    { code: "fault", tool: "web_search" },
    "Tool `web_search` is refused. A check that it needs could not be made. Try again, and tell the operator if it happens again.",
  ],
];

/** What a call waits for, between the sentence that names its tool and the one that says how it goes on. */
const WAITING: Readonly<Record<AskCause, string>> = {
  always: "The operator's policy asks for an approval of each call.",
  unclassified: "Nobody has classified it yet.",
  condition: "The operator's policy asks for an approval of such a call.",
  "condition-unclear":
    "The operator's policy asks for an approval of some calls, and can't tell whether this is one.",
  release:
    "This session's data may not go there, and the operator's policy lets a person release this one call.",
  "not-endorsed":
    "Untrusted content came into this session, and the user's own words don't cover what this call does.",
  rule: "A rule of the operator's policy asks for an approval of such a call.",
  "outside-workspace": "The path lies outside the workspace.",
  "ignored-path": "Git ignores the path.",
  "git-folder": "The path belongs to git's own files.",
  "git-unavailable": "Git could not say whether the path belongs to the project.",
  "not-a-repository": "The workspace isn't a git repository, so nothing says what belongs to the project.",
  "nested-repository": "The path lies in another repository inside the workspace.",
  "special-file": "The path isn't an ordinary file or folder.",
  "several-links": "The file has several names, and another one may lie elsewhere.",
  "protected-name": "The file decides what belongs to the project, what programs run or what agents follow.",
  "instruction-file": "The agent would load instructions from files with it that need an approval.",
  "unclear-path": "The path can't be determined for sure.",
};

const waiting = (because: AskCause): Reason => ({ code: "approval-required", tool: "web_search", because });

const step = (reason: Reason, orderExists = true) => explainStep(DEFAULT_LATTICE, reason, orderExists);

const PLAN_SENTENCES = [
  [
    "blocked, where an order exists",
    step(blocked(PLANNED)),
    {
      reason: "`web_search` is blocked after `search_email` (step 0) loads internal data",
      suggestion: "move `web_search` before `search_email`",
    },
  ],
  [
    "blocked by several steps",
    step(blocked(PLANNED, cause({ call: null, step: 1, tool: "search_docs" }))),
    {
      reason:
        "`web_search` is blocked after `search_email` (step 0) loads internal data and `search_docs` (step 1) loads internal data",
      suggestion: "move `web_search` before `search_email` and `search_docs`",
    },
  ],
  [
    "blocked, where no order exists",
    step(blocked(PLANNED), false),
    {
      reason: "`web_search` is blocked after `search_email` (step 0) loads internal data",
      suggestion: "drop `web_search`, or give it to a session of its own",
    },
  ],
  [
    "blocked already",
    step(blocked(cause())),
    {
      reason:
        "`web_search` is blocked already: this session holds internal data, and it may receive public data at most",
      suggestion: "drop `web_search`, or give it to a session of its own",
    },
  ],
  [
    "refused for a name that means nothing",
    step({ code: "unknown-tool", tool: "web_search" }),
    {
      reason: "There is no tool `web_search` in this session. Use a tool of the session's manifest.",
      suggestion: "use a tool of the session's manifest",
    },
  ],
  [
    "refused for a name that means several",
    step({ code: "ambiguous-tool", tool: "search", candidates: ["mail__search", "web__search"] }),
    {
      reason: "The name `search` means more than one tool. Use `mail__search` or `web__search`.",
      suggestion: "use `mail__search` or `web__search`",
    },
  ],
  [
    "refused in a closed session",
    step({ code: "session-closed" }),
    {
      reason: "This session is closed. An operator reset or ended it. Go on in a new session.",
      suggestion: "plan in a new session",
    },
  ],
  [
    "refused for any other reason",
    step({ code: "denied-by-policy", tool: "web_search" }),
    {
      reason:
        "Tool `web_search` is not allowed. The operator's policy denies it. Use another tool, or ask the operator.",
      suggestion: "drop it, or ask the operator",
    },
  ],
  [
    "with an id that stands twice",
    explainDuplicateId("read"),
    {
      reason: "the id `read` stands at an earlier step already",
      suggestion: "give each step an id of its own",
    },
  ],
  [
    "with an id that nobody has",
    explainUnknownId("read"),
    {
      reason: "it must come after `read`, and no step has that id",
      suggestion: "name the id of a step of this plan, or leave it out",
    },
  ],
  [
    "in a circle",
    explainCircle(["read", "write"]),
    {
      reason: "`read` and `write` wait for each other in a circle",
      suggestion: "take one of the `after` entries out",
    },
  ],
  [
    "too early",
    explainLateStep("sum", "read", 2),
    {
      reason: "`sum` must come after `read`, which stands later (step 2)",
      suggestion: "move `sum` after `read`",
    },
  ],
] as const;

describe("a refused call", () => {
  it.each(SENTENCES)("is told why: %s", (_, reason, sentence) => {
    expect(explain(DEFAULT_LATTICE, reason)).toBe(sentence);
  });

  it("is told why for every reason that there is", () => {
    const worded = new Set(SENTENCES.map(([, { code }]) => code));
    expect([...worded, "approval-required"].sort()).toEqual(Object.keys(EFFECT_OF).sort());
  });
});

describe("a call that waits for a person", () => {
  it.each(Object.entries(WAITING))("is told why: %s", (cause, why) => {
    // The keys of the table are the causes, by its type.
    const because = cause as AskCause;
    const how = because === "release" ? "released" : "approved";
    expect(explain(DEFAULT_LATTICE, waiting(because))).toBe(
      `Tool \`web_search\` waits for a person. ${why} Call it again with the same arguments once it has been ${how}.`,
    );
  });

  it("is told why for every cause of a provider", () => {
    expect(Object.keys(WAITING)).toEqual(expect.arrayContaining([...PATH_CAUSES]));
  });

  it("is told, where it is refused for another reason, that nobody was asked", () => {
    expect(explain(DEFAULT_LATTICE, waiting("always"), true)).toBe(
      "Tool `web_search` would also wait for a person.",
    );
  });
});

const DECLARED = definePolicy({
  servers: {
    files: {
      tools: {
        read_file: { permissions: ["read"] },
        write_file: { permissions: ["write"] },
        ponder: { permissions: [] },
        sync: { permissions: ["read", "write", "connect"], sink: [{ level: "internal" }] },
      },
    },
    outside: { tools: { slack_post: { permissions: ["connect"], onViolation: "ask" } } },
    workspace: {
      tools: {
        run_command: { permissions: ["read", "write", "connect"] },
        write_text_file: { permissions: ["read", "write"], sink: [{ level: "internal" }] },
      },
    },
  },
  tools: { wire_transfer: { permissions: ["write"] } },
  unclassified: "ask",
});
const WISHES = withOffered(DECLARED, "files", ["read_file", "write_file", "ponder", "sync", "unheard"]);

describe("whoever is asked for a yes", () => {
  it.each([
    ["read_file", "`ada`'s agent wants to read with `read_file` of the server `files`."],
    ["write_file", "`ada`'s agent wants to write with `write_file` of the server `files`."],
    ["wire_transfer", "`ada`'s agent wants to write with `wire_transfer` of its own."],
    ["ponder", "`ada`'s agent wants to do something with `ponder` of the server `files`."],
    [
      "slack_post",
      "`ada`'s agent wants to send data outside with `slack_post` of the server `outside`, which may receive public data at most.",
    ],
    [
      "sync",
      "`ada`'s agent wants to read, write and send data outside with `sync` of the server `files`, which may receive internal data at most.",
    ],
    [
      "run_command",
      "`ada`'s agent wants to run a program with `run_command` of the workspace, which may receive public data at most.",
    ],
    [
      "write_text_file",
      "`ada`'s agent wants to read and write with `write_text_file` of the workspace, which may receive internal data at most.",
    ],
    [
      "unheard",
      "`ada`'s agent wants to call `unheard` of the server `files`. Nobody has said what that does: it may read, write and send data outside.",
    ],
    ["mcp__gone__tool", "`ada`'s agent wants to call `mcp__gone__tool`, which isn't there now."],
  ])("is told what it lets happen: %s (D5-queue)", (name, sentence) => {
    const { tool } = lookUp(WISHES, name);
    const wish = { principal: "ada", id: tool?.id ?? name, tool, release: false, label: INTERNAL };
    expect(explainWish(DEFAULT_LATTICE, wish)).toBe(sentence);
  });

  it("is told of a release as of one", () => {
    const { tool } = lookUp(WISHES, "slack_post");
    const wish = { principal: "a`da\u202e", id: tool?.id ?? "", tool, release: true, label: INTERNAL };
    expect(explainWish(DEFAULT_LATTICE, wish)).toBe(
      "`a?da?`'s agent wants to release what its session holds, internal data (untrusted), to `slack_post` of the server `outside`, which may receive public data at most.",
    );
  });
});

describe("a planned step", () => {
  it.each(PLAN_SENTENCES)("is told what is wrong with it, and what to do: %s (C4)", (_, worded, pinned) => {
    expect(worded).toEqual(pinned);
  });
});

describe("a plan without a safe order", () => {
  it("is told the ways out (C5)", () => {
    expect(explainWaysOut(["web_search", "slack_post"])).toEqual([
      "Drop `web_search` and `slack_post`.",
      "Have a person do `web_search` and `slack_post`.",
      "Give `web_search` and `slack_post` to a session of its own, opened by the host from the user's own words.",
    ]);
  });

  it("is told to fix its ids where nothing else is in the way (C5)", () => {
    expect(explainWaysOut([])).toEqual(["Fix the ids of the plan, then check it again."]);
  });
});
