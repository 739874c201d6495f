import { afterEach, expect, it } from "vitest";
import { closeAll, documentOf, openApi, operationOf } from "./openapi.test-kit.ts";

afterEach(closeAll);

it("has its later operations left out, with the reason, where all of them are expensive to read", async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 70 }, (_, field) => [`field_${field}`, { type: "string" }]),
  );
  const schemas = Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [`S${at}`, { type: "object", properties }]),
  );
  const paths = Array.from({ length: 2_000 }, (_, index) => {
    const allOf = Array.from({ length: 40 }, (__, at) => ({
      $ref: `#/components/schemas/S${(index * 7 + at * 13) % 100}`,
    }));
    const requestBody = { content: { "application/json": { schema: { allOf } } } };
    return [`/p${index}`, { post: operationOf([], { operationId: `op${index}`, requestBody }) }];
  });
  const document = documentOf(Object.fromEntries(paths), { components: { schemas } });
  const provider = await openApi(document, { baseUrl: "http://127.0.0.1:1" });
  expect(provider.leftOut.get("op0")).toBe("The schema of its input is too large.");
  expect(provider.leftOut.get("op1999")).toBe("Reading its document took too many steps before it was read.");
  expect(provider.status).toBe("down");
});
