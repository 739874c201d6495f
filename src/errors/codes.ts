/**
 * Every error code with what it becomes at each door: an HTTP status, a JSON-RPC error code and the
 * exit status of a command. The table is pinned by a test and only grows.
 */
export interface ErrorMapping {
  readonly http: number;
  readonly jsonRpc: number;
  readonly exit: number;
}

const entry = (http: number, jsonRpc: number, exit: number): ErrorMapping =>
  Object.freeze({ http, jsonRpc, exit });

export const ERROR_CODES = Object.freeze({
  "policy-invalid": entry(400, -32602, 2),
  "policy-unreadable": entry(500, -32603, 2),
  "invalid-tool": entry(400, -32602, 2),
  usage: entry(400, -32602, 2),
  "invalid-request": entry(400, -32602, 2),
  "malformed-json": entry(400, -32700, 2),
  "unsupported-value": entry(400, -32602, 2),
  unauthorized: entry(401, -32001, 2),
  forbidden: entry(403, -32003, 2),
  "host-refused": entry(403, -32003, 2),
  "origin-refused": entry(403, -32003, 2),
  "not-found": entry(404, -32601, 2),
  "session-not-found": entry(404, -32004, 2),
  "call-not-found": entry(404, -32004, 2),
  "approval-not-found": entry(404, -32004, 2),
  "run-not-found": entry(404, -32004, 2),
  "method-not-allowed": entry(405, -32601, 2),
  "header-mismatch": entry(400, -32020, 2),
  "session-mismatch": entry(400, -32602, 2),
  "session-closed": entry(409, -32009, 2),
  "approval-settled": entry(409, -32009, 2),
  "edit-refused": entry(409, -32009, 1),
  "standing-refused": entry(409, -32009, 1),
  "definition-stale": entry(409, -32009, 1),
  "reload-refused": entry(409, -32009, 1),
  "tool-runs-at-agent": entry(409, -32009, 2),
  "target-changed": entry(409, -32009, 1),
  "body-too-large": entry(413, -32600, 2),
  "unsupported-media-type": entry(415, -32600, 2),
  "rate-limited": entry(429, -32029, 2),
  "limit-reached": entry(429, -32029, 2),
  frozen: entry(423, -32009, 1),
  "permission-denied": entry(403, -32003, 1),
  "approval-needed": entry(403, -32003, 1),
  "client-unable": entry(400, -32021, 1),
  "visibility-failed": entry(500, -32603, 1),
  "no-current-session": entry(500, -32603, 2),
  "store-failed": entry(503, -32010, 2),
  "store-damaged": entry(503, -32010, 2),
  "upstream-unavailable": entry(503, -32011, 2),
  "upstream-failed": entry(502, -32011, 2),
  "upstream-timeout": entry(504, -32011, 2),
  "result-too-large": entry(502, -32011, 2),
  "not-ready": entry(503, -32010, 2),
  internal: entry(500, -32603, 2),
});

export type ErrorCode = keyof typeof ERROR_CODES;
