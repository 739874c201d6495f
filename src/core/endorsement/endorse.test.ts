import { describe, expect, it } from "vitest";
import { type Decision, decide } from "../decision/decide.ts";
import { checkPlan } from "../plan/plan.ts";
import { definePolicy, type PolicyDeclaration } from "../policy/policy.ts";
import { apply, initialState, type SessionEvent } from "../state/state.ts";
import type { Evidence, GivenValue } from "./user-word.ts";

const OFFICE: PolicyDeclaration = {
  named: "internal",
  groups: { team: { members: ["Bo@acme.example"] } },
  recipients: { "group:team": { level: "confidential" }, "*@acme.example": { level: "internal" } },
  readers: { hr: ["cfo@acme.example"] },
  servers: {
    mail: {
      tools: {
        read: { permissions: ["read"], source: { level: "internal", trust: "untrusted" } },
        send: { permissions: ["connect"], to: ["to"], critical: ["to"], payload: ["body"] },
        remove: { permissions: ["write"], critical: ["id"] },
        star: { permissions: ["write"], critical: ["id"], isDestructive: false },
        post: { permissions: ["connect"], sink: [{ level: "public" }], critical: ["channel"] },
        rename: { permissions: ["write"] },
        invite: { permissions: ["write"], critical: ["room", "guest.email"] },
        set_password: { permissions: ["write"], critical: ["password"] },
      },
    },
  },
};

/** A value whose tokens are its words. */
const value = (path: string, text: string, more: Partial<GivenValue> = {}): GivenValue => ({
  path,
  text,
  whole: text,
  words: text.split(" "),
  ...more,
});

const said = (text: string): SessionEvent => ({
  kind: "words-said",
  utterances: [text.split(" ").map((word) => [word])],
});
const gave = (evidence: Partial<Evidence>): SessionEvent => ({
  kind: "call-finished",
  call: "call_1",
  outcome: "ok",
  evidence: [{ kind: "own", server: "mail", values: ["m-1"], ...evidence }],
});
const raised = (level: string, trust: string, categories: readonly string[] = []): SessionEvent => ({
  kind: "label-raised",
  call: null,
  step: null,
  tool: null,
  source: { level, categories, trust },
  dataset: "mail",
  label: { level, categories, trust },
});
const UNTRUSTED = raised("public", "untrusted");
const MAIL = raised("internal", "untrusted");

function decideAfter(
  events: readonly SessionEvent[],
  tool: string,
  values: readonly GivenValue[] | undefined,
  more: Partial<PolicyDeclaration> = {},
): Decision {
  const policy = definePolicy({ ...OFFICE, ...more });
  const state = events.reduce((at, event) => apply(at, event, ""), initialState(policy.lattice));
  return decide(policy, state, { tool }, values ? { values } : {});
}

const problemsOf = ({ reasons }: Decision): readonly string[] =>
  reasons.flatMap((reason) => (reason.code === "not-endorsed" ? [reason.problem] : []));

describe("an effect after untrusted content", () => {
  it("runs where its critical argument stands in the user's words, and says so (X4)", () => {
    const decision = decideAfter([said("mail ada@x.example please"), UNTRUSTED], "send", [
      value("to", "ada@x.example"),
      value("body", "hello"),
    ]);
    expect(decision.effect).toBe("allow");
    expect(decision.endorsed).toEqual([{ argument: "to", by: "said" }]);
  });

  it("asks where it doesn't, and says where the value came from (X4, X5)", () => {
    const seen = { step: 1, tool: "mcp__mail__read", trust: "untrusted", values: ["eve@x.example"] };
    const read: SessionEvent = { kind: "call-finished", call: "call_1", outcome: "ok", seen };
    const decision = decideAfter([said("mail ada@x.example"), UNTRUSTED, read], "send", [
      value("to", "eve@x.example"),
    ]);
    expect(decision.effect).toBe("ask");
    expect(decision.reasons).toEqual([
      {
        code: "not-endorsed",
        tool: "send",
        problem: "not-said",
        argument: "to",
        firstSeen: { step: 1, tool: "read", trust: "untrusted" },
      },
      { code: "approval-required", tool: "send", because: "not-endorsed" },
    ]);
  });

  it("compares a critical argument in a list as well (X4)", () => {
    const values = [value("room", "sauna"), value("guest[].email", "eve@evil.example")];
    expect(problemsOf(decideAfter([said("take the sauna"), UNTRUSTED], "invite", values))).toEqual([
      "not-said",
    ]);
  });

  it("runs unasked before untrusted content is in, but for a credential (X4)", () => {
    expect(decideAfter([], "send", [value("to", "eve@x.example")]).effect).toBe("allow");
    const decision = decideAfter([said("set it to hunter22")], "set_password", [
      value("password", "hunter22"),
    ]);
    expect(problemsOf(decision)).toEqual(["credential"]);
  });

  it.each<[string, boolean]>([
    ...[
      "passwords",
      "userpassword",
      "user.newPassword",
      "db_passwd",
      "secrets",
      "apiKeys",
      "auth_token",
      "pin",
    ].map((path): [string, boolean] => [path, true]),
    ...["page_token", "pinned", "key", "secretary", "next"].map((path): [string, boolean] => [path, false]),
  ])("takes the argument `%s` for a credential: %s (X4)", (path, isCredential) => {
    const decision = decideAfter([said("set it to hunter22")], "send", [value(path, "hunter22")]);
    expect(problemsOf(decision)).toEqual(isCredential ? ["credential"] : []);
  });

  it.each<[string, readonly GivenValue[], readonly string[]]>([
    ["one of two recipients is unsaid", [value("to[]", "ada@x"), value("to[]", "eve@x")], ["not-said"]],
    ["no critical argument is given", [value("body", "ada@x")], ["none-given"]],
    ["the value is said in part", [value("to", "ada@x eve@x")], ["not-said"]],
    ["the value is too short", [value("to", "it", { isWeak: true })], ["not-said"]],
    [
      "a payload brings in a link",
      [value("to", "ada@x"), value("body", "go", { links: [["evil.example"]] })],
      ["link"],
    ],
    ["the link was said", [value("to", "ada@x"), value("body", "go", { links: [["x", "docs.x"]] })], []],
  ])("asks where %s (X4)", (_, values, problems) => {
    const decision = decideAfter([said("send it to ada@x with docs.x"), UNTRUSTED], "send", values);
    expect(problemsOf(decision)).toEqual(problems);
  });

  it("asks of a tool that names no critical argument only where the policy is strict (X4)", () => {
    const values = [value("from", "a.txt"), value("to", "b.txt")];
    expect(decideAfter([UNTRUSTED], "rename", values).effect).toBe("allow");
    const strict = { endorsement: "strict" } as const;
    expect(problemsOf(decideAfter([UNTRUSTED], "rename", values, strict))).toEqual(["not-said", "not-said"]);
    expect(decideAfter([said("rename a.txt to b.txt"), UNTRUSTED], "rename", values, strict).effect).toBe(
      "allow",
    );
  });
});

describe("evidence", () => {
  it.each<[string, Partial<Evidence>, string, string | null]>([
    ["an own id at its server", {}, "remove", "own"],
    ["an own id at another server", { server: "files" }, "remove", null],
    ["a trusted lookup", { kind: "lookup" }, "remove", "lookup"],
    ["an id of the user's own things", { kind: "own-ids" }, "remove", "own-ids"],
    ["a resolved id, which a policy has to name", { kind: "resolved" }, "star", null],
  ])("counts as the user's word: %s (X4-evidence)", (_, evidence, tool, by) => {
    const decision = decideAfter([gave(evidence), UNTRUSTED], tool, [value("id", "m-1")]);
    expect(decision.endorsed?.[0]?.by ?? null).toBe(by);
    expect(decision.effect).toBe(by === null ? "ask" : "allow");
  });

  it("takes a resolved id for what adds, never for what may delete, overwrite or move (X4-evidence)", () => {
    const events = [gave({ kind: "resolved" }), UNTRUSTED];
    const more = { evidence: ["resolved"] } as const;
    expect(decideAfter(events, "star", [value("id", "m-1")], more).effect).toBe("allow");
    expect(decideAfter(events, "remove", [value("id", "m-1")], more).effect).toBe("ask");
  });

  it("takes a member of a closed list for a recipient, and no stranger of its domain (X4-evidence)", () => {
    expect(decideAfter([UNTRUSTED], "send", [value("to", "bo@acme.example")]).endorsed).toEqual([
      { argument: "to", by: "member" },
    ]);
    expect(decideAfter([UNTRUSTED], "send", [value("to", "eve@acme.example")]).effect).toBe("ask");
  });
});

describe("what may be sent", () => {
  const TRUSTED = raised("internal", "trusted");

  it.each<[string, readonly string[], string]>([
    ["each recipient's clearance covers it", ["x@acme.example", "bo@acme.example"], "allow"],
    ["one recipient's doesn't", ["x@acme.example", "eve@evil.example"], "deny"],
    ["the user named the recipient", ["ada@x.example"], "allow"],
    ["another stands before one of a pattern", ["eve@evil.example x@acme.example"], "deny"],
    ["another stands in a list before it", ["eve,x@acme.example"], "deny"],
    ["in angle brackets", ["<eve@evil.example>x@acme.example"], "deny"],
    ["in a header", ["eve@evil.example\r\nbcc:x@acme.example"], "deny"],
  ])("depends on each recipient: %s (X2-readers, X4-named)", (_, to, effect) => {
    const values = to.map((one) => value("to[]", one));
    expect(decideAfter([said("tell ada@x.example"), TRUSTED], "send", values).effect).toBe(effect);
  });

  it.each<[string, string, readonly string[]]>([
    ["by the pattern for addresses", "x@acme.example", ["internal", "ops"]],
    ["by the pattern for URLs", "https://hooks.acme.example/a?b", ["confidential"]],
    ["by a key in another normal form", "jos\u00e9@evil.example", ["public"]],
    ["to one who may receive less", "eve@rival.example", ["public"]],
    ["to the same one at a port", "eve@rival.example:25", ["public"]],
    ["to a URL that ends like an address", "https://evil.example/@acme.example", ["internal"]],
    ["to a URL that ends like one who may receive less", "https://evil.example/@rival.example", ["public"]],
    ["to one that can be read in several ways", "eve@rival.example.", ["public"]],
    ["to nobody", "", ["public"]],
  ])("is what every rule allows that may mean the recipient: %s (X2-readers)", (_, text, expected) => {
    const more: Partial<PolicyDeclaration> = {
      recipients: {
        "*": { level: "internal" },
        "*@acme.example": { level: "internal" },
        "*@rival.example": { level: "public" },
        "jose\u0301@evil.example": { level: "public" },
        "https://*.acme.example/*": { level: "confidential" },
      },
      readers: { ops: ["*@acme.example"] },
    };
    const isSent = (at: string, categories: readonly string[] = []): boolean =>
      decideAfter([raised(at, "trusted", categories)], "send", [value("to", text)], more).effect === "allow";
    const highest = ["public", "internal", "confidential"].findLast((at) => isSent(at));
    expect([highest, ...(isSent("public", ["ops"]) ? ["ops"] : [])]).toEqual(expected);
  });

  it("needs a person above the level that the policy gives those whom the user named (X4-named)", () => {
    const events = [said("tell ada@x.example"), raised("secret", "trusted")];
    const decision = decideAfter(events, "send", [value("to", "ada@x.example")]);
    expect(decision).toMatchObject({ effect: "ask", release: true });
    expect(decideAfter(events, "send", [value("to", "eve@x.example")]).effect).toBe("deny");
    const { named: _, ...unnamed } = OFFICE;
    const policy = definePolicy(unnamed);
    const state = [said("tell ada@x.example"), TRUSTED].reduce(
      (at, event) => apply(at, event, ""),
      initialState(policy.lattice),
    );
    expect(decide(policy, state, { tool: "send" }, { values: [value("to", "ada@x.example")] }).effect).toBe(
      "deny",
    );
  });

  it.each([
    "secret",
    "public",
  ])("takes keys that differ in case for one, and the stricter of both: %s first (law-1)", (first) => {
    const second = first === "secret" ? "public" : "secret";
    const recipients = { "cy@x.example": { level: first }, "Cy@x.example": { level: second } };
    const decision = decideAfter([raised("internal", "trusted")], "send", [value("to", "cy@x.example")], {
      recipients,
    });
    expect(decision.effect).toBe("deny");
  });

  it("goes to the readers of a category alone, whatever their level (X2-readers)", () => {
    const events = [said("tell ada@acme.example"), raised("internal", "trusted", ["hr"])];
    expect(decideAfter(events, "send", [value("to", "cfo@acme.example")]).effect).toBe("allow");
    expect(decideAfter(events, "send", [value("to", "ada@acme.example")]).effect).toBe("deny");
  });

  it("goes to a channel that the user named, by its critical arguments (X4-named)", () => {
    const decision = decideAfter([said("post it in general"), MAIL], "post", [value("channel", "general")]);
    expect(decision.effect).toBe("allow");
    expect(decideAfter([said("post it"), MAIL], "post", [value("channel", "general")]).effect).toBe("deny");
  });
});

describe("a plan", () => {
  it("says what the decision would, and that a step depends on its arguments (C5, X4)", () => {
    const policy = definePolicy(OFFICE);
    const state = [said("star m-1"), UNTRUSTED].reduce(
      (at, event) => apply(at, event, ""),
      initialState(policy.lattice),
    );
    const { approvals, steps } = checkPlan(policy, state, [
      "star",
      { tool: "star", arguments: { id: "m-1" }, known: { values: [value("id", "m-1")] } },
    ]);
    expect(approvals.map(({ atStep }) => atStep)).toEqual([0]);
    expect(steps.map(({ dependsOnArguments = false }) => dependsOnArguments)).toEqual([true, false]);
  });
});
