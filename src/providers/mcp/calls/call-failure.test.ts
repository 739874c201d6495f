import { ProtocolError, SdkHttpError } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { reasonOf } from "./call-failure.ts";

/** An error of the SDK, as far as it is examined. */
const http = (status: number): SdkHttpError =>
  Object.create(SdkHttpError.prototype, { status: { value: status }, code: { value: "x" } });

describe("why a server can't be reached, as every session is told", () => {
  it.each([
    [-32601, "it answered with the error -32601"],
    [-32700, "it answered with the error -32700"],
    [4_111_111_111_111_111, "it answered with an error"],
    [-32055, "it answered with an error"],
  ])("holds no number of the server's choice: the error %d (X14)", (code, told) => {
    expect(reasonOf(new ProtocolError(code, "4111 1111"))).toBe(told);
  });

  it.each([
    [404, "it answered with HTTP status 404"],
    [503, "it answered with HTTP status 503"],
    [411, "it answered with an HTTP error"],
    [299, "it answered with an HTTP error"],
  ])("holds no number of the server's choice: the status %d (X14)", (status, told) => {
    expect(reasonOf(http(status))).toBe(told);
  });
});
