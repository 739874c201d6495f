import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guessTool } from "./guess-tool.ts";
import { type DescribedTool, type Proposal, rankOf } from "./proposal.ts";

const tool = (name: string, more: Partial<DescribedTool> = {}): DescribedTool => ({ name, ...more });

/** Whether a proposal lets through nothing that another stops. */
const isAsStrict = (one: Proposal, other: Proposal): boolean =>
  one.confidence === "unknown" ||
  (other.permissions.every((permission) => one.permissions.includes(permission)) &&
    rankOf(one.source?.level ?? "public") >= rankOf(other.source?.level ?? "public") &&
    one.sink === "public" &&
    (one.approval === "always" || other.approval !== "always") &&
    (one.onViolation === "deny" || other.onViolation === "ask"));

describe("a guess", () => {
  it.each([
    ["get_issue", "likely", "never"],
    ["list_commits", "likely", "never"],
    ["listPullRequestReviews", "likely", "never"],
    ["search-docs", "likely", "never"],
    ["slack_post_message", "likely", "always"],
    ["create_issue", "likely", "always"],
    ["get_or_create_label", "likely", "always"],
    ["list_and_delete", "likely", "always"],
    ["issue_delete", "likely", "always"],
    ["deploy", "likely", "always"],
    ["run_command", "doubtful", "always"],
    ["frobnicate", "unknown", "always"],
    ["", "unknown", "always"],
    ["删除", "unknown", "always"],
  ])("takes %s for %s, with approval %s", (name, confidence, approval) => {
    expect(guessTool(tool(name))).toMatchObject({ confidence, approval });
  });

  it("asks about every change, lets nothing but the lowest level out, and trusts nothing that comes in", () => {
    for (const name of ["get_x", "create_x", "delete_x", "send_x", "eval_x"]) {
      const { permissions, source, sink, approval } = guessTool(tool(name));
      expect({ name, source: source?.trust, sink }).toEqual({ name, source: "untrusted", sink: "public" });
      expect(permissions).toContain("connect");
      expect(source?.level).not.toBe("public");
      expect(approval).toBe(permissions.includes("write") ? "always" : "never");
    }
  });

  it("sees in a schema what runs, and what is saved, however it is nested", () => {
    const nested = {
      type: "object",
      properties: { list: { items: { anyOf: [{ properties: { sql: {} } }] } } },
    };
    expect(guessTool(tool("get_rows", { inputSchema: nested }))).toMatchObject({ confidence: "doubtful" });
    const saved = { type: "object", properties: { local_path: { type: "string" } } };
    expect(guessTool(tool("get_file", { inputSchema: saved })).permissions).toContain("write");
    const query = { properties: { query: { description: "A SELECT in SQL" } } };
    expect(guessTool(tool("get_rows", { inputSchema: query }))).toMatchObject({ confidence: "doubtful" });
  });

  it("takes the level of the most sensitive word", () => {
    expect(guessTool(tool("get_page")).source?.level).toBe("internal");
    expect(guessTool(tool("list_messages")).source?.level).toBe("confidential");
    expect(guessTool(tool("get_page", { title: "Salaries" })).source?.level).toBe("confidential");
    expect(guessTool(tool("get_env")).source?.level).toBe("secret");
  });

  it("calls doubtful what contradicts itself", () => {
    const says = (name: string, readOnlyHint: boolean) =>
      guessTool(tool(name, { annotations: { readOnlyHint } }));
    expect(says("get_x", false)).toMatchObject({ confidence: "doubtful", approval: "always" });
    expect(says("delete_x", true)).toMatchObject({ confidence: "doubtful", approval: "always" });
    expect(says("get_x", true)).toMatchObject({ confidence: "likely", approval: "never" });
  });

  it("never becomes laxer by what a server adds to a name (X13)", () => {
    const names = fc.constantFrom(
      "get_x",
      "list_messages",
      "create_x",
      "delete_file",
      "send",
      "run",
      "x",
      "fetch_url",
    );
    const hint = fc.option(fc.boolean(), { nil: undefined });
    const annotations = fc.record(
      {
        readOnlyHint: hint,
        destructiveHint: hint,
        openWorldHint: hint,
        idempotentHint: hint,
        title: fc.string(),
      },
      { requiredKeys: [] },
    );
    const said = fc.record({
      title: fc.constantFrom("Get", "Delete it", "Harmless", ""),
      description: fc.constantFrom(
        "Reads nothing.",
        "Deletes all.",
        "Returns passwords",
        "Only reads, trust me",
        "",
      ),
      annotations,
      inputSchema: fc.constantFrom({}, { properties: { url: {} } }, { properties: { code: {} } }),
    });
    fc.assert(
      fc.property(names, said, (name, more) => {
        const [plain, full] = [guessTool(tool(name)), guessTool(tool(name, more))];
        return plain.confidence === "unknown" || isAsStrict(full, plain);
      }),
      { numRuns: 3_000 },
    );
  });

  it("takes any description that a server may give", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.object(),
        fc.object(),
        fc.string(),
        (name, inputSchema, annotations, description) => {
          const { confidence, reasons } = guessTool({ name, inputSchema, annotations, description });
          expect(reasons.length).toBeGreaterThan(0);
          expect(["likely", "doubtful", "unknown"]).toContain(confidence);
        },
      ),
    );
    const endless: Record<string, unknown> = {};
    endless.items = endless;
    endless.properties = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`a${at}`, endless]));
    expect(guessTool(tool("get_x", { inputSchema: endless })).confidence).toBe("likely");
  });
});
