import { describe, expect, it } from "vitest";
import { createLabel, DEFAULT_LATTICE, type Label, topLabel } from "../label/label.ts";
import { RunningCalls } from "./session-calls.ts";
import {
  apply,
  datasetsOf,
  holdsPrivateData,
  initialState,
  type SessionEvent,
  type SessionState,
} from "./state.ts";

const AT = "2026-11-21T20:00:00Z";
const label = (level: string, ...categories: string[]): Label => createLabel(level, categories, "trusted");
const untrusted = (level: string): Label => createLabel(level, [], "untrusted");

const opened = (event: Partial<Extract<SessionEvent, { kind: "session-opened" }>> = {}): SessionEvent => ({
  kind: "session-opened",
  principal: "ada",
  role: null,
  tools: null,
  task: false,
  ...event,
});

const admitted = (call: string, source: Label | null, dataset = "mail", tool = "search"): SessionEvent => ({
  kind: "call-admitted",
  call,
  tool,
  arguments: "hmac-sha256:00",
  source,
  dataset,
  label: label("public"),
});

const raised = (source: unknown, dataset = "crm"): SessionEvent => ({
  kind: "label-raised",
  call: null,
  step: null,
  tool: null,
  // A store may hold anything where a label is expected.
  source: source as Label,
  dataset,
  label: label("public"),
});

const requested = (approval: string): SessionEvent => ({
  kind: "approval-requested",
  call: `call_${approval}`,
  tool: "pay",
  arguments: "hmac-sha256:00",
  reasons: [],
  label: label("public"),
  approval,
  binding: "hmac-sha256:01",
  expires: "2026-11-21T21:00:00Z",
});

const refused: SessionEvent = {
  kind: "call-refused",
  call: "call_9",
  tool: "web",
  arguments: "hmac-sha256:00",
  reasons: [],
  label: label("public"),
};

const closed: SessionEvent = { kind: "session-closed", reason: "reset", successor: "sess_2" };

const play = (...events: SessionEvent[]): SessionState =>
  events.reduce((state, event) => apply(state, event, AT), initialState(DEFAULT_LATTICE));

describe("a session of which nothing is known", () => {
  it("is clean, open and nobody's", () => {
    expect(play()).toEqual({
      lattice: DEFAULT_LATTICE,
      principal: "",
      role: null,
      tools: null,
      limits: [],
      leases: [],
      permissions: null,
      parent: null,
      shares: null,
      forks: 0,
      label: { level: "public", categories: [], trust: "trusted" },
      contributions: [],
      calls: 0,
      running: RunningCalls.NONE,
      pausedRuns: [],
      pending: [],
      answers: [],
      impossible: null,
      refusals: { open: [], appealed: [] },
      words: { utterances: [], evidence: [], appearances: [] },
      closed: false,
    });
  });

  it("is frozen", () => {
    expect(Object.isFrozen(initialState(DEFAULT_LATTICE))).toBe(true);
  });
});

describe("opening", () => {
  it("tells whose the session is, its role and the tools that it is narrowed to", () => {
    expect(play(opened({ role: "reader", tools: ["a", "b", "a"] }))).toMatchObject({
      principal: "ada",
      role: "reader",
      tools: new Set(["a", "b"]),
    });
  });

  it.each([
    ["no list", null, null],
    ["an empty list", [], new Set()],
  ])("with %s of tools narrows so far", (_, tools, expected) => {
    expect(play(opened({ tools })).tools).toEqual(expected);
  });

  it("again changes nothing: neither whose the session is, nor its role, nor its tools (law-4)", () => {
    const once = play(opened({ role: "reader", tools: ["a"] }));
    const again = opened({ principal: "eve", role: null, tools: null });
    expect(apply(once, again, AT)).toEqual(once);
  });

  it("lowers no label that is there already (law-3)", () => {
    expect(play(raised(label("secret")), opened()).label.level).toBe("secret");
  });
});

describe("an admitted call", () => {
  it("raises the session by its source and is remembered with its step (C1-declared, A4)", () => {
    const state = play(refused, admitted("call_1", untrusted("internal")));
    expect(state).toMatchObject({ label: untrusted("internal"), calls: 2 });
    expect([...state.running]).toEqual([
      ["call_1", { step: 1, tool: "search", arguments: "hmac-sha256:00" }],
    ]);
    expect(state.contributions).toEqual([
      {
        dataset: "mail",
        label: untrusted("internal"),
        at: AT,
        call: "call_1",
        step: 1,
        tool: "search",
        raised: true,
      },
    ]);
  });

  it("that brings nothing in raises nothing", () => {
    const state = play(admitted("call_1", null));
    expect([state.label, state.contributions, state.calls]).toEqual([label("public"), [], 1]);
  });

  it("keeps its raise when it has ended badly (A4)", () => {
    const state = play(admitted("call_1", label("secret")), {
      kind: "call-finished",
      call: "call_1",
      outcome: "error",
    });
    expect([state.label.level, state.running.size]).toEqual(["secret", 0]);
  });

  it("is forgotten by its own end alone", () => {
    const state = play(admitted("call_1", null), admitted("__proto__", null), {
      kind: "call-finished",
      call: "call_2",
      outcome: "ok",
    });
    expect([...state.running].map(([call]) => call)).toEqual(["call_1", "__proto__"]);
  });

  it("makes room for the newest 1,024: the oldest is forgotten", () => {
    const calls = Array.from({ length: 1026 }, (_, index) => admitted(`call_${index}`, null));
    const { running, calls: count } = play(...calls);
    expect([
      running.size,
      running.has("call_1"),
      running.has("call_2"),
      running.has("call_1025"),
      count,
    ]).toEqual([1024, false, true, true, 1026]);
  });
});

describe("a refused call", () => {
  it("counts as a step, may be appealed, and changes nothing else", () => {
    const { call, tool } = refused;
    const refusals = { open: [{ call, tool }], appealed: [] };
    expect(play(refused)).toEqual({ ...play(), calls: 1, refusals });
    const appealed = play(refused, { kind: "refusal-appealed", call, tool, label: refused.label });
    expect(appealed).toEqual({ ...play(), calls: 1, refusals: { open: [], appealed: [call] } });
  });
});

describe("a requested approval", () => {
  it("counts as a step, waits, and raises nothing", () => {
    const state = play(requested("appr_1"), requested("appr_2"));
    expect(state).toMatchObject({ calls: 2, label: label("public") });
    expect(state.pending.map(({ id, call, at }) => [id, call, at])).toEqual([
      ["appr_1", "call_appr_1", AT],
      ["appr_2", "call_appr_2", AT],
    ]);
  });

  it("holds the tool, what the answer is bound to, and when it ends", () => {
    expect(play(requested("appr_1")).pending).toEqual([
      {
        id: "appr_1",
        call: "call_appr_1",
        tool: "pay",
        binding: "hmac-sha256:01",
        at: AT,
        expires: "2026-11-21T21:00:00Z",
        release: false,
        shown: false,
      },
    ]);
  });

  it("is known to have been shown once it was, and no other with it", () => {
    const shown: SessionEvent = { kind: "approval-shown", approval: "appr_2", via: "console" };
    const state = play(requested("appr_1"), requested("appr_2"), shown, { ...shown, approval: "appr_9" });
    expect(state.pending.map(({ id, shown: seen }) => [id, seen])).toEqual([
      ["appr_1", false],
      ["appr_2", true],
    ]);
  });

  it("waits no more once it has ended, without a step of its own", () => {
    const ended: SessionEvent = {
      kind: "approval-ended",
      approval: "appr_1",
      call: "call_appr_1",
      tool: "pay",
      outcome: "cancelled",
    };
    const state = play(requested("appr_1"), requested("appr_2"), ended, ended);
    expect(state.pending.map(({ id }) => id)).toEqual(["appr_2"]);
    expect(state.calls).toBe(2);
  });
});

describe("a task that can't be done", () => {
  it("is remembered with its moment; the label stays, and the session open (law-3)", () => {
    const state = play(raised(label("secret")), { kind: "impossible-reported" });
    expect(state).toMatchObject({ impossible: AT, closed: false, label: label("secret") });
    expect(apply(state, { kind: "impossible-reported" }, "2027").impossible).toBe("2027");
  });
});

describe("closing", () => {
  it("is for good, and leaves the label (law-3)", () => {
    expect(play(raised(label("secret")), closed, opened())).toMatchObject({
      closed: true,
      label: label("secret"),
    });
  });
});

describe("a label", () => {
  it.each([
    ["one internal data set makes it internal", [label("internal")], label("internal")],
    ["a lower one adds nothing", [label("secret"), label("internal")], label("secret")],
    ["a higher one raises it", [label("internal"), label("secret")], label("secret")],
    ["categories add up", [label("public", "b"), label("public", "a")], label("public", "a", "b")],
    ["trust that is lost stays lost", [untrusted("public"), label("internal")], untrusted("internal")],
  ])("is the join of what came in: %s (A4, law-3)", (_, sources, expected) => {
    expect(play(...sources.map((source) => raised(source))).label).toEqual(expected);
  });

  it.each([
    ["nothing", undefined],
    ["a text", "public"],
    ["an unknown level", { level: "galactic", categories: [], trust: "trusted" }],
  ])("that is broken in the store, being %s, is the top (A4)", (_, source) => {
    const state = play(raised(source));
    expect([state.label, state.contributions[0]?.label]).toEqual([
      topLabel(DEFAULT_LATTICE),
      topLabel(DEFAULT_LATTICE),
    ]);
  });

  it("isn't taken from what an event claims, but from its source (law-3)", () => {
    expect(play({ ...raised(label("secret")), label: label("public") } as SessionEvent).label.level).toBe(
      "secret",
    );
  });
});

describe("what is remembered of a label's origin", () => {
  const remembered = (...events: SessionEvent[]) =>
    play(...events).contributions.map(({ dataset, label: { level }, raised }) => [dataset, level, raised]);

  it("is the first of each data set, and whether it raised the session", () => {
    expect(remembered(raised(label("secret"), "crm"), raised(label("internal"), "mail"))).toEqual([
      ["crm", "secret", true],
      ["mail", "internal", false],
    ]);
  });

  it("is nothing more where a data set comes again as it was", () => {
    expect(remembered(raised(label("secret")), raised(label("secret")), raised(label("internal")))).toEqual([
      ["crm", "secret", true],
    ]);
  });

  it("is a data set again where it comes at a higher level, though the session was there before (A4)", () => {
    const events = [
      raised(label("secret"), "mail"),
      raised(label("internal")),
      raised(label("confidential")),
    ];
    expect(remembered(...events)).toEqual([
      ["mail", "secret", true],
      ["crm", "internal", false],
      ["crm", "confidential", false],
    ]);
  });

  it("is a public data set too, where it is the first to be heard of", () => {
    expect(remembered(raised(label("public")))).toEqual([["crm", "public", false]]);
  });

  it("can't be changed at run time", () => {
    const [contribution] = play(raised(label("secret"))).contributions;
    expect(Object.isFrozen(contribution)).toBe(true);
  });
});

describe("data sets without end", () => {
  it("are counted in one once there are many, and every raise is remembered all the same (law-3)", () => {
    let state = apply(initialState(DEFAULT_LATTICE), opened(), AT);
    for (let number = 0; number < 10_000; number += 1)
      state = apply(state, raised(label("internal"), `made-up-${number}`), AT);
    expect(state.contributions).toHaveLength(513);
    expect(state.contributions.at(-1)).toMatchObject({ dataset: "others", raised: false, tool: null });
    expect(datasetsOf(state)).toHaveLength(513);
    state = apply(state, raised(label("secret", "hr"), "payroll"), AT);
    expect(state.label).toEqual(label("secret", "hr"));
    expect(state.contributions.at(-1)).toMatchObject({ dataset: "payroll", raised: true });
    for (const level of ["internal", "secret"])
      state = apply(state, raised(label(level, "hr"), `late-${level}`), AT);
    expect(state.contributions).toHaveLength(515);
    expect(state.contributions.at(-1)).toMatchObject({ dataset: "others", label: label("secret", "hr") });
  });
});

describe("the private data sets of a session", () => {
  it("are each there once, at their highest level, in the order of arrival (A4)", () => {
    const events = [
      admitted("call_1", label("internal"), "mail"),
      admitted("call_2", label("secret"), "crm"),
      admitted("call_3", label("confidential"), "mail"),
      raised(label("internal"), "mail"),
    ];
    expect(datasetsOf(play(...events))).toEqual([
      { id: "mail", sensitivity: "confidential", at: AT, call: "call_3" },
      { id: "crm", sensitivity: "secret", at: AT, call: "call_2" },
    ]);
  });

  it("keep the call that brought their level, when only a category comes later", () => {
    const events = [
      admitted("call_1", label("internal"), "mail"),
      admitted("call_2", label("public", "hr"), "mail"),
    ];
    expect(datasetsOf(play(...events))).toMatchObject([
      { id: "mail", sensitivity: "internal", call: "call_1" },
    ]);
  });

  it.each([
    ["a public one", label("public"), []],
    ["an untrusted public one", untrusted("public"), []],
    ["a public one with a category", label("public", "hr"), ["crm"]],
    ["one that can't be read", "?", ["crm"]],
  ])("count %s so: %j", (_, source, ids) => {
    expect(datasetsOf(play(raised(source))).map(({ id }) => id)).toEqual(ids);
  });

  it("may be called like an object's properties", () => {
    const events = [raised(label("secret"), "__proto__"), raised(label("internal"), "constructor")];
    expect(datasetsOf(play(...events)).map(({ id }) => id)).toEqual(["__proto__", "constructor"]);
  });
});

it("tells a session with private data from one without (A4)", () => {
  const states = [
    play(),
    play(raised(untrusted("public"))),
    play(raised(label("public", "hr"))),
    play(raised("?")),
  ];
  expect(states.map(holdsPrivateData)).toEqual([false, false, true, true]);
});

it("leaves the state that it moves on from as it was (law-3)", () => {
  const before = play(opened({ tools: ["a"] }), admitted("call_1", label("internal")));
  const copy = structuredClone(before);
  const events = [admitted("call_2", label("secret")), raised("?"), requested("appr_1"), refused, closed];
  for (const event of events) apply(before, event, AT);
  apply(before, { kind: "call-finished", call: "call_1", outcome: "unknown" }, AT);
  expect(before).toEqual(copy);
});
