/** A REST route: one record that validates, answers and documents itself. */
import { z } from "zod";
import { SluicegateError } from "../../errors/index.ts";
import type { Session } from "../../runtime/index.ts";
import type { Caller } from "../http/authority.ts";
import { type Access, accessOf } from "../http/rights.ts";
import type { Service } from "../service.ts";

/** An authorised request, before its body is read. */
interface RawRequest {
  readonly service: Service;
  readonly caller: Caller;
  readonly query: Readonly<Record<string, string>>;
  /** The parameters of the path, by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly readBody: () => Promise<unknown>;
  /** The session in the path. @throws SluicegateError `session-not-found` */
  readonly named: () => Promise<Session>;
  readonly signal: AbortSignal;
  /** The gateway's address as this client uses it. */
  readonly address: string;
}

interface RouteRequest<Body, Query> extends Omit<RawRequest, "query" | "readBody"> {
  readonly body: Body;
  readonly query: Query;
}

export interface RouteAnswer {
  readonly status: number;
  readonly body: unknown;
}

interface RouteDocument {
  readonly method: "GET" | "POST" | "DELETE";
  /** With `{id}` for the session. */
  readonly path: string;
  readonly summary: string;
  readonly body?: z.ZodType;
  readonly query?: z.ZodType;
  readonly answers: Readonly<Record<number, { readonly description: string; readonly schema: z.ZodType }>>;
}

export interface Route extends RouteDocument {
  readonly access: Access;
  handle(request: RawRequest): Promise<RouteAnswer>;
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

type Parse<Document extends RouteDocument> = RouteRequest<
  Parsed<Document["body"]>,
  Parsed<Document["query"]>
>;

/** A route that uses the session in its path. */
export const defineSessionRoute = <Document extends RouteDocument>(
  document: Document,
  handle: (request: Parse<Document>, session: Session) => Promise<RouteAnswer>,
): Route => ({
  ...document,
  access: accessOf(`${document.method} ${document.path}`),
  handle: async (request) => {
    // INVARIANT: the caller's right to the session is checked before the body is read.
    const session = await request.named();
    return handle(await parse(document, request), session);
  },
});

/** A route without a session, or one that finds it itself. */
export const defineOperatorRoute = <Document extends RouteDocument>(
  document: Document,
  handle: (request: Parse<Document>) => Promise<RouteAnswer>,
): Route => ({
  ...document,
  access: accessOf(`${document.method} ${document.path}`),
  handle: async (request) => handle(await parse(document, request)),
});

async function parse<Document extends RouteDocument>(
  document: Document,
  request: RawRequest,
): Promise<Parse<Document>> {
  const body = document.body ? check(document.body, (await request.readBody()) ?? {}, "body") : undefined;
  const query = document.query ? check(document.query, request.query, "query") : undefined;
  // These types are computed from the schemas that validated the values.
  return { ...request, body: body as Parsed<Document["body"]>, query: query as Parsed<Document["query"]> };
}

/** Items of all lists in a body, except in a tool's arguments: each invalid one costs a report of its own. */
const MAX_ITEMS = 20_000;

/** @throws SluicegateError `limit-reached`, before the schema is applied. */
export function assertFewItems(value: unknown): void {
  let items = 0;
  const work = [value];
  for (let part = work.pop(); part !== undefined; part = work.pop()) {
    if (typeof part !== "object" || part === null) continue;
    if (Array.isArray(part)) items += part.length;
    if (items > MAX_ITEMS) throw tooManyItems();
    for (const [key, inner] of Object.entries(part)) if (key !== "arguments") work.push(inner);
  }
}

const tooManyItems = (): SluicegateError =>
  new SluicegateError("limit-reached", "The body's lists are too long.", {
    why: `Together they may have ${MAX_ITEMS} items.`,
    fix: "Send fewer at once.",
  });

function check(schema: z.ZodType, value: unknown, where: "body" | "query"): unknown {
  assertFewItems(value);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) => describeIssue(issue, where)).slice(0, 5);
  throw new SluicegateError("invalid-request", `The ${where} doesn't fit this route.`, {
    why: problems.join(" "),
    fix: "Look the route up in `/openapi.json`, and send what it takes.",
    details: { problems },
  });
}

/** An issue as a sentence: the path and what was expected, never the value. */
function describeIssue(issue: z.core.$ZodIssue, where: string): string[] {
  const place =
    issue.path.length > 0 ? `\`${issue.path.map(String).join(".").slice(0, 100)}\`` : `The ${where}`;
  if (issue.code === "unrecognized_keys") {
    const keys = issue.keys.map((key) => `\`${key.replaceAll(/[^\w.-]/g, "?").slice(0, 60)}\``).join(", ");
    return [`${place} has keys that aren't known: ${keys}.`];
  }
  if (issue.code === "invalid_union") {
    const deepest = [...issue.errors].sort((left, right) => depth(right) - depth(left))[0] ?? [];
    return deepest.flatMap((inner) =>
      describeIssue({ ...inner, path: [...issue.path, ...inner.path] }, where),
    );
  }
  return [`${place}: ${issue.message}.`];
}

const depth = (issues: readonly z.core.$ZodIssue[]): number =>
  issues.reduce((deepest, { path }) => Math.max(deepest, path.length), 0);

/** A whole number in a query, with a default. */
export const wholeNumber = (otherwise: number, most: number): z.ZodType<number> =>
  z
    .string()
    .regex(/^\d{1,15}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.int().min(0).max(most))
    .optional()
    .default(otherwise);
