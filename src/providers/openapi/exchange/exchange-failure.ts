/** Errors between a request and its answer, without any of their content. */
import { SluicegateError } from "../../../errors/index.ts";

export const tooSlow = (seconds: number): SluicegateError =>
  new SluicegateError("upstream-timeout", `The API did not answer within ${seconds} seconds.`, {
    why: "It is slow, or can't be reached. The request may have had its effect nevertheless.",
    fix: "Check whether it had before you call it again.",
  });

export const tooLarge = (bytes: number): SluicegateError =>
  new SluicegateError("result-too-large", `The API's answer is larger than ${bytes} bytes.`, {
    why: "That is the limit for this API. The request may have had its effect.",
    fix: "Ask for less, such as one page, or let the operator raise `limits.bytes`.",
  });

export const notRead = (): SluicegateError =>
  new SluicegateError("result-too-large", "The API's answer takes too long to read.", {
    why: "It has too many parts, or its program is ending. The request may have had its effect.",
    fix: "Ask for less, such as one page.",
  });

export const tooManyWaiting = (): SluicegateError =>
  new SluicegateError("limit-reached", "Too many large answers of the API wait to be read.", {
    why: "They are read one after the other. The request may have had its effect.",
    fix: "Ask for less at a time, or try again in a while.",
  });

export const unreachable = (why: string): SluicegateError =>
  new SluicegateError("upstream-unavailable", "The API can't be reached.", {
    why,
    fix: "Try again later, or let the operator check the `base_url`.",
  });

export const brokenOff = (code: string): SluicegateError =>
  new SluicegateError("upstream-failed", "The API's answer can't be read.", {
    why: `It broke off, or isn't what its headers say${code}.`,
    fix: "Check whether the request had its effect before you call it again.",
  });

export const ledAway = (why: string): SluicegateError =>
  new SluicegateError("upstream-failed", "The API answered with a redirect that is not followed.", {
    why,
    fix: "Use another operation, or let the operator check the `base_url`.",
  });

/** The code of a system error in brackets; its message may contain an address or a header. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[A-Z0-9_]{1,60}$/.test(code) ? ` (\`${code}\`)` : "";
}
