/** The OpenAPI document, made from the routes and the schemas that validate their requests. */
import { z } from "zod";
import type { Route } from "./route.ts";
import { errorBody } from "./schemas.ts";

type Json = Readonly<Record<string, unknown>>;

const toSchema = (schema: z.ZodType, io: "input" | "output"): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: "draft-2020-12" });
  return rest;
};

const jsonContent = (schema: Json): Json => ({ "application/json": { schema } });

/** OpenAPI 3.1 for these routes. */
export function toOpenApi(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const methods = paths[route.path] ?? {};
    methods[route.method.toLowerCase()] = toOperation(route);
    paths[route.path] = methods;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Sluicegate",
      version,
      description: "Decides, call by call, what an AI agent's tools may do.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    security: [{ operator: [] }],
    paths,
    components: {
      securitySchemes: {
        operator: { type: "http", scheme: "bearer", description: "May do everything." },
        session: {
          type: "http",
          scheme: "bearer",
          description: "May use the session that it was given for.",
        },
      },
    },
  };
}

function toOperation(route: Route): Json {
  const answers = Object.entries(route.answers).map(([status, { description, schema }]) => [
    status,
    { description, content: jsonContent(toSchema(schema, "output")) },
  ]);
  const error = {
    description: "What happened, why, and how to fix it",
    content: jsonContent(toSchema(errorBody, "output")),
  };
  return {
    summary: route.summary,
    security: route.access === "session" ? [{ operator: [] }, { session: [] }] : [{ operator: [] }],
    parameters: [...pathParameters(route.path), ...queryParameters(route.query)],
    ...(route.body && {
      requestBody: { required: true, content: jsonContent(toSchema(route.body, "input")) },
    }),
    responses: { ...Object.fromEntries(answers), default: error },
  };
}

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));

function queryParameters(query: z.ZodType | undefined): Json[] {
  if (!(query instanceof z.ZodObject)) return [];
  return Object.keys(query.shape).map((name) => ({
    name,
    in: "query",
    required: false,
    schema: { type: "string" },
  }));
}
