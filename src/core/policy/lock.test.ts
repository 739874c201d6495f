import { describe, expect, it } from "vitest";
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
