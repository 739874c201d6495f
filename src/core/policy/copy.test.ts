import { describe, expect, it } from "vitest";
import { copy } from "./copy.ts";
import { definePolicy } from "./policy.ts";

describe("a copy of a declaration", () => {
  it("holds the same, the functions themselves among it, and shares nothing else", () => {
    const holds = (): boolean => true;
    const given = { tools: { pay: { approval: { when: "true", holds }, tags: ["a", null, 5, undefined] } } };
    const copied = copy(given);
    expect(copied).toEqual(given);
    expect(copied.tools.pay.approval.holds).toBe(holds);
    expect(copied.tools).not.toBe(given.tools);
    expect(copied.tools.pay.tags).not.toBe(given.tools.pay.tags);
  });

  it("is frozen to its depths, and leaves what it was made from as it was", () => {
    const given = { a: [{ b: { c: [1] } }] };
    const copied = copy(given);
    const parts = [copied, copied.a, copied.a[0], copied.a[0]?.b, copied.a[0]?.b.c];
    expect(parts.every(Object.isFrozen)).toBe(true);
    expect([given, given.a, given.a[0]].some(Object.isFrozen)).toBe(false);
  });

  it("takes a key called like a prototype for a key", () => {
    const given = JSON.parse('{"__proto__": {"polluted": true}}');
    const copied = copy(given);
    expect(Object.keys(copied)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(copied)).toBe(Object.prototype);
    expect(copied.polluted).toBeUndefined();
  });

  it.each([null, undefined, 5, "text", true])("of %o is that", (value) => {
    expect(copy(value)).toBe(value);
  });

  it("keeps a policy from following its declaration, in what it asks about too", () => {
    const approval = { when: "false", holds: (): boolean => true };
    const policy = definePolicy({ tools: { pay: { permissions: [], approval } } });
    const { holds } = approval;
    approval.holds = () => false;
    expect(policy.tools.get("pay")?.approval).toEqual({ when: "false", holds });
    expect(Object.isFrozen(policy.tools.get("pay")?.approval)).toBe(true);
  });
});

describe("a condition that can't be one", () => {
  class Condition {
    readonly when = "true";
    holds(): boolean {
      return true;
    }
  }

  it.each<[string, unknown]>([
    ["has no text", { holds: () => true }],
    ["has nothing to ask", { when: "true" }],
    ["is another word", "sometimes"],
    ["is nothing", null],
    ["would lose its method in the copy", new Condition()],
  ])("makes the policy invalid where it %s", (_, approval) => {
    const tools = { pay: { permissions: [], approval: approval as never } };
    expect(() => definePolicy({ tools })).toThrow(expect.objectContaining({ code: "policy-invalid" }));
  });

  it("nor is another word for what happens to a blocked flow", () => {
    const tools = { pay: { permissions: [], onViolation: "allow" as never } };
    expect(() => definePolicy({ tools })).toThrow(expect.objectContaining({ code: "policy-invalid" }));
  });
});
