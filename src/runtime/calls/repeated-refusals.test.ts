import { expect, it } from "vitest";
import { createGate, definePolicy, type Session } from "../../index.ts";
import { describeRefusal } from "../approvals/worded-reasons.ts";

const policy = definePolicy({
  tools: {
    read_mail: { permissions: ["read"], source: { level: "internal" } },
    read_hr: { permissions: ["read"], source: { level: "confidential" } },
    web_search: { permissions: ["connect"] },
    pay: { permissions: ["write"], approval: "always" },
  },
});
const createPlace = () => createGate({ policy });

const told = async (session: Session, tool: string): Promise<string> => {
  const [decision] = await session.decide([{ tool }]);
  return decision === undefined ? "" : describeRefusal(decision);
};

it("tells a refusal that a session has heard in one short sentence, its reasons as before (X24)", async () => {
  const session = await createPlace().open();
  await session.decide([{ tool: "read_mail" }]);
  const [first, second] = await session.decide([{ tool: "web_search" }, { tool: "web_search" }]);
  expect(first).not.toHaveProperty("repeated");
  expect(second).toMatchObject({
    class: "never",
    reasons: first?.reasons,
    repeated:
      "Tool `web_search` is blocked in this session, as before: go on without it, or use another tool.",
  });
  expect(second && describeRefusal(second)).toBe(second?.repeated);
});

it("tells another reason, and another session, in full (X24)", async () => {
  const gate = createPlace();
  const [session, other] = [await gate.open(), await gate.open()];
  for (const one of [session, other]) await one.decide([{ tool: "read_mail" }]);
  const whole = await told(session, "web_search");
  expect(await told(other, "web_search")).toBe(whole);
  await session.decide([{ tool: "read_hr" }]);
  expect(await told(session, "web_search")).toContain("`read_hr` (call 3) loaded confidential data");
  expect(await told(session, "web_search")).toContain(", as before: ");
});

it("tells what waits for a person in full each time, and a preview counts for nothing (X24)", async () => {
  const session = await createPlace().open();
  expect(await told(session, "pay")).toBe(await told(session, "pay"));
  await session.decide([{ tool: "read_mail" }]);
  await session.preview({ tool: "web_search" });
  expect(await told(session, "web_search")).not.toContain("as before");
});

it("tells a refusal that depends on the arguments in full for other ones (X24)", async () => {
  const facts = () => ({ isProtected: true as const });
  const session = await createGate({ policy, facts }).open();
  const [first, other, again] = await session.decide(
    ["a", "b", "a"].map((path) => ({ tool: "read_mail", arguments: { path } })),
  );
  expect([first, other].map((one) => one?.repeated)).toEqual([undefined, undefined]);
  expect(again).toMatchObject({
    class: "retry",
    repeated: "Tool `read_mail` is refused, as before: change the call first, as was said.",
  });
});

it("remembers the last few of a session alone (X24)", async () => {
  const session = await createPlace().open();
  const first = await told(session, "there_is_no_such_tool_as_this_one_in_any_session_of_this_policy");
  for (let at = 0; at < 40; at += 1) await told(session, `nothing_${at}`);
  expect(await told(session, "there_is_no_such_tool_as_this_one_in_any_session_of_this_policy")).toBe(first);
});
