/** The adapter for plain functions. */
import { describe, expect, it } from "vitest";
import { guard } from "../../src/adapters/functions.ts";
import { describeAdapter } from "../cases/adapter.case.ts";
import { openOffice } from "../cases/adapter-office.ts";
import { functions } from "./functions-driver.ts";

describeAdapter(functions);

describe("the adapter for plain functions", () => {
  it("throws a refusal as an error that says what was decided, and what may be done (A2)", async () => {
    const office = await openOffice();
    const { pay, web_search, read_mail } = guard(office.session, {
      pay: async ({ amount }: { amount: number }) => `paid ${amount}`,
      read_mail: async () => "mail",
      web_search: async (query: string, most: number) => `${most} hits for ${query}`,
    });
    expect(await web_search("q3", 2)).toBe("2 hits for q3");
    expect(await read_mail()).toBe("mail");
    await expect(web_search("q3", 2)).rejects.toMatchObject({
      code: "permission-denied",
      message: expect.stringContaining("Tool `web_search` is blocked in this session."),
      details: { tool: "web_search", reasons: ["flow-blocked"], approval: null },
    });
    const asked = await pay({ amount: 5 }).catch((cause) => cause);
    expect(asked).toMatchObject({ code: "approval-needed", details: { reasons: ["approval-required"] } });
    await office.gate.answerApproval(asked.details.approval, { answer: "approved", by: "grace" });
    expect(await pay({ amount: 5 })).toBe("paid 5");
    expect([pay.name, web_search.name]).toEqual(["pay", "web_search"]);
  });
});
