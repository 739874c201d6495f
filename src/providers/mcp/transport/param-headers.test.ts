import { describe, expect, it } from "vitest";
import { paramHeadersOf, toParamHeaders } from "./param-headers.ts";

const property = (type: unknown, header: unknown = "Region") => ({ type, "x-mcp-header": header });
const object = (properties: object) => ({ type: "object", properties });

describe("headers that repeat arguments", () => {
  it.each([
    ["nothing is asked for", object({ a: { type: "string" } }), []],
    ["a property asks", object({ a: property("string") }), [{ path: ["a"], header: "Region" }]],
    [
      "an inner one asks",
      object({ a: object({ b: property("integer") }) }),
      [{ path: ["a", "b"], header: "Region" }],
    ],
    ["a property has the key's name", object({ "x-mcp-header": { type: "string" } }), []],
    ["a number asks", object({ a: property("number") }), null],
    ["the name is no token", object({ a: property("string", "Re gion") }), null],
    ["the name is no text", object({ a: property("string", 1) }), null],
    [
      "the names differ in case alone",
      object({ a: property("string"), b: property("string", "region") }),
      null,
    ],
    ["the schema itself asks", property("string"), null],
    ["a member of a list asks", object({ a: { type: "array", items: property("string") } }), null],
    ["an alternative asks", { anyOf: [object({ a: property("string") })] }, null],
  ])("are known where %s", (_, schema, expected) => {
    expect(paramHeadersOf(schema)).toEqual(expected);
  });

  it.each([
    ["plain text", "eu-west 1", "eu-west 1"],
    ["an empty text", "", "=?base64??="],
    ["text that isn't ASCII", "Zürich", "=?base64?WsO8cmljaA==?="],
    ["text that would start a header", "a\r\nX-Evil: 1", "=?base64?YQ0KWC1FdmlsOiAx?="],
    ["text that spaces surround", " a", "=?base64?IGE=?="],
    ["text that looks encoded", "=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="],
    ["a number", 42, "42"],
    ["a truth value", false, "false"],
  ])("hold %s", (_, value, expected) => {
    expect(toParamHeaders([{ path: ["a", "b"], header: "Region" }], { a: { b: value } })).toEqual({
      "Mcp-Param-Region": expected,
    });
  });

  it.each([
    [{}],
    [{ a: null }],
    [{ a: [1] }],
    [{ a: 1.5 }],
    [{ a: 2 ** 60 }],
  ])("are left out for %j", (args) => {
    expect(toParamHeaders([{ path: ["a"], header: "Region" }], args)).toEqual({});
    expect(toParamHeaders([{ path: ["constructor", "name"], header: "Region" }], args)).toEqual({});
  });
});
