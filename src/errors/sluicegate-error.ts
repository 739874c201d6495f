import { ERROR_CODES, type ErrorCode, type ErrorMapping } from "./codes.ts";

const BRAND = Symbol.for("sluicegate.error");

export interface ErrorParts {
  /** Why it happened, as a full sentence. */
  readonly why: string;
  /** What the reader can do about it, as a full sentence. */
  readonly fix: string;
  /** Plain data for programs; never an argument's or a result's value. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * The one error class. `message` says what happened, `why` the reason, `fix` the way out; `code` is one of
 * `ERROR_CODES`, which maps it to an HTTP status, a JSON-RPC code and an exit status.
 * A refusal of a call is not an error: it is a `Decision`.
 */
export class SluicegateError extends Error {
  readonly code: ErrorCode;
  readonly why: string;
  readonly fix: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, parts: ErrorParts) {
    super(message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = "SluicegateError";
    this.code = code;
    this.why = parts.why;
    this.fix = parts.fix;
    this.details = Object.freeze({ ...parts.details });
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** What this error becomes at each door. */
  get mapping(): ErrorMapping {
    return ERROR_CODES[this.code];
  }

  /** True for an error of this class, also when it comes from another copy of the package. */
  static isInstance(value: unknown): value is SluicegateError {
    return value instanceof Error && Object.hasOwn(value, BRAND);
  }
}
