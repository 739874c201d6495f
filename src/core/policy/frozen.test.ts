import { describe, expect, it } from "vitest";
import { copy } from "./frozen.ts";
import { definePolicy, type Policy, tighten, withAllOffered } from "./policy.ts";

const open = definePolicy({
  servers: { mail: { tools: { search: { permissions: ["read"] }, send: { permissions: ["write"] } } } },
  tools: { "mcp__mail__x*": { permissions: ["read"] } },
  roles: { reader: { tools: ["search"], deniedTools: ["send"], requireTags: [] } },
  policy: { deniedTools: ["send"] },
});
const policies: readonly (readonly [string, Policy])[] = [
  ["as defined", open],
  ["tightened", tighten(open, { allowedTools: ["search"], requireTags: ["t"] })],
  [
    "that knows what servers offer",
    withAllOffered(open, [{ server: "mail", tools: ["search", "send"], changed: ["send"] }]),
  ],
];

/** Every map, set and array that can be reached, by its path. */
function containersOf(value: unknown, path: string, seen = new Set<unknown>()): [string, object][] {
  if (typeof value !== "object" || value === null || seen.has(value)) return [];
  seen.add(value);
  const inner = value instanceof Map ? [...value] : value instanceof Set ? [...value] : Object.entries(value);
  const parts = inner.flatMap((part, at) =>
    Array.isArray(part)
      ? containersOf(part[1], `${path}.${part[0]}`, seen)
      : containersOf(part, `${path}.${at}`, seen),
  );
  return [[path, value], ...parts];
}

describe.each(policies)("A policy %s", (_title, policy) => {
  it("can't be changed in any of its parts while it runs (law-4)", () => {
    const containers = containersOf(policy, "policy");
    expect(containers.filter(([, part]) => !Object.isFrozen(part)).map(([path]) => path)).toEqual([]);
    const kept = containers.filter(([, part]) => part instanceof Map || part instanceof Set);
    expect(kept.length).toBeGreaterThan(8);
    for (const [path, part] of kept) {
      const open: any = part;
      const before = [...open];
      const changes = [
        () => (open instanceof Map ? open.set("wire", {}) : open.add("wire")),
        () => open.delete(before[0]?.[0] ?? "search"),
        () => open.clear(),
      ];
      for (const change of changes) expect(change, path).toThrow(TypeError);
      expect([...open], path).toEqual(before);
    }
  });
});

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
