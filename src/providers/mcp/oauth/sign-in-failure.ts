/**
 * Why a sign-in failed or a token can't be renewed, in the gateway's own words. THREAT: an authorization server's
 * answer may contain a token or a code, so only the standard's error code is passed on.
 */
import {
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
  RegistrationRejectedError,
} from "@modelcontextprotocol/client";
import { SluicegateError } from "../../../errors/index.ts";
import { reasonOf } from "../calls/call-failure.ts";
import { ChannelError } from "../transport/channel.ts";

const STANDARD_CODES: ReadonlySet<string> = new Set([...Object.values(OAuthErrorCode), "login_required"]);

const isStandard = (code: string): boolean => STANDARD_CODES.has(code);

/** Whether tokens or the client are invalid for good, so that a retry can't help. */
export const isFinal = (thrown: unknown): thrown is OAuthError =>
  thrown instanceof OAuthError && (thrown.code === OAuthErrorCode.InvalidGrant || isClientGone(thrown));

/** Whether the authorization server doesn't know this client any more. */
export const isClientGone = (thrown: unknown): boolean =>
  thrown instanceof OAuthError &&
  (thrown.code === OAuthErrorCode.InvalidClient || thrown.code === OAuthErrorCode.UnauthorizedClient);

/** A clause. */
export function clauseOf(thrown: unknown): string {
  if (thrown instanceof ChannelError) return thrown.message;
  if (thrown instanceof OAuthError) return describeRefusal(thrown.code);
  if (thrown instanceof RegistrationRejectedError)
    return `its authorization server refused to register this gateway (HTTP status ${thrown.status})`;
  if (thrown instanceof IssuerMismatchError)
    return "the answer is another issuer's than the one that was asked";
  if (thrown instanceof DOMException && thrown.name === "TimeoutError")
    return "its authorization server did not answer in time";
  const reason = reasonOf(thrown);
  return reason.startsWith("it could not be reached") || reason.startsWith("it broke off")
    ? `its authorization server: ${reason}`
    : "its authorization server does not answer as the standards say";
}

export const describeRefusal = (code: string): string =>
  isStandard(code)
    ? `its authorization server answered with the error \`${code}\``
    : "its authorization server answered with an error";

export const signInFailed = (server: string, thrown: unknown): SluicegateError =>
  new SluicegateError("upstream-failed", `The sign-in to \`${server}\` failed.`, {
    why: `The reason: ${clauseOf(thrown)}.`,
    fix: "Start it again, or look at the server's `oauth` settings in the policy.",
    details: { server },
  });

/** The same error for a state that is unknown, expired, used, or somebody else's. */
export const unknownState = (server: string): SluicegateError =>
  new SluicegateError("invalid-request", `The sign-in to \`${server}\` can't be finished.`, {
    why: "Its state is unknown: it was used already, has expired, or was given to somebody else.",
    fix: "Start the sign-in again, and finish it within ten minutes.",
    details: { server },
  });

export const noExchange = (server: string): SluicegateError =>
  new SluicegateError("invalid-request", `No token is exchanged for \`${server}\`.`, {
    why: "The policy doesn't have `exchange: true` for it.",
    fix: "Sign in in a browser, or let the operator set it.",
    details: { server },
  });
