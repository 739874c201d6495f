/** Errors of a gate. */
import { SluicegateError } from "../errors/index.ts";

export function unknownRole(role: string, known: readonly string[]): SluicegateError {
  return new SluicegateError("invalid-request", "There is no such role.", {
    why: `The policy has ${known.length === 0 ? "no roles" : `the roles ${known.join(", ")}`}.`,
    fix: "Name one of them, or leave the role out.",
    details: { role, known },
  });
}

/** The same answer for an unknown session, a malformed id and somebody else's session. */
export function unknownSession(): SluicegateError {
  return new SluicegateError("session-not-found", "There is no such session.", {
    why: "The id is malformed or unknown, or the session belongs to somebody else.",
    fix: "Open a session with `POST /v1/session`, or use the id and the token that it gave.",
  });
}
