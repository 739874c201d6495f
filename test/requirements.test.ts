/** Holds the list of requirements against the tests that cite them. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { REQUIREMENTS } from "./requirements.ts";

const ROOT = resolve(import.meta.dirname, "..");
const CITATION =
  /\(((?:[A-EX]\d{1,2}|law-\d{1,2})(?:-[a-z]+)?(?:, (?:(?:[A-EX]\d{1,2}|law-\d{1,2})(?:-[a-z]+)?))*)\)["'`]/g;

const cited = new Map<string, string[]>();
for (const folder of ["src", "spec", "test", "examples", "demo", "bench", "bypass"]) {
  for (const file of readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })) {
    if (!/\.(test|case)\.ts$/.test(file) || file.includes("node_modules")) continue;
    for (const [, ids = ""] of readFileSync(join(ROOT, folder, file), "utf8").matchAll(CITATION)) {
      for (const id of ids.split(", ")) cited.set(id, [...(cited.get(id) ?? []), `${folder}/${file}`]);
    }
  }
}

describe("the requirements", () => {
  it("are each cited by a test, once they are built", () => {
    const uncited = Object.entries(REQUIREMENTS).filter(([id, { planned }]) => !planned && !cited.has(id));
    expect(uncited.map(([id]) => id)).toEqual([]);
  });

  it("are cited by no test while they are planned", () => {
    const early = Object.entries(REQUIREMENTS).filter(([id, { planned }]) => planned && cited.has(id));
    expect(early.map(([id]) => [id, cited.get(id)])).toEqual([]);
  });

  it("are the only ids that tests cite", () => {
    expect([...cited].filter(([id]) => !Object.hasOwn(REQUIREMENTS, id))).toEqual([]);
  });
});
