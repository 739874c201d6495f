import { describe, expect, it } from "vitest";
import { definePolicy, tighten } from "./policy.ts";

const READ = { permissions: ["read"] };
const tool = (more: object) => ({ tools: { mail: { ...READ, ...more } } });
const why = (declared: unknown): unknown => {
  try {
    definePolicy(declared as object);
  } catch (cause) {
    const { code, why } = cause as { code?: string; why?: string };
    return code === "policy-invalid" ? why : cause;
  }
  return "taken";
};

describe("a declaration in code", () => {
  it.each([
    [undefined, "It must be an object with"],
    ["sluicegate.yaml", "and is text."],
    [Promise.resolve({}), "and is a promise."],
    [{ polices: {} }, "`polices` isn't a known key; did you mean `policy`?"],
    [
      { policy: { denied_tools: ["web"] } },
      "`policy.denied_tools` isn't a known key; did you mean `deniedTools`?",
    ],
    [{ policy: { deniedTools: "web" } }, "`policy.deniedTools` must be a list, and is text."],
    [{ policy: { allowedTools: null } }, "`policy.allowedTools` must be a list, and is null."],
    [
      { policy: { requireTags: [1] } },
      "`policy.requireTags.0` must be text that isn't empty, and is a number.",
    ],
    [tool({ approvals: "always" }), "`tools.mail.approvals` isn't a known key; did you mean `approval`?"],
    [tool({ approval: "Always" }), "and is `Always`; did you mean `always`?"],
    [
      tool({ source: "internal" }),
      "`tools.mail.source` must be an object with `level`, `categories` or `trust`, and is text.",
    ],
    [
      tool({ source: { sensitivity: "secret" } }),
      "`tools.mail.source.sensitivity` isn't a known key; the keys are",
    ],
    [tool({ source: { categories: "hr" } }), "`tools.mail.source.categories` must be a list, and is text."],
    [tool({ sink: { level: "public" } }), "`tools.mail.sink` must be a list, and is an object."],
    [
      tool({ source: { level: "intrnal" } }),
      "`tools.mail.source.level` must be `public`, `internal`, `confidential`, `secret` or `*`, and is `intrnal`; did you mean `internal`?",
    ],
    [tool({ sink: [{ level: "top" }] }), "`tools.mail.sink.0.level` must be"],
    [tool({ source: { trust: "trustd" } }), "and is `trustd`; did you mean `trusted`?"],
    [{ servers: { mail: { source: { level: "top" } } } }, "`servers.mail.source.level` must be"],
    [
      { levels: ["low"], servers: { mail: { tools: { get: { ...READ, sink: [{ level: "public" }] } } } } },
      "`low`",
    ],
    [tool({ permissions: ["conect"] }), "`tools.mail.permissions.0` must be"],
    [tool({ permissions: "connect" }), "`tools.mail.permissions` must be a list, and is text."],
    [tool({ onViolation: "warn" }), "`tools.mail.onViolation` must be `deny` or `ask`, and is `warn`."],
    [{ tools: { mail: {} } }, "`tools.mail.permissions` is missing."],
    [{ tools: [READ] }, "`tools` must be an object, and is a list."],
    [{ servers: { mail: { tool: {} } } }, "`servers.mail.tool` isn't a known key; did you mean `tools`?"],
    [
      { roles: { clerk: { denied_tools: [] } } },
      "`roles.clerk.denied_tools` isn't a known key; did you mean `deniedTools`?",
    ],
    [{ roles: { clerk: { permissions: ["reed"] } } }, "and is `reed`; did you mean `read`?"],
    [
      { roles: { clerk: { approval: { mail: "no" } } } },
      "`roles.clerk.approval.mail` must be `always` or `never`, and is `no`.",
    ],
    [{ unclassified: "allow" }, "`unclassified` must be `withhold` or `ask`, and is `allow`."],
    [{ approvals: { expires: "1h" } }, "`approvals.expires` isn't a known key"],
    [{ approvals: { waitSeconds: Number.NaN } }, "`approvals.waitSeconds` must be a number from 0 to 3600"],
    [JSON.parse('{ "tools": { "mail": { "permissions": [], "__proto__": {} } } }'), "isn't a known key"],
  ])("is refused where it says something that nobody would hear: %o (A1)", (declared, expected) => {
    expect(why(declared)).toContain(expected);
  });

  it("may leave keys out by the value undefined, and be made of any plain objects", () => {
    const bare = Object.assign(Object.create(null), READ, { source: undefined });
    expect(why({ tools: { constructor: bare }, policy: undefined })).toBe("taken");
  });

  it("may name the levels of its own, and the top", () => {
    const own = { levels: ["low", "high"], trust: ["web", "us"] };
    const labels = { source: { level: "*" }, sink: [{ level: "high", trust: "us" }] };
    expect(why({ ...own, ...tool(labels), servers: { mail: labels } })).toBe("taken");
  });

  it("is refused as what a policy is tightened by (law-4)", () => {
    const policy = definePolicy(tool({}) as object);
    for (const limit of [{ denied_tools: ["mail"] }, { deniedTools: "mail" }, "mail", undefined])
      expect(() => tighten(policy, limit as object)).toThrow(
        expect.objectContaining({ code: "policy-invalid", message: "The tool policy can't be used." }),
      );
  });
});
