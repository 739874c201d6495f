/** The table of error codes, as a literal: it only grows. */
import { expect, it } from "vitest";
import { ERROR_CODES } from "../../src/errors/index.ts";

const PINNED: readonly (readonly [code: string, http: number, jsonRpc: number, exit: number])[] = [
  ["policy-invalid", 400, -32602, 2],
  ["policy-unreadable", 500, -32603, 2],
  ["invalid-tool", 400, -32602, 2],
  ["usage", 400, -32602, 2],
  ["invalid-request", 400, -32602, 2],
  ["malformed-json", 400, -32700, 2],
  ["unsupported-value", 400, -32602, 2],
  ["unauthorized", 401, -32001, 2],
  ["forbidden", 403, -32003, 2],
  ["host-refused", 403, -32003, 2],
  ["origin-refused", 403, -32003, 2],
  ["not-found", 404, -32601, 2],
  ["session-not-found", 404, -32004, 2],
  ["call-not-found", 404, -32004, 2],
  ["approval-not-found", 404, -32004, 2],
  ["run-not-found", 404, -32004, 2],
  ["method-not-allowed", 405, -32601, 2],
  ["header-mismatch", 400, -32020, 2],
  ["session-mismatch", 400, -32602, 2],
  ["session-closed", 409, -32009, 2],
  ["approval-settled", 409, -32009, 2],
  ["edit-refused", 409, -32009, 1],
  ["standing-refused", 409, -32009, 1],
  ["definition-stale", 409, -32009, 1],
  ["reload-refused", 409, -32009, 1],
  ["tool-runs-at-agent", 409, -32009, 2],
  ["target-changed", 409, -32009, 1],
  ["body-too-large", 413, -32600, 2],
  ["unsupported-media-type", 415, -32600, 2],
  ["rate-limited", 429, -32029, 2],
  ["limit-reached", 429, -32029, 2],
  ["frozen", 423, -32009, 1],
  ["permission-denied", 403, -32003, 1],
  ["approval-needed", 403, -32003, 1],
  ["client-unable", 400, -32021, 1],
  ["visibility-failed", 500, -32603, 1],
  ["no-current-session", 500, -32603, 2],
  ["store-failed", 503, -32010, 2],
  ["store-damaged", 503, -32010, 2],
  ["upstream-unavailable", 503, -32011, 2],
  ["upstream-failed", 502, -32011, 2],
  ["upstream-timeout", 504, -32011, 2],
  ["result-too-large", 502, -32011, 2],
  ["not-ready", 503, -32010, 2],
  ["internal", 500, -32603, 2],
];

it("gives each error code its HTTP status, JSON-RPC code and exit status", () => {
  const table = Object.entries(ERROR_CODES).map(([code, { http, jsonRpc, exit }]) => [
    code,
    http,
    jsonRpc,
    exit,
  ]);
  expect(table).toEqual(PINNED);
});
