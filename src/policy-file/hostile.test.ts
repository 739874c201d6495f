import { describe, expect, test } from "vitest";
import { SluicegateError } from "../errors/index.ts";
import type { Problem } from "./document/report.ts";
import { parseFiles } from "./testing/parse-files.ts";
import { parseNow } from "./testing/parse-now.ts";
import { problemsOf } from "./testing/problems-of.ts";
import { EXAMPLE } from "./testing/valid-policies.ts";

/** Ten lists, each of ten times the one before. */
function billionLaughs(): string {
  const rows = ["version: 1", "x0: &x0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]"];
  for (let row = 1; row < 10; row += 1) {
    const aliases = Array.from({ length: 10 }, () => `*x${row - 1}`);
    rows.push(`x${row}: &x${row} [${aliases.join(", ")}]`);
  }
  return `${rows.join("\n")}\n`;
}

function refusalOf(text: string): SluicegateError | null {
  try {
    parseNow(text, { file: "p.yaml", environment: { WEB_TOKEN: "hunter2" } });
    return null;
  } catch (error) {
    if (SluicegateError.isInstance(error) && error.code === "policy-invalid") return error;
    throw error;
  }
}

function hasPlace({ line, column }: Problem, lines: readonly string[]): boolean {
  const text = lines[line - 1];
  return text !== undefined && column >= 1 && column <= text.length + 1;
}

describe("a hostile file", () => {
  test("of aliases that stand for a billion words is refused at the alias that goes too far", () => {
    expect(problemsOf(billionLaughs())).toContain(
      "p.yaml:5:45: The aliases of this file stand for too many values. Write the values out.",
    );
  });

  test("of 10 MB is refused unread", () => {
    expect(problemsOf("a".repeat(10_000_000))).toEqual([
      "p.yaml:1:1: The file is larger than 1 MiB. A policy is far smaller; check that this is the right file.",
    ]);
  });

  test.each([
    ["brackets that open", "[".repeat(5000)],
    ["brackets that close", "]".repeat(5000)],
    ["dashes", "- ".repeat(5000)],
    ["question marks", "? ".repeat(5000)],
    ["anchors", "&a ".repeat(5000)],
    ["directives", "%x\n".repeat(5000)],
    ["tags", `a: [${"!x y, ".repeat(5000)}]`],
    ["aliases", `a: &a b\nc: [${"*a, ".repeat(5000)}]`],
  ])("of many %s is refused with places in it", (_, text) => {
    const problems: unknown = refusalOf(text)?.details.problems;
    expect(problems).not.toHaveLength(0);
  });

  test("of wrong names by the thousand is told in full and shown in part", () => {
    const tools = Array.from(
      { length: 3000 },
      (_, index) => `  tool_${index}: { permissions: [read], source: internel }\n`,
    );
    const error = refusalOf(`version: 1\ntools:\n${tools.join("")}`);
    expect(error?.details.problems).toHaveLength(3000);
    expect(error?.message.split("\n")).toHaveLength(26);
    expect(error?.message.split("\n").at(-1)).toBe("… and 2975 more");
  });

  test("that was cut or bent anywhere is accepted or refused with places in it, and tells no secret", () => {
    const bits = [
      `\${`,
      "}",
      "null",
      "*a",
      "\t",
      "- ",
      ": ",
      "{",
      "[",
      "'",
      '"',
      "__proto__",
      "1",
      "!x",
      "<<",
      "\n",
      "*",
    ];
    const texts = Array.from(EXAMPLE, (_, index) => index).flatMap((index) => {
      if (index % 7 !== 0) return [];
      const bit = bits[(index / 7) % bits.length] ?? "";
      return [EXAMPLE.slice(0, index), EXAMPLE.slice(0, index) + bit + EXAMPLE.slice(index)];
    });
    const wrong = texts.filter((text) => {
      const error = refusalOf(text);
      if (error === null) return false;
      // `details.problems` is what `invalidPolicy` put there.
      const problems = error.details.problems as readonly Problem[];
      const lines = text.split("\n");
      return (
        !problems.every((problem) => hasPlace(problem, lines)) ||
        JSON.stringify([error.message, problems]).includes("hunter2")
      );
    });
    expect(texts.length).toBeGreaterThan(300);
    expect(wrong).toEqual([]);
  });

  test("that another file includes is refused with places in the right one, and tells no secret", async () => {
    const dbs = `databases:
  crm: { type: sqlite, path: c.db, columns: { a.b: internal } }
  books: { type: postgres, host: h, password: "\${WEB_TOKEN}" }
apis: { tickets: { spec_source: t.json, base_url: "http://\${WEB_TOKEN}@x" } }
`;
    const bits = ["}", "null", "*a", "\t", "- ", ": ", "[", '"', "__proto__", "<<", "\n", "&a "];
    const texts = Array.from(dbs, (_, index) => index).flatMap((index) => {
      if (index % 5 !== 0) return [];
      const bit = bits[(index / 5) % bits.length] ?? "";
      return [dbs.slice(0, index), dbs.slice(0, index) + bit + dbs.slice(index)];
    });
    const wrong: string[] = [];
    for (const text of texts) {
      const files = { "p.yaml": "version: 1\ninclude: [dbs.yaml]\n", "dbs.yaml": text };
      const refusal = await parseFiles(files, { WEB_TOKEN: "hunter2" }).then(
        () => null,
        (error: unknown) => error,
      );
      if (refusal === null) continue;
      if (!SluicegateError.isInstance(refusal)) throw refusal;
      // `details.problems` is what `invalidPolicy` put there.
      const problems = refusal.details.problems as readonly Problem[];
      const places = { "p.yaml": files["p.yaml"].split("\n"), "dbs.yaml": text.split("\n") };
      const areRight = problems.every((problem) =>
        hasPlace(problem, problem.file === "p.yaml" ? places["p.yaml"] : places["dbs.yaml"]),
      );
      if (!areRight || JSON.stringify([refusal.message, problems]).includes("hunter2")) wrong.push(text);
    }
    expect(texts.length).toBeGreaterThan(80);
    expect(wrong).toEqual([]);
  });
});
