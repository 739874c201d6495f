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
    rankOf(one.sink ?? "secret") <= rankOf(other.sink ?? "secret") &&
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

  it.each([
    "create_x",
    "delete_x",
    "send_x",
    "eval_x",
  ])("lets nothing but the lowest level into %s, trusts nothing that comes out, and asks where no argument says what for", (name) => {
    const { permissions, source, sink, approval, onViolation } = guessTool(tool(name));
    expect({ sink, approval, onViolation }).toEqual({
      sink: "public",
      approval: "always",
      onViolation: "ask",
    });
    expect(permissions).toContain("connect");
    expect(source).toEqual({ level: "internal", trust: "untrusted" });
  });

  it("lets a read be asked with its own server's data, unless it takes an address or a text (X13-useful)", () => {
    const asks = (name: string, ...names: readonly string[]) => {
      const properties = Object.fromEntries(names.map((one) => [one, { type: "string" }]));
      const { permissions, sink } = guessTool(tool(name, { inputSchema: { properties } }));
      return [permissions.join(), sink];
    };
    expect(asks("search_files", "query")).toEqual(["read", "internal"]);
    expect(asks("list_messages", "query")).toEqual(["read", "confidential"]);
    expect(asks("get_env", "name")).toEqual(["read", "confidential"]);
    expect(asks("get_page", "url")).toEqual(["read,connect", "public"]);
    expect(asks("validate_document", "content")).toEqual(["read,connect", "public"]);
  });

  it.each<[string, Readonly<Record<string, unknown>>, Partial<Proposal>]>([
    [
      "send_email",
      { recipients: { items: { type: "string" } }, subject: {}, body: {}, urgent: { type: "boolean" } },
      {
        approval: "never",
        to: ["recipients"],
        critical: ["recipients"],
        payload: ["subject", "body", "urgent"],
      },
    ],
    [
      "create_page",
      { parent: {}, title: {}, content: {} },
      { approval: "never", critical: ["parent", "title"], isDestructive: false },
    ],
    [
      "add_rows",
      { args: { properties: { id: { type: "number" }, colour: { enum: ["red"] } } } },
      { critical: ["args.args.id"], payload: ["args.args.colour"] },
    ],
    [
      "post_items",
      { list: { items: { properties: { to: {}, text: {} } } } },
      { to: ["list[].to"], payload: ["list[].text"] },
    ],
    ["create_user", { username: {}, apiToken: {} }, { approval: "always" }],
    ["update_file", { path: {}, content: {} }, { approval: "always", critical: ["path"] }],
    ["delete_file", { path: {} }, { approval: "always", critical: ["path"] }],
    [
      "assign_ticket",
      { ticket: { type: "integer" }, amount: { type: "number" } },
      { critical: ["ticket"], payload: ["amount"] },
    ],
    [
      "post_items",
      { channel: {}, message: { $ref: "#/$defs/message" } },
      { critical: ["channel", "message"] },
    ],
    [
      "post_items",
      { channel: {}, body: { anyOf: [{ type: "string" }, { type: "object" }] } },
      { critical: ["channel", "body"] },
    ],
    [
      "post_items",
      { channel: {}, body: { anyOf: [{ type: "string" }, { type: "null" }] } },
      { payload: ["body"] },
    ],
    ["create_x", { text: {} }, { approval: "always" }],
    ["create_x", { path: {}, "to[]": {} }, { approval: "always" }],
  ])("sees which arguments of %s say whom or what it is for (X13-useful)", (name, properties, expected) => {
    expect(guessTool(tool(name, { inputSchema: { properties } }))).toMatchObject(expected);
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
        const { inputSchema } = more;
        const [plain, full] = [guessTool(tool(name, { inputSchema })), guessTool(tool(name, more))];
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
