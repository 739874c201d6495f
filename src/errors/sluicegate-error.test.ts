import { describe, expect, it } from "vitest";
import { ERROR_CODES, type ErrorCode, SluicegateError } from "./index.ts";

const error = new SluicegateError("not-found", "There is no such route.", {
  why: "Nothing is served there.",
  fix: "Use a path of `/openapi.json`.",
});

describe("an error", () => {
  it("says what happened, why, and how to fix it", () => {
    expect({ ...error, message: error.message }).toEqual({
      name: "SluicegateError",
      code: "not-found",
      message: "There is no such route.",
      why: "Nothing is served there.",
      fix: "Use a path of `/openapi.json`.",
      details: {},
    });
  });

  it("keeps its cause, and has none where none is given", () => {
    const cause = new Error("disk full");
    const caused = new SluicegateError("store-failed", "It failed.", { why: "W.", fix: "F.", cause });
    expect([caused.cause, "cause" in error]).toEqual([cause, false]);
  });

  it("holds a frozen copy of its details", () => {
    const details = { tool: "send" };
    const detailed: any = new SluicegateError("usage", "It failed.", { why: "W.", fix: "F.", details });
    details.tool = "other";
    expect(detailed.details).toEqual({ tool: "send" });
    expect(() => {
      detailed.details.tool = "other";
    }).toThrow(TypeError);
  });

  it.each(Object.keys(ERROR_CODES) as ErrorCode[])("knows what %s becomes at each door", (code) => {
    expect(new SluicegateError(code, "M.", { why: "W.", fix: "F." }).mapping).toBe(ERROR_CODES[code]);
  });

  it("is told from other errors, also when another copy of the package made it", () => {
    const copy = Object.defineProperty(new Error("from elsewhere"), Symbol.for("sluicegate.error"), {
      value: true,
    });
    class Derived extends SluicegateError {}
    const derived = new Derived("internal", "M.", { why: "W.", fix: "F." });
    const others = [
      new Error("plain"),
      { code: "internal" },
      null,
      undefined,
      "not-found",
      Object.create(error),
    ];
    expect([error, copy, derived].map(SluicegateError.isInstance)).toEqual([true, true, true]);
    expect(others.map(SluicegateError.isInstance)).toEqual(Array(6).fill(false));
  });
});

describe("the table of codes", () => {
  it("can't be changed at run time", () => {
    const table: any = ERROR_CODES;
    expect(() => {
      table["not-found"] = { http: 200, jsonRpc: 0, exit: 0 };
    }).toThrow(TypeError);
    expect(() => {
      table["not-found"].http = 200;
    }).toThrow(TypeError);
  });
});
