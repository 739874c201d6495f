import { describe, expect, it } from "vitest";
import { definePolicy } from "../core/index.ts";
import { createGate as createGateWithMemory } from "../index.ts";
import { createMemoryStore } from "../stores/index.ts";
import { currentCall, withSession } from "./current-session.ts";
import { createGate } from "./gate.ts";
import { addPrivateDataset, markSessionPrivate, resolvePermissions } from "./seed-api/private-data.ts";
import {
  declarePermissions,
  enforceToolPermission,
  filterToolsByPermission,
} from "./seed-api/tool-permissions.ts";

const policy = definePolicy({
  tools: {
    read: { permissions: ["read"] },
    pay: { permissions: ["write"], approval: "always" },
    web: { permissions: ["connect"] },
  },
});
const store = createMemoryStore();
// Code without types may say anything.
const gate: any = createGate({ policy, store });
const session: any = await gate.open();
const ran: string[] = [];
const run = (): void => void ran.push("ran");

/** What a mistake is told: the error's own words, whether it is thrown or comes by a promise. */
async function told(make: () => unknown): Promise<string> {
  try {
    await make();
  } catch (cause) {
    const { message, why, fix } = cause as { message: string; why?: string; fix?: string };
    return [message, why, fix].join(" ");
  }
  return "taken";
}

describe("a gate", () => {
  it.each<[unknown, string]>([
    [undefined, "`policy` is missing."],
    [{ policy: Promise.resolve(policy) }, "and is a promise. Put `await` before what gives it."],
    [
      { policy: "sluicegate.yaml" },
      "`policy` must be a policy from `loadPolicy` or `definePolicy`, and is text.",
    ],
    [{ policy: { tools: {} } }, "and is an object."],
    [{ policy, toolPolicys: {} }, "`toolPolicys` isn't a known key; did you mean `toolPolicy`?"],
    [{ policy, toolPolicy: { denied_tools: ["web"] } }, "did you mean `deniedTools`?"],
    [{ policy, toolPolicy: { deniedTools: "web" } }, "must be a list, and is text."],
    [{ policy, store: "sluicegate.db" }, "`store` must be a store, such as"],
    [{ policy, digestKey: "secret" }, "`digestKey` must be 16 bytes or more, and is text."],
    [{ policy, facts: {} }, "`facts` must be a function, and is an object."],
    [{ policy, approvalSeconds: "60" }, "`approvalSeconds` must be a number from 0, and is text."],
    [{ policy, toolPolicy: new Map([["deniedTools", ["web"]]]) }, "and is an instance of `Map`."],
    [{ policy, toolPolicy: Object.create({ deniedTools: ["web"] }) }, "`toolPolicy` must be an object with"],
    [{ policy, toolPolicy: null }, "`toolPolicy` must be an object with"],
    [{ policy, toolPolicy: false }, "`toolPolicy` must be an object with"],
    [{ policy, toolPolicy: "" }, "`toolPolicy` must be an object with"],
    [
      { policy, toolPolicy: { deniedTools: [""] } },
      "`toolPolicy.deniedTools.0` must be text that isn't empty",
    ],
  ])("isn't made of what protects nothing: %o", async (options, expected) => {
    expect(await told(() => createGateWithMemory(options as any))).toContain(expected);
  });

  it("takes no other policy than a compiled one", async () => {
    expect(await told(() => gate.usePolicy(Promise.resolve(policy)))).toContain("and is a promise.");
    expect(gate.policy).toBe(policy);
  });

  it.each<[unknown, string]>([
    [{ princpal: "ada" }, "`princpal` isn't a known key; did you mean `principal`?"],
    [{ principal: "" }, "`principal` must be text that isn't empty"],
    [{ permissions: ["reed"] }, "and is `reed`; did you mean `read`?"],
    [{ permissions: "read" }, "`permissions` must be a list or a set, and is text."],
    [{ tools: "read" }, "`tools` must be a list, and is text."],
    [
      { toolPolicy: { deniedTools: ["web"] } },
      "`toolPolicy` isn't a known key; did you mean `toolPolicies`?",
    ],
    [{ toolPolicies: { deniedTools: ["web"] } }, "`toolPolicies` must be a list, and is an object."],
    [{ toolPolicies: [{ denied_tools: ["web"] }] }, "did you mean `deniedTools`?"],
  ])("opens no session by %o", async (options, expected) => {
    expect(await told(() => gate.open(options))).toContain(expected);
  });

  it.each<[unknown, string]>([
    [{ answer: "no", by: "grace" }, "`answer` must be `approved` or `denied`, and is `no`."],
    [{ answer: "yes", by: "grace" }, "and is `yes`."],
    [{ answer: "Denied", by: "grace" }, "and is `Denied`; did you mean `denied`?"],
    [{ answer: false, by: "grace" }, "and is a boolean."],
    [{ answer: null, by: "grace" }, "and is null."],
    [{ answer: "approved" }, "`by` is missing."],
    [{ answer: "approved", by: "" }, "`by` must be text that isn't empty"],
    [{ answer: "approved", by: "grace", via: "mail" }, "`via` must be"],
    [{ answer: "approved", by: "grace", reason: "ok" }, "`reason` isn't a known key"],
    ["approved", "must be an object with"],
  ])("takes no answer that is neither a yes nor a no, and the approval goes on waiting: %o (law-7)", async (given, expected) => {
    const own = await gate.open();
    const asked = await own.call({ tool: "pay" }, run);
    expect(await told(() => gate.answerApproval(asked.approval.id, given))).toContain(expected);
    expect((await gate.approval(asked.approval.id)).outcome).toBeUndefined();
    expect((await own.journal()).map(({ kind }: { kind: string }) => kind)).not.toContain(
      "approval-answered",
    );
  });
});

describe("a session", () => {
  it.each<[string, () => unknown, string]>([
    [
      "a call with `args`",
      () => session.call({ tool: "read", args: { a: 1 } }, run),
      "`args` isn't a known key",
    ],
    [
      "a call by a name alone",
      () => session.call("read", run),
      "must be an object with `tool` or `arguments`",
    ],
    [
      "arguments that are text",
      () => session.call({ tool: "read", arguments: "a" }, run),
      "`arguments` must be",
    ],
    [
      "arguments that are awaited",
      () => session.call({ tool: "read", arguments: Promise.resolve({}) }, run),
      "promise",
    ],
    ["nothing to run", () => session.call({ tool: "read" }), "`run` must be a function, and is undefined."],
    [
      "a wait in words",
      () => session.call({ tool: "read" }, run, { waitSeconds: "5" }),
      "`waitSeconds` must be",
    ],
    ["another wait", () => session.decide([{ tool: "read" }], { wait: 5 }), "`wait` isn't a known key"],
    ["a run's `toolPolicy`", () => session.run({ toolPolicy: {} }, run), "did you mean `toolPolicies`?"],
    ["a run's visibility by a function", () => session.run({ visibility: run }, run), "`visibility` must be"],
    [
      "a run's permissions in one word",
      () => session.run({ permissions: "read" }, run),
      "a list or a set, and is text",
    ],
    [
      "a fork's `deniedTools`",
      () => session.fork({ deniedTools: ["web"] }),
      "`deniedTools` isn't a known key",
    ],
    ["a fork's tool policy", () => session.fork({ toolPolicy: { deniedTools: "web" } }), "must be a list"],
    ["a data set without a level", () => session.addDataset("payroll"), "`label` must be an object with"],
    [
      "a data set with another key",
      () => session.addDataset("p", { sensitivity: "secret" }),
      "`label.sensitivity` isn't",
    ],
    ["a data set without a name", () => session.addDataset(undefined, "secret"), "`id` must be text"],
    ["a report with another id", () => session.report({ call_id: "c" }), "did you mean `callId`?"],
    [
      "a report with a level",
      () => session.report({ callId: "c", label: "secret" }),
      "`label` must be an object",
    ],
    [
      "a base in one word",
      () => withSession(session, () => resolvePermissions("connect" as any)),
      "a list or a set",
    ],
    [
      "a seed's level",
      () => withSession(session, () => addPrivateDataset("p", { level: 3 } as any)),
      "`label.level` must",
    ],
    ["a seed's mark", () => withSession(session, () => markSessionPrivate(3 as any)), "`label` must be"],
  ])("refuses %s, and holds what it held", async (_, make, expected) => {
    const before = (await session.journal()).length;
    expect(await told(make)).toContain(expected);
    expect([ran, (await session.journal()).length]).toEqual([[], before]);
  });

  it.each([
    "secret",
    { sensitivity: "secret" },
    undefined,
  ])("refuses a raise by %o in a tool", async (label) => {
    const own = await gate.open();
    const raise = () => currentCall()?.raise(label as any);
    expect(await told(() => own.call({ tool: "read" }, raise))).toContain("The session can't be raised.");
  });

  it("takes any iterable of permissions and of tools, one that can be gone through once too (B2)", async () => {
    const names = new Map([["read", 1]]);
    const seen = await session.run({ tools: names.keys(), permissions: new Set(["read"]) }, (view: any) =>
      view.tools.map(({ name }: { name: string }) => name),
    );
    expect(seen).toEqual(["read"]);
  });
});

describe("the current session", () => {
  it.each<[string, () => unknown, string]>([
    ["a promise of one", () => gate.session(session.id), "is a promise. Put `await` before"],
    ["the id of one", () => session.id, "is text"],
    ["an object that is none", () => ({}), "is an object"],
    ["a gate", () => gate, "is a gate. Open a session"],
    ["a session that there isn't", () => null, "is null"],
  ])("can't be %s: a missing session is never taken for a clean one (A3)", async (_, make, expected) => {
    const post = enforceToolPermission(
      declarePermissions(() => "posted", ["connect"]),
      () => resolvePermissions(["read", "connect"]),
    );
    expect(await told(() => withSession(make() as any, post))).toContain(expected);
  });
});

describe("facts of a call", () => {
  const callWith = async (facts: unknown) => {
    const faults: any[] = [];
    const own = await createGateWithMemory({
      policy,
      facts: (async () => facts) as any,
      onFault: (cause) => faults.push(cause),
    }).open();
    const { effect, reasons } = await own.preview({ tool: "web" });
    return [effect, reasons.map(({ code }) => code), faults.map(({ why }) => why)];
  };

  it.each<[unknown, string]>([
    [{ granted: [] }, "`facts.granted` isn't a known key"],
    [{ visible: new Set() }, "`facts.visible` isn't a known key"],
    [{ ask: ["outside-workspace"] }, "`facts.ask` isn't a known key; did you mean `asks`?"],
    [{ protected: true }, "`facts.protected` isn't a known key"],
    [{ isProtected: "yes" }, "`facts.isProtected` must be true or false"],
    [{ asks: ["no-such-cause"] }, "`facts.asks.0` must be"],
    [{ faults: { code: "provider", message: "x" } }, "`facts.faults` must be a list"],
    [{ source: "secret" }, "`facts.source` must be an object"],
    [{ source: { level: "secret" } }, "is missing"],
    [{ examined: { asks: [] } }, "`facts.examined.targets` is missing"],
    [null, "and is null"],
    [undefined, "and is undefined"],
    ["deny", "and is text"],
  ])("of another shape are a fault, which denies: %o", async (facts, expected) => {
    expect(await callWith(facts)).toEqual(["deny", ["fault"], [expect.stringContaining(expected)]]);
  });

  it("that fit are heard", async () => {
    const source = { level: "public", categories: [], trust: "trusted" };
    const examined = { asks: [], targets: [{ path: "/a", content: null }], told: source, checked: new Map() };
    expect(await callWith({})).toEqual(["allow", [], []]);
    expect(await callWith({ definition: "hash", source, examined, faults: [] })).toEqual(["allow", [], []]);
    expect(await callWith({ asks: ["outside-workspace"] })).toEqual(["ask", ["approval-required"], []]);
  });
});

describe("permissions of a function", () => {
  it.each([
    [["network"]],
    [["Connect"]],
    ["connect"],
    [undefined],
    [[undefined]],
  ])("can't be declared as %o: it would need nothing (A1)", async (given) => {
    const fn = (): string => "ran";
    expect(await told(() => declarePermissions(fn, given as any))).toContain(
      "The permissions can't be used.",
    );
    // Nobody has declared it, so it needs everything.
    expect(await told(() => enforceToolPermission(fn, [])())).toContain("it needs read, write, connect");
  });

  it("can't be declared by an iterator of other words, and is by one of these (A1)", async () => {
    const fn = (): string => "ran";
    for (const given of [
      ["network"].values(),
      (function* () {
        yield "Connect";
      })(),
    ] as any[])
      expect(await told(() => declarePermissions(fn, given))).toContain("The permissions can't be used.");
    expect(await told(() => enforceToolPermission(fn, [])())).toContain("it needs read, write, connect");
    declarePermissions(fn, (["connect"] as const).values());
    expect(await told(() => enforceToolPermission(fn, [])())).toContain("it needs connect");
  });

  it("can't be granted by what is no list of them", async () => {
    const fn = declarePermissions(() => "ran", ["connect"]);
    expect(await told(() => enforceToolPermission(fn, ["conect"] as any))).toContain(
      "did you mean `connect`?",
    );
    expect(await told(() => filterToolsByPermission([fn], "connect" as any))).toContain("and is text.");
    expect(await told(() => enforceToolPermission("fn" as any, []))).toContain("`tool` must be a function");
  });
});
