import { describe, expect, it } from "vitest";
import {
  apply,
  createLabel,
  definePolicy,
  initialState,
  type Label,
  type Policy,
  type SessionState,
  toLimit,
  visibleTools,
} from "../../core/index.ts";
import { heightOf, toGauge } from "./gauge.ts";

const POLICY = definePolicy({
  levels: ["public", "internal", "secret"],
  servers: {
    a: {
      tools: {
        post: { permissions: ["connect"] },
        tweet: { permissions: ["connect"], onViolation: "ask" },
        mail: { permissions: ["connect"], sink: [{ level: "internal" }] },
        trusted_mail: { permissions: ["connect"], sink: [{ level: "internal", trust: "trusted" }] },
        either: {
          permissions: ["connect"],
          sink: [{ level: "public" }, { level: "secret", categories: ["hr"] }],
        },
        vault: { permissions: ["write"], sink: [{ level: "*", categories: ["*"] }] },
        nowhere: { permissions: ["connect"], sink: [] },
        read: { permissions: ["read"] },
      },
    },
  },
  roles: { poster: { tools: ["post", "read"] } },
});

const stateAt = (
  label: Label | null,
  parts: Partial<SessionState> = {},
  policy: Policy = POLICY,
): SessionState => {
  const clean = { ...initialState(policy.lattice), ...parts };
  return label === null
    ? clean
    : apply(
        clean,
        { kind: "label-raised", call: null, step: null, tool: null, source: label, dataset: "d", label },
        "2026-11-22T10:00:00.000Z",
      );
};

const short = (state: SessionState, policy = POLICY) => {
  const { level, gates } = toGauge(policy, state);
  return [
    level,
    ...gates.map(
      ({ height, shut, releasable, tools, names }) =>
        `${height} ${shut ? "shut" : "open"}${releasable ? " releasable" : ""} ${tools}: ${names.join(",")}`,
    ),
  ];
};

const INTERNAL = createLabel("internal", [], "untrusted");

describe("A session's gauge", () => {
  it("has the gates of the tools that send out, each at its highest level, lowest first", () => {
    expect(short(stateAt(null))).toEqual([
      0,
      "0 shut 1: nowhere",
      "0 open 1: post",
      "0 open releasable 1: tweet",
      "1 open 2: mail,trusted_mail",
      "2 open 1: either",
      "3 open 1: vault",
    ]);
  });

  it("has shut what the label may not go to, also at one height with what is open", () => {
    expect(short(stateAt(INTERNAL))).toEqual([
      1,
      "0 shut 2: post,nowhere",
      "0 shut releasable 1: tweet",
      "1 shut 1: trusted_mail",
      "1 open 1: mail",
      "2 open 1: either",
      "3 open 1: vault",
    ]);
  });

  it("stands above all levels where nobody has classified what came in", () => {
    expect(short(stateAt(createLabel("*", ["*"], "untrusted")))[0]).toBe(3);
    expect(short(stateAt(createLabel("unheard", [], "untrusted")))[0]).toBe(3);
  });

  it("has the gates of the tools that the session sees, and a closed one those that it had", () => {
    expect(short(stateAt(null, { role: "poster" }))).toEqual([0, "0 open 1: post"]);
    expect(short(stateAt(null, { role: "gone" }))).toEqual([0]);
    const narrowed = stateAt(INTERNAL, { tools: new Set(["mcp__a__mail"]) });
    expect(short(narrowed)).toEqual([1, "1 open 1: mail"]);
    const closed = stateAt(INTERNAL, { tools: new Set(["mcp__a__mail", "mcp__a__post"]), closed: true });
    expect(short(closed)).toEqual([1, "0 shut 1: post", "1 open 1: mail"]);
  });

  it("is the same whether its tools are given or found, and whichever session was measured before", () => {
    for (const label of [null, INTERNAL, createLabel("secret", ["hr"], "trusted")]) {
      for (const role of [null, "poster"]) {
        const state = stateAt(label, { role });
        expect(toGauge(POLICY, state)).toEqual(toGauge(POLICY, state, visibleTools(POLICY, state)));
      }
    }
  });

  it("names the first tools of a gate in the policy's order", () => {
    const tools = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [
        `t${at}`,
        { permissions: ["connect"] as const, sink: [{ level: "public", categories: at % 2 ? ["x"] : [] }] },
      ]),
    );
    const policy = definePolicy({ servers: { a: { tools } } });
    const [gate] = toGauge(policy, stateAt(null, {}, policy)).gates;
    expect(gate).toMatchObject({ tools: 20, names: ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"] });
  });

  it("is measured once for all sessions alike, however many tools there are", () => {
    const tools = Object.fromEntries(
      Array.from({ length: 2000 }, (_, at) => [`tool_${at}`, { permissions: ["connect"] as const }]),
    );
    const policy = definePolicy({ servers: { many: { tools } } });
    const narrowed = new Set(policy.tools.keys());
    const gauges = Array.from({ length: 1000 }, (_, at) =>
      toGauge(policy, stateAt(at % 2 ? INTERNAL : null, at % 3 ? {} : { tools: narrowed }, policy)),
    );
    expect(new Set(gauges).size).toBe(4);
  });
});

it("has no gate shut whose recipients say what it may receive, beside one that its label shuts", () => {
  const tools = {
    post: { permissions: ["connect"] },
    send: { permissions: ["connect"], to: ["to"] },
  } as const;
  const state = stateAt(createLabel("internal", [], "trusted"));
  expect(short(state, definePolicy({ tools }))).toEqual([1, "0 shut 1: post", "0 open 1: send"]);
});

it("says of a tool how high a level it may receive, and of one that sends nothing out that it has no height", () => {
  const { lattice } = POLICY;
  const heights = ["post", "mail", "either", "vault", "nowhere", "read"].map((name) => {
    const tool = POLICY.tools.get(`mcp__a__${name}`);
    return tool && heightOf(lattice, tool);
  });
  expect(heights).toEqual([0, 1, 2, 3, 0, null]);
});

it("has no gate that a fork's own tool policy took away, however its parent was shown before", () => {
  const parent = stateAt(null);
  const all = short(parent);
  const fork = stateAt(null, { limits: [toLimit({ deniedTools: ["post", "tweet"] })] });
  expect(short(fork)).toEqual(all.filter((gate) => !/: (post|tweet)/.test(String(gate))));
  expect(short(parent)).toEqual(all);
});
