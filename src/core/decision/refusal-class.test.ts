import { describe, expect, it } from "vitest";
import { createLabel } from "../label/label.ts";
import { definePolicy } from "../policy/policy.ts";
import { initialState } from "../state/state.ts";
import { decide } from "./decide.ts";
import type { Facts } from "./decision-context.ts";
import { isBlockedForGood } from "./flow.ts";
import { refusalClass } from "./refusal-class.ts";

const policy = definePolicy({
  tools: {
    search: { permissions: ["connect"] },
    post: { permissions: ["connect"], onViolation: "ask" },
    send: { permissions: ["connect"], to: ["to"] },
    pay: { permissions: ["write"], approval: "always" },
  },
  recipients: { "*@here.example": { level: "confidential" } },
});

const heldInternal = { ...initialState(policy.lattice), label: createLabel("internal", [], "trusted") };
const classOf = (tool: string, facts: Facts = {}) =>
  refusalClass(decide(policy, heldInternal, { tool, arguments: {} }, facts).reasons);

describe("the class of a refusal", () => {
  it("is never where the session's label shuts the tool for good, person where one may release it, retry where another recipient may have it (X24)", () => {
    expect(classOf("search")).toBe("never");
    expect(classOf("post")).toBe("person");
    expect(classOf("send")).toBe("retry");
    expect(classOf("pay")).toBe("person");
  });

  it("is the strictest of its reasons', and none of a call that is allowed (X24)", () => {
    expect(classOf("search", { faults: [{ code: "provider", message: "down" }] })).toBe("never");
    // Nobody is asked for a call that is denied.
    expect(classOf("pay", { faults: [{ code: "provider", message: "down" }] })).toBe("retry");
    expect(classOf("pay", { isProtected: true })).toBe("retry");
    expect(classOf("search", { isProtected: true })).toBe("never");
    expect(refusalClass([])).toBeNull();
  });
});

it("says of a tool that it is shut for good only where no call of it can go (X24)", () => {
  const shut = [...policy.tools.values()].filter((tool) => isBlockedForGood(policy, heldInternal, tool));
  expect(shut.map(({ name }) => name)).toEqual(["search"]);
});
