import { expect, it } from "vitest";
import { definePolicy } from "../../../core/index.ts";
import { createGate } from "../../../runtime/index.ts";
import { createMemoryStore } from "../../../stores/index.ts";
import { assertParamHeaders, assertStandardHeaders } from "./header-check.ts";

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

const code = (check: () => void): string => {
  try {
    check();
    return "passes";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "throws";
  }
};

it("checks each call of a batch (X14)", async () => {
  const session = await createGate({ policy, store: createMemoryStore() }).open();
  const call = (region: string) => ({
    method: "tools/call",
    params: { name: "query", arguments: { region } },
  });
  const headers = new Headers({ "mcp-param-region": "eu" });
  const checked = [[call("eu")], [call("eu"), call("us")], [{ method: "ping" }, call("us")]].map((body) =>
    code(() => assertParamHeaders({ session, catalog }, headers, body, { isDemanded: false })),
  );
  expect(checked).toEqual(["passes", "header-mismatch", "header-mismatch"]);
});

it("compares a name with what the method names, and with nothing else beside it (X14)", () => {
  const check = (method: string, params: object): string =>
    code(() => assertStandardHeaders(new Headers({ "mcp-name": "public" }), { method, params }));
  expect(check("tools/call", { name: "public", uri: "x" })).toBe("passes");
  expect(check("prompts/get", { name: "public" })).toBe("passes");
  expect(check("resources/read", { uri: "public", name: "x" })).toBe("passes");
  expect(check("resources/read", { uri: "secret", name: "public" })).toBe("header-mismatch");
  expect(check("resources/subscribe", { uri: "secret", name: "public" })).toBe("header-mismatch");
});
