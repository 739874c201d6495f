import { describe, expect, test } from "vitest";
import { createReport, formatProblem } from "../document/report.ts";
import { TICKETS, TICKETS_JSON, ticketsWith } from "../testing/tickets-document.ts";
import { readApiDocument } from "./api-document.ts";

function read(text: string) {
  const report = createReport("p.yaml");
  const found = readApiDocument({ file: "t.json", text }, report);
  return { found, lines: report.problems().map(formatProblem) };
}

const YAML = `openapi: 3.1.0
info: { title: Tickets, version: "1" }
paths:
  /tickets:
    get: { operationId: listTickets, responses: { 200: { description: ok } } }
`;

describe("an API's document", () => {
  test("is read as JSON, whatever stands before its brace", () => {
    for (const text of [TICKETS_JSON, `\uFEFF\n ${TICKETS_JSON}`]) {
      const { found, lines } = read(text);
      expect(lines).toEqual([]);
      expect(found).toMatchObject({ document: TICKETS, digest: expect.stringMatching(/^sha256:/) });
    }
  });

  test("is read as YAML, with numbers as keys", () => {
    const { found, lines } = read(YAML);
    expect(lines).toEqual([]);
    expect(found).toMatchObject({
      document: { paths: { "/tickets": { get: { responses: { 200: { description: "ok" } } } } } },
      operations: [{ name: "listTickets", method: "get", path: "/tickets" }],
    });
  });

  test("can't be changed afterwards by whoever has it", () => {
    const { found } = read(YAML.replace("ok", "[a, [b]]"));
    if (found === null || !("document" in found)) throw new Error("It was not read.");
    const frozen = (value: unknown): boolean =>
      typeof value !== "object" ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(found.document)).toBe(true);
  });

  test.each([
    ["3.0.0", true],
    ["3.1.1", true],
    ["3.0.4-rc1", true],
    ["3.2.0", false],
    ["4.0.0", false],
    ["3.1", false],
    [3.1, false],
  ])("of version %j is used: %s", (openapi, isUsed) => {
    const { found } = read(ticketsWith({ openapi }));
    expect(found).toEqual(
      isUsed
        ? expect.objectContaining({ digest: expect.any(String) })
        : [
            "is of a version of OpenAPI that isn't read.",
            "Name a document that begins with `openapi: 3.0.…` or `3.1.…` and has `paths`.",
          ],
    );
  });

  test.each([
    ["Swagger 2.0", '{"swagger":"2.0","paths":{}}', "is Swagger 2.0, and only OpenAPI 3.0 and 3.1 are read."],
    ["something else", '{"name":"x"}', "isn't an OpenAPI document: it doesn't say `openapi: 3…`."],
    ["a list", "- a\n", "isn't an OpenAPI document."],
    ["text", "hello\n", "isn't an OpenAPI document."],
    ["one without paths", '{"openapi":"3.1.0","webhooks":{}}', "has no `paths`."],
    ["one whose paths are a list", '{"openapi":"3.1.0","paths":[]}', "has no `paths`."],
    [
      "one with a key that nothing can have",
      '{"openapi":"3.1.0","paths":{},"a":[{"__proto__":{}}]}',
      "has a key `__proto__`, which nothing can be called.",
    ],
    [
      "one that is nested without end",
      `{"openapi":"3.1.0","paths":{},"a":${"[".repeat(5000)}${"]".repeat(5000)}}`,
      "is nested too deeply to be read.",
    ],
    [
      "one whose paths can't be listed",
      '{"openapi":"3.1.0","paths":{"/a":{"$ref":"b.json"}}}',
      "has a path with a `$ref` to another document, which isn't followed.",
    ],
  ])("that is %s is told as a whole", (_, text, fault) => {
    const { found, lines } = read(text);
    expect(lines).toEqual([]);
    expect(Array.isArray(found) ? found[0] : found).toBe(fault);
  });

  test("that is broken is told at the place where it is", () => {
    expect(read('{\n  "openapi": 3.1.0\n}').lines).toEqual([
      "t.json:2:17: This can't be read as JSON: Expected ',' or '}' after property value.",
    ]);
    expect(read("openapi: 3.1.0\npaths: [\n").lines).toEqual([
      expect.stringMatching(/^t\.json:3:1: This can't be read as YAML: /),
    ]);
    expect(read("{").lines).toHaveLength(1);
    expect(read("").lines).toEqual([
      "t.json:1:1: The file is empty. Name a document that begins with `openapi: 3.0.…` or `3.1.…` and has `paths`.",
    ]);
  });

  test("of aliases that stand for a billion words is refused", () => {
    const rows = Array.from({ length: 10 }, (_, row) => {
      const items = Array.from({ length: 10 }, () => (row === 0 ? "lol" : `*x${row - 1}`));
      return `x${row}: &x${row} [${items.join(", ")}]`;
    });
    expect(read(`openapi: 3.1.0\npaths: {}\n${rows.join("\n")}\n`).lines[0]).toContain(
      "The aliases of this file stand for too many values.",
    );
  });

  test("that was cut or bent anywhere is used or refused, and never falls over", () => {
    const bits = ["{", "}", "[", '"', "\\", "null", ",", "__proto__", "\n", "$ref", "&a", "*a", "- "];
    for (const text of [TICKETS_JSON, YAML]) {
      for (let at = 0; at < text.length; at += 3) {
        const bit = bits[(at / 3) % bits.length] ?? "";
        for (const bent of [text.slice(0, at), text.slice(0, at) + bit + text.slice(at)]) {
          const { found, lines } = read(bent);
          expect(found !== null || lines.length > 0).toBe(true);
        }
      }
    }
  });
});
