/** Errors as HTTP answers: our own format, or RFC 9457 problem details if the client accepts them. */
import { ERROR_CODES, SluicegateError } from "../../errors/index.ts";
import { toWireError } from "../rest/wire.ts";

/** Any thrown value as a SluicegateError; the text of an unexpected error isn't shown. */
export function toSluicegateError(cause: unknown): SluicegateError {
  if (SluicegateError.isInstance(cause)) return cause;
  return new SluicegateError("internal", "The gateway made a mistake.", {
    why: "Something happened that it didn't expect; the call was not allowed.",
    fix: "Try again, and tell the operator: the gateway's log has the details.",
    cause,
  });
}

/** The HTTP answer for an error. */
export function answerError(cause: unknown, accept: string | undefined): Response {
  const error = toSluicegateError(cause);
  const { http } = ERROR_CODES[error.code];
  const headers = new Headers({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
  if (http === 401) headers.set("www-authenticate", 'Bearer realm="sluicegate"');
  if (http === 429) headers.set("retry-after", "1");
  if (http === 413) headers.set("connection", "close");
  if (accept?.includes("application/problem+json")) {
    headers.set("content-type", "application/problem+json");
    const { code, message, why, fix } = error;
    const problem = {
      type: `urn:sluicegate:error:${code}`,
      title: message,
      status: http,
      detail: `${why} ${fix}`,
      code,
      why,
      fix,
    };
    return new Response(JSON.stringify(problem), { status: http, headers });
  }
  headers.set("content-type", "application/json");
  return new Response(JSON.stringify(toWireError(error)), { status: http, headers });
}
