import { describe, expect, it } from "vitest";
import { createLabel } from "../label/label.ts";
import { definePolicy, type Policy, withOffered } from "../policy/policy.ts";
import { initialState, type SessionState } from "../state/state.ts";
import type { ApprovalCondition, ConditionFacts } from "../tools/condition.ts";
import { type Decision, decide } from "./decide.ts";
import type { AskCause } from "./reason.ts";

/** A policy whose tool `pay` asks under a condition. */
const askingWhen = (holds: (facts: ConditionFacts) => unknown): Policy =>
  definePolicy({
    // A condition is typed to answer yes or no, and a broken one may answer anything.
    tools: { pay: { permissions: ["write"], approval: { when: "…", holds } as ApprovalCondition } },
  });

const causesIn = ({ reasons }: Decision): readonly AskCause[] =>
  reasons.flatMap((reason) => (reason.code === "approval-required" ? [reason.because] : []));

const decideOn = (policy: Policy, args?: Record<string, unknown>, state: Partial<SessionState> = {}) =>
  decide(
    policy,
    { ...initialState(policy.lattice), ...state },
    { tool: "pay", ...(args && { arguments: args }) },
  );

const overHundred = askingWhen(({ args }) => {
  if (typeof args.amount !== "number") throw new Error("no amount");
  return args.amount > 100;
});

describe("a condition", () => {
  it("asks where it holds, and lets the others pass (D1)", () => {
    expect(decideOn(overHundred, { amount: 100 })).toMatchObject({ effect: "allow", reasons: [] });
    expect(decideOn(overHundred, { amount: 101 })).toMatchObject({
      effect: "ask",
      reasons: [{ code: "approval-required", tool: "pay", because: "condition" }],
    });
  });

  it.each([
    ["an argument is missing", {}],
    ["an argument has another type", { amount: "5" }],
  ])("asks where %s, and says that it can't tell (D1)", (_, args) => {
    expect(causesIn(decideOn(overHundred, args))).toEqual(["condition-unclear"]);
  });

  it.each([
    undefined,
    null,
    0,
    "",
    Number.NaN,
    "false",
    {},
    Promise.resolve(false),
  ])("that answers %o is no plain no, and asks", (answer) => {
    const decision = decideOn(
      askingWhen(() => answer),
      {},
    );
    expect(decision.effect).toBe("ask");
    expect(causesIn(decision)).toEqual(["condition-unclear"]);
  });

  it("takes arguments that a plan doesn't give at their worst, and isn't even asked", () => {
    const never = askingWhen(() => {
      throw new Error("asked");
    });
    expect(causesIn(decideOn(never))).toEqual(["condition"]);
  });

  it("is told of the arguments, the tool and the session, as they are", () => {
    const told: ConditionFacts[] = [];
    const policy = askingWhen((facts) => {
      told.push(facts);
      return false;
    });
    const label = createLabel("internal", ["mail"], "untrusted");
    decideOn(policy, { amount: 5 }, { label, principal: "ada", role: null });
    expect(told).toEqual([
      {
        args: { amount: 5 },
        tool: { name: "pay", server: null, tags: [], permissions: ["write"] },
        session: {
          level: "internal",
          categories: ["mail"],
          trust: "untrusted",
          principal: "ada",
          role: null,
        },
      },
    ]);
  });

  it("says nothing against a refusal: a call that is denied stays denied (law-1)", () => {
    const decision = decideOn(
      askingWhen(() => true),
      {},
      { closed: true },
    );
    expect(decision.effect).toBe("deny");
    expect(causesIn(decision)).toEqual(["condition"]);
  });
});

describe("a role's word on approvals", () => {
  const policy = definePolicy({
    servers: {
      files: { tools: { Write: { permissions: ["write"], approval: "always" }, Read: { permissions: [] } } },
    },
    tools: { pay: { permissions: ["write"], approval: { when: "…", holds: () => true } } },
    roles: {
      fixer: { approval: { Write: "never", pay: "never" } },
      careful: { approval: { "*": "always" } },
      silent: { approval: {} },
    },
  });
  const causesFor = (role: string, tool: string, asks: readonly AskCause[] = []) =>
    causesIn(
      decide(policy, { ...initialState(policy.lattice), role }, { tool, arguments: {} }, { asks: [...asks] }),
    );

  it("stands in place of what the tool declares, in both ways (D1)", () => {
    expect(causesFor("fixer", "Write")).toEqual([]);
    expect(causesFor("fixer", "pay")).toEqual([]);
    expect(causesFor("careful", "Read")).toEqual(["always"]);
    expect(causesFor("silent", "Write")).toEqual(["always"]);
    expect(causesFor("silent", "pay")).toEqual(["condition"]);
  });

  it("leaves what the provider found out about the call (D1)", () => {
    expect(causesFor("fixer", "Write", ["ignored-path", "several-links"])).toEqual([
      "ignored-path",
      "several-links",
    ]);
    expect(causesFor("careful", "Read", ["outside-workspace"])).toEqual(["always", "outside-workspace"]);
  });

  it("lets no tool pass unasked that nobody has classified (law-2)", () => {
    const offered = withOffered(
      definePolicy({
        unclassified: "ask",
        servers: { files: {} },
        roles: { fixer: { approval: { "*": "never", "mcp__files__*": "never" } } },
      }),
      "files",
      ["odd"],
    );
    const state = { ...initialState(offered.lattice), role: "fixer" };
    const decision = decide(offered, state, { tool: "mcp__files__odd", arguments: {} });
    expect(decision.effect).toBe("ask");
    expect(causesIn(decision)).toEqual(["unclassified"]);
  });
});

describe("what a provider finds out about a call", () => {
  const policy = definePolicy({ tools: { read: { permissions: ["read"], approval: "never" } } });
  const decideWith = (facts: Parameters<typeof decide>[3]) =>
    decide(policy, initialState(policy.lattice), { tool: "read", arguments: {} }, facts);

  it("asks, a reason for each cause, though the tool needs no approval (D1)", () => {
    const decision = decideWith({ asks: ["ignored-path", "several-links"] });
    expect(decision.effect).toBe("ask");
    expect(decision.reasons).toEqual([
      { code: "approval-required", tool: "read", because: "ignored-path" },
      { code: "approval-required", tool: "read", because: "several-links" },
    ]);
    expect(decideWith({ asks: [] })).toMatchObject({ effect: "allow", reasons: [] });
  });

  it("is answered by one yes for all of its causes (D6-binding)", () => {
    const expires = "2026-01-02";
    const state = {
      ...initialState(policy.lattice),
      answers: [{ id: "a", binding: "this", answer: "approved" as const, expires }],
    };
    const asked = { binding: "this", at: "2026-01-01" };
    const asks = ["ignored-path", "several-links"] as const;
    expect(decide(policy, state, { tool: "read" }, { asks, asked }).effect).toBe("allow");
    expect(decide(policy, state, { tool: "read" }, { asks, asked: { ...asked, at: expires } }).effect).toBe(
      "ask",
    );
  });

  it("denies what no agent may touch, whoever says yes (D6-binding)", () => {
    expect(decideWith({ isProtected: true })).toMatchObject({
      effect: "deny",
      source: null,
      reasons: [{ code: "protected-path", tool: "read" }],
    });
    const state = {
      ...initialState(policy.lattice),
      answers: [{ id: "a", binding: "this", answer: "approved" as const, expires: "2026-01-02" }],
    };
    const asked = { binding: "this", at: "2026-01-01" };
    const decision = decide(
      policy,
      state,
      { tool: "read" },
      { isProtected: true, asks: ["ignored-path"], asked },
    );
    expect(decision).toMatchObject({ effect: "deny", reasons: [{ code: "protected-path" }] });
  });

  it("never turns a fault into a question (law-9)", () => {
    const faults = [{ code: "provider", message: "no answer" }] as const;
    expect(decideWith({ asks: ["ignored-path"], faults })).toMatchObject({
      effect: "deny",
      source: null,
      reasons: [{ code: "approval-required" }, { code: "fault" }],
    });
  });
});

it("is no word on what a server says and asks while a call runs: that call was decided on", () => {
  const policy = definePolicy({
    servers: { mail: { tools: { send: { permissions: [] } } } },
    roles: { careful: { approval: { "*": "always" } } },
  });
  const state = { ...initialState(policy.lattice), role: "careful" };
  expect(decide(policy, state, { tool: "mcp__mail__send", arguments: {} }).effect).toBe("ask");
  expect(decide(policy, state, { tool: "mcp__mail__elicitation/create", arguments: {} }).effect).toBe(
    "allow",
  );
});
