/** The adapter for plain functions. */
import { describe, expect, it } from "vitest";
import { guard } from "../../src/adapters/functions.ts";
import { createGate, createMemoryStore, definePolicy } from "../../src/index.ts";
import { describeAdapter } from "../cases/adapter.case.ts";
import { openOffice } from "../cases/adapter-office.ts";
import { functions } from "./functions-driver.ts";

it.each<[string, (office: any) => unknown, unknown, string]>([
  ["a gate", ({ gate }) => gate, {}, "the one that was given is a gate"],
  ["a session that isn't awaited", ({ gate }) => gate.open(), {}, "is a promise"],
  ["nothing", () => undefined, {}, "is undefined"],
  ["an option that there isn't", ({ session }) => session, { waitSecond: 5 }, "did you mean `waitSeconds`?"],
])("says at once that tools can't be guarded by %s", async (_, source, options, why) => {
  const office = await openOffice();
  const given: any = source(office);
  expect(() => guard(given, {}, options as object)).toThrow(
    expect.objectContaining({ code: "invalid-request", why: expect.stringContaining(why) }),
  );
});

it("says at once that a tool's name is probably misspelt, and leaves alone what resembles none (law-5)", async () => {
  const { session } = await openOffice();
  const run = async (): Promise<void> => {};
  expect(() => guard(session, { read_mial: run })).toThrow(
    expect.objectContaining({
      code: "invalid-tool",
      why: expect.stringContaining("did you mean `read_mail`?"),
    }),
  );
  // Both are there, so neither is a slip; the policy doesn't know the second, which is refused when it is called.
  const { read_mails } = guard(session, { read_mail: run, read_mails: run, unlike_any: run });
  await expect(read_mails()).rejects.toMatchObject({ code: "permission-denied" });
});

it.each([
  ["withhold", "read_file", "raed_file", "refused"],
  ["withhold", "create_user", "createUser", "refused"],
  ["withhold", "create_user", "create_usr", "refused"],
  ["ask", "create_user", "create_usr", "warned"],
  ["ask", "web_search", "web_fetch", "warned"],
  ["withhold", "web_search", "web_fetch", "warned"],
  ["withhold", "list_issues", "get_issues", "warned"],
  ["withhold", "get_user", "get_users", "warned"],
  ["withhold", "get_users", "get_user", "warned"],
  ["withhold", "search_docs", "search_doc", "warned"],
  ["withhold", "get_item", "set_item", "warned"],
  ["withhold", "step_of_1", "step_of_2", "warned"],
  ["withhold", "sum", "sub", "warned"],
  ["withhold", "read_mail", "unlike_any", "guarded"],
] as const)("where the policy would %s, has `%s` and `%s` is guarded, that is %s (law-5)", async (unclassified, has, given, expected) => {
  const warnings: unknown[] = [];
  const policy = definePolicy({ tools: { [has]: { permissions: ["read"] } }, unclassified });
  const gate = createGate({ policy, store: createMemoryStore(), onFault: (cause) => warnings.push(cause) });
  const session = await gate.open();
  const guarding = (): unknown => guard(session, { [given]: async (): Promise<void> => {} });
  const told = expect.objectContaining({ code: "invalid-tool", details: { tool: given, near: has } });
  if (expected === "refused") expect(guarding).toThrow(told);
  else expect(guarding()).toHaveProperty(given);
  expect(warnings).toEqual(expected === "warned" ? [told] : []);
});

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
