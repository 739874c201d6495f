import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { type Call, createLabel, lookUp, type PlanCheck } from "../../core/index.ts";
import { createGate, definePolicy } from "../../index.ts";
import type { CallFacts } from "./call-facts.ts";

const policy = definePolicy({
  tools: {
    query: { permissions: ["read"], source: { level: "secret" }, sourceBound: "most" },
    web_search: { permissions: ["connect"], sink: [{ level: "public" }] },
  },
});
const PUBLIC = createLabel("public", [], "trusted");

async function openWith(facts: (call: Call) => CallFacts) {
  const asked: string[] = [];
  const gate = createGate({
    policy,
    facts: (call) => {
      asked.push(lookUp(policy, call.tool).tool?.name ?? "");
      return facts(call);
    },
  });
  return { session: await gate.open({ principal: "ada" }), asked };
}

const reading = (sql: string) => ({ tool: "query", arguments: { sql } });

it("knows what a planned query would bring in before anything runs (C5, X11-call)", async () => {
  const { session, asked } = await openWith(({ arguments: args }) =>
    args?.sql === "SELECT status FROM orders"
      ? { examined: { asks: [], targets: [], source: PUBLIC } }
      : { examined: { asks: [], targets: [] } },
  );
  const open = await session.examinePlan([reading("SELECT status FROM orders"), "web_search"]);
  expect(open).toMatchObject({ valid: true, steps: [{ raises: null }, { effect: "allow" }] });
  const secret = await session.examinePlan([reading("SELECT name FROM customers"), "web_search"]);
  expect(secret).toMatchObject({ valid: false, steps: [{ dependsOnArguments: true }, { effect: "deny" }] });
  expect(asked).toEqual(["query", "query"]);
  expect(session.state.calls).toBe(0);
});

it("takes a call at its worst where nothing can be found out, and where its arguments aren't given (C5)", async () => {
  const { session } = await openWith(() => {
    throw new Error("no answer");
  });
  const { steps } = await session.examinePlan([reading("SELECT 1"), "query"]);
  expect(steps.map(({ raises }) => raises?.level)).toEqual(["secret", undefined]);
});

it("believes no label that the plan itself brings, and asks nothing of a tool that the run doesn't see (C5)", async () => {
  const { session, asked } = await openWith(() => ({ examined: { asks: [], targets: [], source: PUBLIC } }));
  const forged = { tool: "query", arguments: { sql: 1n } as never, source: PUBLIC };
  for (const call of [forged, { tool: "query", source: PUBLIC }]) {
    const { steps } = await session.examinePlan([call]);
    expect(steps[0]?.raises?.level).toBe("secret");
  }
  const blind = await session.run({ tools: ["web_search"] }, (view) =>
    view.examinePlan([reading("SELECT 1")]),
  );
  expect(blind.violations[0]?.code).toBe("unknown-tool");
  expect(asked).toEqual([]);
});

it("asks about a hundred calls of a plan at most (C5)", async () => {
  const { session, asked } = await openWith(() => ({ examined: { asks: [], targets: [], source: PUBLIC } }));
  const { steps } = await session.examinePlan(Array(120).fill(reading("SELECT 1")));
  expect(asked).toHaveLength(100);
  expect(steps.filter(({ dependsOnArguments }) => dependsOnArguments)).toHaveLength(20);
});

it("tells a plan nothing of names that the session doesn't hold yet (C5)", async () => {
  const told = createLabel("secret", [], "trusted");
  const { session } = await openWith(() => ({ examined: { asks: [], targets: [], source: PUBLIC, told } }));
  const raises = async () => (await session.examinePlan([reading("SELECT 1")])).steps[0]?.raises?.level;
  expect(await raises()).toBe("secret");
  await session.addDataset("names", "secret");
  expect(await raises()).toBeUndefined();
  expect((await session.examinePlan([reading("SELECT 1")])).steps[0]?.dependsOnArguments).toBeUndefined();
});

it("has each check in a turn of the event loop of its own, however many are asked for at once (C5)", async () => {
  const { session } = await openWith(() => ({}));
  let turn = 0;
  let isOver = false;
  const count = async (): Promise<void> => {
    for (; !isOver; turn += 1) await nextTurn();
  };
  const counted = count();
  const turns = await Promise.all(
    Array.from({ length: 5 }, () => session.examinePlan(["web_search"]).then(() => turn)),
  );
  isOver = true;
  await counted;
  expect(new Set(turns).size).toBe(5);
});

const desk = definePolicy({
  servers: {
    mail: { tools: { search: { permissions: ["read"] }, send: { permissions: ["connect"] } } },
    files: { tools: { write: { permissions: ["write"] } } },
  },
  tools: { pay: { permissions: ["write"], approval: "always" } },
});

const openDesk = async (facts: (call: Call) => CallFacts) => {
  const gate = createGate({ policy: desk, facts });
  return { gate, session: await gate.open({ principal: "ada" }) };
};
const codesOf = ({ violations }: PlanCheck) => violations.map(({ atStep, code }) => [atStep, code]);

it("knows that a server can't be called now, with arguments and without (law-6)", async () => {
  const faults = [{ code: "provider", message: "down" }] as const;
  const { session } = await openDesk(({ tool }) =>
    lookUp(desk, tool).tool?.server === "mail" ? { faults } : {},
  );
  const check = await session.examinePlan([
    "search",
    "mail__send",
    "write",
    { tool: "search", arguments: {} },
  ]);
  expect(codesOf(check)).toEqual([
    [0, "fault"],
    [1, "fault"],
    [3, "fault"],
  ]);
});

it("knows what a provider asks, keeps from everybody or doesn't know of a call (law-6, C5)", async () => {
  const found: Readonly<Record<string, CallFacts>> = {
    ".git/config": { examined: { asks: ["git-folder"], targets: [] } },
    key: { examined: { asks: [], targets: [], isProtected: true } },
    odd: { unknownArgument: { argument: "mode", near: null } },
  };
  const { session } = await openDesk(({ arguments: args }) => found[String(args?.path)] ?? {});
  const check = await session.examinePlan(
    ["plain", ".git/config", "key", "odd"].map((path) => ({ tool: "write", arguments: { path } })),
  );
  expect(codesOf(check)).toEqual([
    [2, "protected-path"],
    [3, "unknown-argument"],
  ]);
  expect(check.approvals.map(({ atStep }) => atStep)).toEqual([1]);
});

it("knows of a person's no that still counts, for that very call alone (law-6)", async () => {
  const { gate, session } = await openDesk(() => ({}));
  const call = { tool: "pay", arguments: { amount: 1 } };
  const [asked] = await session.decide([call]);
  await gate.answerApproval(asked?.approval?.id ?? "", { answer: "denied", by: "ada" });
  const check = await session.examinePlan([call, { tool: "pay", arguments: { amount: 2 } }, "pay"]);
  expect(codesOf(check)).toEqual([[0, "approval-denied"]]);
  expect(check.approvals.map(({ atStep }) => atStep)).toEqual([1, 2]);
});

it("lets a session and its forks have so many checks waiting, and others have theirs meanwhile", async () => {
  const gate = createGate({ policy });
  const flood = await gate.open({ principal: "ada" });
  const fork = await flood.fork({ sharesLabel: true });
  const victim = await gate.open({ principal: "bob" });
  const checks = Array.from({ length: 100 }, (_, index) => (index % 2 ? flood : fork).examinePlan(["query"]));
  const settled = Promise.allSettled(checks);
  expect(await victim.examinePlan(["web_search"])).toMatchObject({ valid: true });
  const refused = (await settled).filter(({ status }) => status === "rejected");
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toMatchObject({ reason: { code: "limit-reached" } });
  expect(await flood.examinePlan(["query"])).toMatchObject({ valid: true });
});

it("evaluates each condition once where nobody has said no (C5)", async () => {
  let evaluated = 0;
  const holds = (): boolean => {
    evaluated += 1;
    return false;
  };
  const pay = { permissions: ["write"], approval: { when: "args.n > 1", holds } } as const;
  const gate = createGate({ policy: definePolicy({ tools: { pay } }) });
  const session = await gate.open({ principal: "ada" });
  await session.examinePlan(Array(10).fill({ tool: "pay", arguments: { n: 1 } }));
  expect(evaluated).toBe(10);
});
