import { describe, expect, test } from "vitest";
import { said } from "../testing/conditions.ts";

type Row = readonly [condition: string, args: Readonly<Record<string, unknown>>, says: boolean | "unclear"];

const table = (title: string, rows: readonly Row[]): void => {
  test.each(
    rows.map(([text, args, says]) => ({ text, args, says, json: JSON.stringify(args) })),
  )(`${title}: $text of $json is $says (X3-approval)`, ({ text, args, says }) => {
    expect(said(text, args)).toBe(says);
  });
};

describe("a condition", () => {
  table("compares numbers by what they are worth", [
    ["args.amount > 10000", { amount: 10001 }, true],
    ["args.amount > 10000", { amount: 10000.5 }, true],
    ["args.amount > 10000", { amount: 10000 }, false],
    ["args.amount > 10000.5", { amount: 10001 }, true],
    ["args.amount == 10", { amount: 10 }, true],
    ["args.amount == 10.0", { amount: 10 }, true],
    ["args.amount != 10", { amount: 10 }, false],
    ["-args.amount < -5", { amount: 6 }, true],
    ["args.id == 9007199254740993", { id: 9007199254740992 }, false],
  ]);

  table("never takes something missing or of another type for a no", [
    ["args.amount > 10000", { amount: "10001" }, "unclear"],
    ["args.amount > 10000", { amount: "1" }, "unclear"],
    ["args.amount > 10000", { amount: null }, "unclear"],
    ["args.amount > 10000", { amount: [10001] }, "unclear"],
    ["args.amount > 10000", { amount: true }, "unclear"],
    ["args.amount > 10000", { amount: Number.NaN }, "unclear"],
    ["args.amount > 10000", { amount: Number.POSITIVE_INFINITY }, "unclear"],
    ["args.amount > 10000", {}, "unclear"],
    ["args.to == 'ada'", { to: null }, "unclear"],
    ["args.to != 'ada'", { to: 5 }, "unclear"],
    ["args.to in ['ada']", { to: ["ada"] }, "unclear"],
    ["'eve' in args.to", { to: "eve" }, "unclear"],
    ["'eve' in args.to", { to: ["ada", ["eve"]] }, "unclear"],
    ["args.to == ['ada']", { to: [1] }, "unclear"],
    ["args.map == {'a': 'b'}", { map: { a: 1 } }, "unclear"],
    ["args.to.startsWith('a')", { to: 1 }, "unclear"],
    ["args.to.size() > 1", { to: 12 }, "unclear"],
    ["args.flag", { flag: "true" }, "unclear"],
    ["args.flag ? true : false", { flag: 1 }, "unclear"],
    ["!args.flag", { flag: 0 }, "unclear"],
    ["args.a.b.c == 1", { a: { b: 1 } }, "unclear"],
    ["args.list[2] == 1", { list: [1, 1] }, "unclear"],
    ["args.list[0.5] == 1", { list: [1, 1] }, "unclear"],
    ["args.list.x == 1", { list: [1] }, "unclear"],
    ["has(args.a.b)", {}, "unclear"],
    ["has(args.a.b)", { a: [] }, "unclear"],
    ["args.amount / args.parts > 5", { amount: 1, parts: 0 }, "unclear"],
    ["args.amount * 1e308 > 5.0", { amount: 1e10 }, "unclear"],
    ["args.amount - args.amount == 0", { amount: "1" }, "unclear"],
    ["int(args.n) > 1", { n: "x" }, "unclear"],
    ["int(args.n) > 1", { n: 1e300 }, "unclear"],
    ["double(args.n) > 1.0", { n: "1e999" }, "unclear"],
    ["size(args.list) * 9223372036854775807 > 1", { list: [1, 2] }, "unclear"],
  ]);

  table("is settled by one side where that is enough", [
    ["args.a > 1 || args.b > 1", { a: "x", b: 2 }, true],
    ["args.a > 1 || args.b > 1", { a: "x", b: 1 }, "unclear"],
    ["args.a > 1 && args.b > 1", { a: "x", b: 1 }, false],
    ["args.a > 1 && args.b > 1", { a: "x", b: 2 }, "unclear"],
    ["args.b > 1 && args.a > 1", { b: 2 }, "unclear"],
    ["!(args.a > 1 && args.b > 1)", { b: 2 }, "unclear"],
  ]);

  table("goes through nested paths and lists", [
    ["args.order.lines[1].price > 5", { order: { lines: [{ price: 1 }, { price: 6 }] } }, true],
    ["args['order']['total'] > 5", { order: { total: 6 } }, true],
    ["args.lines.exists(line, line.price > 5)", { lines: [{ price: 6 }, {}] }, true],
    ["args.lines.exists(line, line.price > 5)", { lines: [{ price: 5 }, {}] }, "unclear"],
    ["args.lines.exists(line, line.price > 5)", { lines: [] }, false],
    ["args.lines.exists(line, line.price > 5)", { lines: "none" }, "unclear"],
    ["args.lines.all(line, line.price > 5)", { lines: [{ price: 6 }, {}] }, "unclear"],
    ["args.lines.all(line, line.price > 5)", { lines: [{ price: 5 }, {}] }, false],
    ["args.lines.exists_one(n, n > 5)", { lines: [6, 7] }, false],
    ["args.lines.exists_one(n, n > 5)", { lines: [6, "7"] }, "unclear"],
    ["args.lines.filter(n, n > 5).size() == 1", { lines: [6, 5] }, true],
    ["args.lines.map(n, n + 1) == [7, 6]", { lines: [6, 5] }, true],
    ["args.lines.map(n, n > 5, n) == [6]", { lines: [6, 5] }, true],
    ["args.lines.exists(a, args.lines.exists(b, a == b + 1))", { lines: [5, 9, 6] }, true],
    ["args.lines.exists(n, args.more.exists(n, n == 1) && n == 2)", { lines: [2], more: [1] }, true],
    ["keys(args.headers).exists(key, key == 'x')", { headers: { x: 1 } }, true],
    ["'x' in keys(args.headers)", { headers: {} }, false],
    ["args.amount > {'EUR': 10, 'USD': 20}[args.currency]", { amount: 11, currency: "EUR" }, true],
    ["args.amount > {'EUR': 10, 'USD': 20}[args.currency]", { amount: 11, currency: "JPY" }, "unclear"],
  ]);

  table("can't tell of an object where a list is meant, nor of a list where an object is (X3-rules)", [
    ["args.to.exists(to, to != 'ada')", { to: {} }, "unclear"],
    ["args.to.all(to, to == 'ada')", { to: { ada: "eve" } }, "unclear"],
    ["args.to.filter(to, to == 'ada') == []", { to: {} }, "unclear"],
    ["'eve' in args.to", { to: { 0: "eve" } }, "unclear"],
    ["size(args.to) > 10", { to: { a: [] } }, "unclear"],
    ["args.to.size() > 10", { to: { a: [] } }, "unclear"],
    ["'x' in keys(args.headers)", { headers: ["x"] }, "unclear"],
  ]);

  table("asks whether something is there", [
    ["has(args.cc)", {}, false],
    ["has(args.cc)", { cc: null }, true],
    ["has(args.cc) && args.cc != null", { cc: null }, false],
    ["args.cc != null", { cc: ["eve"] }, true],
    ["args.a.b == null", { a: { b: null } }, true],
    ["'cc' in args", { cc: 1 }, true],
    ["args.to in {'ada': 1}", { to: "ada" }, true],
    ["'eve' in args.to", { to: ["ada", "eve"] }, true],
    ["args.to in ['ada', 'eve']", { to: "bob" }, false],
  ]);

  table("works on text", [
    ["!args.to.endsWith('@acme.example')", { to: "eve@evil.example" }, true],
    ["args.to.lowerAscii() == 'ada'", { to: "ADA" }, true],
    ["args.to.lowerAscii() == 'ada'", { to: "ÀDA" }, false],
    ["args.to.upperAscii().startsWith('AD')", { to: "ada" }, true],
    ["args.to.contains('@')", { to: "ada" }, false],
    ["args.to.size() == 2", { to: "🂡é" }, true],
    ["size(args.to) > 1 && size(args) == 1", { to: ["a", "b"] }, true],
    ["args.to + '!' == 'ada!'", { to: "ada" }, true],
    ["args.to > 'a'", { to: "b" }, true],
    ["string(args.n) == '5'", { n: 5 }, true],
    ["isPublicUrl(args.url)", { url: "https://a.example:8443/x?y=z" }, true],
    ["isPublicUrl(args.url)", { url: "http://a.example" }, false],
    ["isPublicUrl(args.url)", { url: "https://127.0.0.1" }, false],
    ["isPublicUrl(args.url)", { url: `https://${"a.".repeat(200)}example` }, false],
    ["int(args.n) > 4 && double(args.n) < 5.5", { n: "5" }, true],
  ]);

  table("counts", [
    ["args.count % 2 == 0", { count: 4 }, true],
    ["args.price * args.count > 99", { price: 33.5, count: 3 }, true],
    ["args.amount / 2 > 2", { amount: 5 }, true],
    ["size(args.list) / 2 == 1", { list: [1, 2, 3] }, true],
    ["args.a - 1 >= args.b", { a: 2, b: 1 }, true],
    ["args.a <= 1 ? args.b : args.c", { a: 1, b: true, c: false }, true],
  ]);

  test("sees the tool and the session, whose role and server may be missing (X3-approval)", () => {
    expect(said('session.level == "internal" && "hr" in session.categories', {})).toBe(true);
    expect(said('session.trust == "untrusted" || session.principal == "ada"', {})).toBe(true);
    expect(said('session.role == "clerk"', {})).toBe(false);
    expect(said('session.role in ["clerk"]', {})).toBe(false);
    expect(said('session.role == "clerk"', {}, { role: "clerk" })).toBe(true);
    expect(said('tool.name == "pay" && tool.server == null', {})).toBe(true);
    expect(said('tool.server == "bank"', {})).toBe(false);
  });
});
