import { describe, expect, it } from "vitest";
import { APPROVAL_CHANNELS, type ApprovalsDeclaration, toApprovalRules } from "./approval-rules.ts";
import { definePolicy } from "./policy.ts";

describe("the rules for approvals", () => {
  it("are an hour to answer, 50 seconds to hold, and no answer by the client, unless a policy says otherwise", () => {
    const rules = {
      via: ["console", "terminal"],
      expiresSeconds: 3600,
      waitSeconds: 50,
      approvers: 1,
      own: true,
    };
    expect(toApprovalRules()).toEqual(rules);
    expect(definePolicy({}).approvals).toEqual(rules);
    expect(APPROVAL_CHANNELS).toEqual(["console", "terminal", "client"]);
  });

  it.each<ApprovalsDeclaration>([
    { via: [] },
    { via: ["client"] },
    { expiresSeconds: 1 },
    { expiresSeconds: 604_800 },
    { waitSeconds: 0 },
    { waitSeconds: 3600 },
  ])("may be %o", (declared) => {
    expect(toApprovalRules(declared)).toMatchObject(declared);
  });

  it.each([
    { via: ["mail"] },
    { via: ["console", "constructor"] },
    { expiresSeconds: 0 },
    { expiresSeconds: 604_801 },
    { expiresSeconds: Number.NaN },
    { expiresSeconds: Number.POSITIVE_INFINITY },
    { expiresSeconds: "60" },
    { waitSeconds: -1 },
    { waitSeconds: 3601 },
    { waitSeconds: Number.NaN },
  ])("may not be %o", (declared) => {
    // Code without types may say anything.
    const given = declared as ApprovalsDeclaration;
    expect(() => definePolicy({ approvals: given })).toThrow(
      expect.objectContaining({ code: "policy-invalid" }),
    );
  });

  it("are a copy, and frozen", () => {
    const via: ("console" | "client")[] = ["console"];
    const rules = toApprovalRules({ via });
    via.push("client");
    expect(rules.via).toEqual(["console"]);
    expect([rules, rules.via, APPROVAL_CHANNELS].every(Object.isFrozen)).toBe(true);
  });
});
