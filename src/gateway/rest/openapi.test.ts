import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { toOpenApi } from "./openapi.ts";
import { defineOperatorRoute, wholeNumber } from "./route.ts";
import { ROUTES } from "./routes.ts";

const CONSOLE = resolve(import.meta.dirname, "../../../console");
/** What checks OpenAPI documents comes with what makes the console's client of ours. */
const loadChecker = (): any => {
  const maker = createRequire(join(CONSOLE, "package.json")).resolve("openapi-typescript");
  return createRequire(maker)("@redocly/openapi-core");
};

/** The document as a client gets it. */
const documentOf = (routes: Parameters<typeof toOpenApi>[0]): any =>
  JSON.parse(JSON.stringify(toOpenApi(routes, "1.2.3")));

const problemsOf = async (document: object): Promise<string[]> => {
  const { createConfig, lintFromString } = loadChecker();
  const config = await createConfig({
    rules: { struct: "error", "no-unresolved-refs": "error" },
  });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  return problems.map(
    ({ message, location: [{ pointer }] }: { message: string; location: [{ pointer: string }] }) =>
      `${pointer}: ${message}`,
  );
};

const references = (value: unknown): string[] => {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "$ref" && typeof inner === "string" ? [inner] : references(inner),
  );
};

describe("the OpenAPI document", () => {
  it("is OpenAPI 3.1", async () => {
    expect(await problemsOf(documentOf(ROUTES))).toEqual([]);
  });

  it("is held to that by a checker that finds what is wrong", async () => {
    const document = documentOf(ROUTES);
    document.paths["/v1/session"].post.responses[201].content["application/json"].schema.$ref =
      "#/components/schemas/Nowhere";
    document.paths["/readyz"].get.parameters = "none";
    const problems = await problemsOf(document);
    expect(problems.join("\n")).toMatch(/parameters: Expected type/);
    expect(problems.join("\n")).toMatch(/resolve/i);
  });

  it("has every schema that it refers to, and no other", () => {
    const document = documentOf(ROUTES);
    const named = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect([...new Set(references(document))].sort()).toEqual(named.sort());
  });

  it("tells what each query parameter means: a number is one, though it comes as text", () => {
    const route = defineOperatorRoute(
      {
        method: "GET",
        path: "/v1/things",
        summary: "Things",
        query: z.strictObject({
          status: z.enum(["new", "old"]).default("new"),
          limit: wholeNumber(100, 500).meta({ description: "How many." }),
          needed: z.string().max(9),
        }),
        answers: { 200: { description: "They", schema: z.string() } },
      },
      async () => ({ status: 200, body: "" }),
    );
    expect(documentOf([route]).paths["/v1/things"].get.parameters).toEqual([
      {
        name: "status",
        in: "query",
        required: false,
        schema: { type: "string", enum: ["new", "old"], default: "new" },
      },
      {
        name: "limit",
        in: "query",
        required: false,
        description: "How many.",
        schema: { type: "integer", minimum: 0, maximum: 500, default: 100 },
      },
      { name: "needed", in: "query", required: true, schema: { type: "string", maxLength: 9 } },
    ]);
  });

  it("has the event stream, with where it may begin", () => {
    const { parameters, responses } = documentOf(ROUTES).paths["/v1/events"].get;
    expect(parameters.map((one: any) => [one.in, one.name])).toEqual([
      ["query", "after"],
      ["header", "Last-Event-ID"],
    ]);
    expect(Object.keys(responses[200].content)).toEqual(["text/event-stream"]);
  });

  it("has both shapes of errors for every operation", () => {
    const operations = Object.values<any>(documentOf(ROUTES).paths).flatMap((path) =>
      Object.values<any>(path),
    );
    expect(operations.length).toBeGreaterThan(ROUTES.length);
    for (const { responses } of operations) {
      expect(responses.default.content).toEqual({
        "application/json": { schema: { $ref: "#/components/schemas/Error" } },
        "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
      });
    }
  });
});
