export { ERROR_CODES, type ErrorCode, type ErrorMapping } from "./codes.ts";
export { type ErrorParts, SluicegateError } from "./sluicegate-error.ts";
