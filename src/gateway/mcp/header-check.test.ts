import { expect, it } from "vitest";
import { definePolicy } from "../../core/index.ts";
import { createGate } from "../../session/index.ts";
import { createMemoryStore } from "../../store/index.ts";
import { assertParamHeaders } from "./header-check.ts";

const inputSchema = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } };
const catalog = { definitionOf: () => ({ name: "query", inputSchema }) };
const policy = definePolicy({
  servers: { db: { tools: { query: { permissions: ["read"] }, list: { permissions: ["read"] } } } },
  roles: { clerk: { tools: ["list"] } },
});

it("asks a header of a tool that the session sees, and tells of no other (X14, B2)", async () => {
  const gate = createGate({ policy, store: createMemoryStore() });
  const check = (session: Awaited<ReturnType<typeof gate.open>>, name: string): string => {
    const body = { method: "tools/call", params: { name, arguments: { region: "eu" } } };
    try {
      assertParamHeaders({ session, catalog }, new Headers(), body, { isDemanded: true });
      return "passes";
    } catch {
      return "refused";
    }
  };
  const narrowed = [await gate.open({ tools: ["list"] }), await gate.open({ role: "clerk" })];
  expect(check(await gate.open(), "query")).toBe("refused");
  for (const session of narrowed) {
    for (const name of ["query", "db__query", "mcp__db__query", "nothing"])
      expect([name, check(session, name)]).toEqual([name, "passes"]);
  }
});
