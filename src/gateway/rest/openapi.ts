/** The OpenAPI document, generated from the routes and their schemas. */
import { z } from "zod";
import { parseJson } from "../../json/parse-json.ts";
import type { Route } from "./route.ts";
import { errorBody, problemBody } from "./schemas.ts";

type Json = Readonly<Record<string, unknown>>;

type Schemas = Map<string, Json>;

/** A schema in the document; a named one is added to `named` and referenced. */
function toSchema(schema: z.ZodType, io: "input" | "output", named: Schemas): Json {
  const { $schema: _, $defs = {}, ...rest } = z.toJSONSchema(schema, { io, target: "draft-2020-12" });
  for (const [name, definition] of Object.entries($defs)) addNamed(named, name, toComponent(definition));
  return toComponent(rest);
}

/** Moves references to the place of schemas in a document. */
const toComponent = (schema: object): Json =>
  parseJson(
    JSON.stringify(schema, (key, value: unknown) =>
      key === "$ref" && typeof value === "string"
        ? value.replace(/^#\/\$defs\//, "#/components/schemas/")
        : key === "id"
          ? withoutName(value)
          : value,
    ),
  );

/** A schema's own name becomes its key; a property called `id` stays. */
const withoutName = (value: unknown): unknown => (typeof value === "string" ? undefined : value);

function addNamed(named: Schemas, name: string, schema: Json): void {
  const known = named.get(name);
  if (known && JSON.stringify(known) !== JSON.stringify(schema))
    throw new TypeError(`Two schemas are named ${name}.`);
  named.set(name, schema);
}

const jsonContent = (schema: Json): Json => ({ "application/json": { schema } });

/** OpenAPI 3.1 for these routes. */
export function toOpenApi(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  const schemas: Schemas = new Map();
  for (const route of routes) {
    const methods = paths[route.path] ?? {};
    methods[route.method.toLowerCase()] = toOperation(route, schemas);
    paths[route.path] = methods;
  }
  const error = toErrorAnswer(schemas);
  paths["/v1/events"] = {
    get: { ...EVENTS_OPERATION, responses: { ...EVENTS_OPERATION.responses, default: error } },
  };
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
      schemas: Object.fromEntries(schemas),
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

function toOperation(route: Route, schemas: Schemas): Json {
  const answers = Object.entries(route.answers).map(([status, { description, schema }]) => [
    status,
    { description, content: jsonContent(toSchema(schema, "output", schemas)) },
  ]);
  return {
    summary: route.summary,
    security: route.access.session ? [{ operator: [] }, { session: [] }] : [{ operator: [] }],
    parameters: [...pathParameters(route.path), ...queryParameters(route.query)],
    ...(route.body && {
      requestBody: { required: true, content: jsonContent(toSchema(route.body, "input", schemas)) },
    }),
    responses: { ...Object.fromEntries(answers), default: toErrorAnswer(schemas) },
  };
}

/** The same for every route; the client chooses the format by `Accept`. */
const toErrorAnswer = (schemas: Schemas): Json => ({
  description: "What happened, why, and how to fix it",
  content: {
    ...jsonContent(toSchema(errorBody, "output", schemas)),
    "application/problem+json": { schema: toSchema(problemBody, "output", schemas) },
  },
});

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));

/** With the types of the parsed values: a number is text in a query, but documented as a number. */
function queryParameters(query: z.ZodType | undefined): Json[] {
  if (!(query instanceof z.ZodObject)) return [];
  return Object.entries<z.ZodType>(query.shape).map(([name, shape]) => {
    const { $schema: _, description, ...schema } = z.toJSONSchema(shape, { io: "output" });
    return {
      name,
      in: "query",
      required: !shape.safeParse(undefined).success,
      ...(description !== undefined && { description }),
      schema,
    };
  });
}

/** The event stream in the OpenAPI document. It doesn't return JSON, so it isn't an ordinary route. */
const EVENTS_OPERATION = Object.freeze({
  summary: "Every journal entry as it becomes durable, as server-sent events",
  description:
    "The `id` of an event is its position, its name the entry's kind, its data the entry with its `session_id`. " +
    "An event `hello` comes first: its data are the gateway's version and the policy's, its `id` the position " +
    "after which the stream begins. That is the newest one where a later one was asked for than there is, as after " +
    "the store was replaced. Where both are given, `Last-Event-ID` counts.",
  security: [{ operator: [] }],
  parameters: [
    {
      name: "after",
      in: "query",
      required: false,
      description:
        "The position after which it begins, 0 for the first entry; `latest` for only what is new.",
      schema: { anyOf: [{ type: "integer", minimum: 0 }, { const: "latest" }], default: "latest" },
    },
    {
      name: "Last-Event-ID",
      in: "header",
      required: false,
      description: "The position that an earlier stream gave last, to go on behind it.",
      schema: { type: "integer", minimum: 0 },
    },
  ],
  responses: {
    200: {
      description: "The stream; it stays open",
      content: { "text/event-stream": { schema: { type: "string" } } },
    },
  },
});
