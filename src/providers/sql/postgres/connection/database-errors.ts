/** Database errors as sentences, without addresses, user names or passwords. */
import { type ErrorCode, SluicegateError } from "../../../../errors/index.ts";

/** Whether the statement is wrong, rather than the connection or the server. */
export const isStatementError = (error: unknown): boolean => {
  const code = codeOf(error) ?? "";
  // 53100 and so on: the query needed too much memory or disk; others may work.
  return /^[0-9FHPX][0-9A-Z]{4}$/.test(code) && !/^(08|28|3D|5300|5330|57|58|F0)/.test(code);
};

/** For the model: a query that the database refused, or that failed while it ran. */
export function toStatementSentence(error: unknown): string {
  const { message = "", hint } = errorParts(error);
  const text = hint === undefined ? message : `${message} (${hint})`;
  const shown = text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text;
  return `PostgreSQL says: ${shown.replace(/[.\s]+$/, "")}.`;
}

const MAX_MESSAGE_LENGTH = 500;

/** Errors about values and limits; any other may name a table, a type or a right. 22P02 names an enum. */
const OF_VALUES = /^(21|22(?!P02|023)|53|54)/;
const OF_PLAIN_TYPE =
  /^invalid input syntax for type (smallint|integer|bigint|numeric|real|double precision|boolean|uuid|jsonb?):/;

const isOfValues = (error: unknown): boolean =>
  OF_VALUES.test(codeOf(error) ?? "") || OF_PLAIN_TYPE.test(errorParts(error).message ?? "");

/** Replaces an error whose message may contain names of the catalog; null for any other. */
export function toNamelessError(id: string, error: unknown): SluicegateError | null {
  if (!isStatementError(error) || isOfValues(error)) return null;
  return failure(
    "invalid-request",
    `The query of \`${id}\` failed.`,
    "A value doesn't fit its type, a name in a value means nothing, or a right is missing. PostgreSQL's own words may hold names of the catalogue, which this query's label doesn't cover.",
    "Check the values in `parameters` against `describe_table`.",
  );
}

/** Turns any thrown value into an error that can be shown. */
export function toEngineError(id: string, error: unknown): SluicegateError {
  if (SluicegateError.isInstance(error)) return error as SluicegateError;
  if (codeOf(error) === "57014") return tooSlow(id);
  if (isStatementError(error)) {
    return failure(
      "invalid-request",
      `The query of \`${id}\` failed.`,
      toStatementSentence(error),
      "Correct it.",
    );
  }
  if (error instanceof TypeError || error instanceof RangeError) {
    return new SluicegateError("internal", `The database \`${id}\` gave something that nobody foresaw.`, {
      why: "Sluicegate has a mistake here.",
      fix: "Report it, with the query.",
      cause: error,
    });
  }
  const [why, fix] = reasonOf(error);
  return failure("upstream-unavailable", `The database \`${id}\` can't be asked.`, why, fix);
}

export const tooSlow = (id: string): SluicegateError =>
  failure(
    "upstream-timeout",
    `The query of \`${id}\` took too long and was stopped.`,
    "It ran into the time limit of this database.",
    "Ask for less: fewer tables, or a narrower WHERE.",
  );

export const stopped = (id: string): SluicegateError =>
  failure(
    "upstream-timeout",
    `The query of \`${id}\` was stopped.`,
    "Whoever asked for it gave it up.",
    "Send it again if it is still wanted.",
  );

export const tooBusy = (id: string): SluicegateError =>
  failure(
    "upstream-timeout",
    `The database \`${id}\` is busy.`,
    "Too many queries wait for a connection to it already.",
    "Try again later.",
  );

export const failure = (code: ErrorCode, message: string, why: string, fix: string): SluicegateError =>
  new SluicegateError(code, message, { why, fix });

const OPERATOR = "Whoever runs the gateway can correct that in the policy file.";

function reasonOf(error: unknown): readonly [why: string, fix: string] {
  const code = codeOf(error) ?? "";
  if (code === "28P01" || code.startsWith("28")) return ["It refused the user or the password.", OPERATOR];
  if (code === "3D000") return ["The server has no database of the declared name.", OPERATOR];
  if (code.startsWith("53")) return ["It has no connection or no memory left.", "Try again later."];
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_|SSL|TLS/.test(code))
    return ["Its certificate isn't trusted.", OPERATOR];
  const { message = "" } = errorParts(error);
  if (/does not support SSL/.test(message)) return ["It doesn't offer an encrypted connection.", OPERATOR];
  if (/timeout/i.test(message)) return ["It didn't answer in time.", "Try again later."];
  return ["Nothing answers at its address, or the connection was lost.", "Try again later."];
}

function errorParts(error: unknown): { readonly message?: string; readonly hint?: string } {
  if (typeof error !== "object" || error === null) return {};
  const message = "message" in error && typeof error.message === "string" ? error.message : undefined;
  const hint = "hint" in error && typeof error.hint === "string" ? error.hint : undefined;
  return { ...(message === undefined ? {} : { message }), ...(hint === undefined ? {} : { hint }) };
}

function codeOf(error: unknown): string | null {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : null;
  return typeof code === "string" ? code : null;
}
