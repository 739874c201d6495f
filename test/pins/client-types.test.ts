/** The types that the console's client is checked with are those that the routes give. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { CLIENT_TYPES, clientTypes } from "../../console/scripts/client-types.ts";

it("holds the console's client to what the routes take and answer now", async () => {
  // Where this fails: `npm run client --workspace @sluicegate/console`.
  expect(await clientTypes()).toBe(readFileSync(CLIENT_TYPES, "utf8"));
});
