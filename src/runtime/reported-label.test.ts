import { expect, it } from "vitest";
import { definePolicy, type Policy } from "../core/index.ts";
import { createMemoryStore } from "../stores/index.ts";
import { createGate, type Session } from "./index.ts";

const tools = { read: { permissions: ["read"] } } as const;

async function reporting(policy: Policy, categories: readonly string[]): Promise<Session> {
  const session = await createGate({ policy, store: createMemoryStore() }).open();
  const [{ callId } = expect.fail()] = await session.decide([{ tool: "read" }]);
  await session.report({ callId, label: { level: "internal", categories } });
  return session;
}

it("takes no category from an agent that the policy doesn't declare, and raises nothing by it (A4)", async () => {
  const policy = definePolicy({ tools, categories: ["hr", "customer:acme"] });
  expect((await reporting(policy, ["hr"])).label).toMatchObject({ level: "internal", categories: ["hr"] });
  await expect(reporting(policy, ["hr", "made-up"])).rejects.toMatchObject({
    code: "invalid-request",
    message: "The label names a category that the policy doesn't have.",
    why: "It has hr, customer:acme.",
  });
  const open = definePolicy({ tools });
  expect((await reporting(open, ["made-up"])).label.categories).toEqual(["made-up"]);
});
