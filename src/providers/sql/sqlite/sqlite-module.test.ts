import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { loadSqlite } from "./sqlite-module.ts";

it("says which runtime to use where there is no SQLite", () => {
  expect(() => loadSqlite(() => undefined)).toThrow(
    expect.objectContaining({
      code: "usage",
      why: expect.stringContaining("need `node:sqlite`"),
      fix: "Run the program with Node 24 or later.",
    }),
  );
});

it("is loaded by that module alone, since an import by name fails without a reason", () => {
  const folder = new URL("./", import.meta.url);
  const sources = readdirSync(folder).filter((name) => /(?<!\.test|\.test-kit)\.ts$/.test(name));
  const byName = sources.filter((name) =>
    /^import (?!type )[^;]*from "node:sqlite"/m.test(readFileSync(new URL(name, folder), "utf8")),
  );
  expect(byName).toEqual([]);
});
