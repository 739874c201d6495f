/** Requests to the gateway that served this page, typed by its OpenAPI document. */
import createClient, { type Middleware } from "openapi-fetch";
import { BASE_PATH } from "../base-path.ts";
import { noteServerTime } from "./clock.ts";
import type { components, paths } from "./schema.d.ts";
import { currentToken, dropRefusedToken } from "./token.ts";

/** A named schema of the gateway's OpenAPI document. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

/** An error answer, with the gateway's message. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly why: string;
  readonly fix: string;

  constructor(status: number, { code, message, why, fix }: Schema<"Error">["error"]) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.why = why;
    this.fix = fix;
  }
}

/** A request that got no answer. */
export class UnreachableError extends Error {
  constructor(cause: unknown) {
    super("The gateway can't be reached.", { cause });
    this.name = "UnreachableError";
  }
}

const BASE_URL = `${location.origin}${BASE_PATH}`;

const withToken: Middleware = {
  onRequest: ({ request }) => {
    const token = currentToken();
    if (token !== null) request.headers.set("authorization", `Bearer ${token}`);
    return request;
  },
  onResponse: ({ request, response }) => {
    noteServerTime(response.headers.get("date"));
    // A 403 means that the token is a session's if it may not even read its identity; otherwise that a right is
    // missing.
    const token = request.headers.get("authorization")?.replace("Bearer ", "") ?? null;
    const isOwn = request.url === `${BASE_URL}/v1/identity`;
    if (response.status === 401 || isOwn) dropRefusedToken(token, response.status);
  },
  onError: ({ error }) => (error instanceof DOMException ? undefined : new UnreachableError(error)),
};

/** The gateway's routes; `answerOf` turns a request into its body or an error. */
export const api = createClient<paths>({ baseUrl: BASE_URL });
api.use(withToken);

interface Fetched<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** The body of a success. @throws ApiError for any other answer, UnreachableError for none. */
export async function answerOf<Data>(request: Promise<Fetched<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await request;
  if (data !== undefined && data !== null) return data;
  throw new ApiError(response.status, readError(error, response.status));
}

function readError(body: unknown, status: number): Schema<"Error">["error"] {
  const error = typeof body === "object" && body !== null && "error" in body ? body.error : null;
  const text = (key: string): string =>
    typeof error === "object" && error !== null ? String(Reflect.get(error, key) ?? "") : "";
  return {
    code: text("code") || "unknown",
    message: text("message") || `The gateway answered with status ${status}.`,
    why: text("why"),
    fix: text("fix") || "Try again, and look at the gateway's log.",
  };
}
