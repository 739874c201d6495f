import { expect, it } from "vitest";
import { bottomLabel, createLabel, definePolicy, isWithin, type Label } from "../../core/index.ts";
import { NewlyBlocked } from "./newly-blocked.ts";

const { lattice, tools } = definePolicy({
  tools: {
    post: { permissions: ["connect"] },
    read: { permissions: ["read"], source: { level: "internal" } },
    pr: { permissions: ["connect"], sink: [{ level: "internal" }] },
    ask: { permissions: ["connect"], onViolation: "ask" },
    either: { permissions: ["connect"], sink: [{ level: "public" }, { level: "secret", trust: "trusted" }] },
    post_again: { permissions: ["connect"] },
    mail: { permissions: ["connect"], to: ["to"] },
    hr: { permissions: ["connect"], sink: [{ level: "internal", categories: ["hr"] }] },
  },
});

const LABELS: readonly Label[] = [
  bottomLabel(lattice),
  createLabel("public", [], "untrusted"),
  createLabel("internal", [], "trusted"),
  createLabel("internal", ["hr"], "untrusted"),
  createLabel("secret", ["hr"], "untrusted"),
  createLabel("*", ["*"], "untrusted"),
];

it("names the tools that were open and are shut, in their order, those that a person may release too", () => {
  const seen = [...tools.values()];
  const shutTools = new NewlyBlocked(lattice, seen);
  expect(shutTools.between(bottomLabel(lattice), createLabel("internal", [], "trusted"))).toEqual([
    "post",
    "ask",
    "post_again",
  ]);
  expect(shutTools.between(bottomLabel(lattice), createLabel("internal", [], "trusted"), 2)).toEqual([
    "post",
    "ask",
  ]);
  for (const before of LABELS) {
    for (const after of LABELS) {
      const shut = seen.filter(
        (tool) => isWithin({ lattice, label: before }, tool) && !isWithin({ lattice, label: after }, tool),
      );
      expect(shutTools.between(before, after)).toEqual(shut.map(({ name }) => name));
    }
  }
});
