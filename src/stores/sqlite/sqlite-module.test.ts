import { expect, it } from "vitest";
import { loadSqlite } from "./sqlite-module.ts";

it("says which runtime to use where there is no SQLite", () => {
  expect(() => loadSqlite(() => undefined)).toThrow(
    expect.objectContaining({
      code: "store-failed",
      why: expect.stringContaining("needs `node:sqlite`"),
      fix: "Run the program with Node 24 or later.",
    }),
  );
});
