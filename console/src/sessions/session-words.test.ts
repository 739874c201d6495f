import { describe, expect, it } from "vitest";
import { counted, describeTools, fitsTool, stateOfTool, wordApproval } from "./session-words.ts";

describe("wordApproval", () => {
  const approval = { id: "appr_1", answered_by: null, via: null, why: null, ended_at: null };

  it("says who answered, and how", () => {
    const answered = { ...approval, status: "approved", answered_by: "operator", via: "console" } as const;
    expect(wordApproval(answered)).toEqual({ before: "Approved by", after: ", in the console" });
  });

  it("says nothing of a person where none answered", () => {
    expect(wordApproval({ ...approval, status: "expired" })).toEqual({ before: "Expired", after: "" });
    expect(wordApproval({ ...approval, status: "pending" }).before).toBe("Waits for a person");
  });
});

describe("words of figures and tools", () => {
  it("count in one and many, with thousands", () => {
    expect([counted(1, "session"), counted(1_000, "session"), counted(0, "call")]).toEqual([
      "1 session",
      "1,000 sessions",
      "0 calls",
    ]);
  });

  it("say whether what the session holds may go to a tool", () => {
    expect(stateOfTool({ blocked: false, releasable: true })).toBe("open");
    expect(stateOfTool({ blocked: true, releasable: false })).toBe("shut");
    expect(stateOfTool({ blocked: true, releasable: true })).toBe("shut, a person may release");
    expect(describeTools([{ blocked: true }, { blocked: false }])).toBe("2 tools, 1 shut");
    expect(describeTools([{ blocked: false }])).toBe("1 tool, all open");
  });

  it("find a tool by its name or server", () => {
    const tool = { name: "Send_Mail", server: "outside" };
    expect(fitsTool(tool, " mail ")).toBe(true);
    expect(fitsTool(tool, "OUT")).toBe(true);
    expect(fitsTool({ ...tool, server: null }, "out")).toBe(false);
  });
});
