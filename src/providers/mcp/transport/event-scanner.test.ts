import { expect, it } from "vitest";
import { EventScanner } from "./event-scanner.ts";

const LIMITS = { messageBytes: 100_000, messageValues: 50 };

/** Whether a stream is within the limits, wherever its chunks are cut. */
function isWithin(text: string): boolean {
  const bytes = Buffer.from(text);
  const found = [1, 2, 3, 7, 1000, 100_000].map((size) => {
    const scanner = new EventScanner(LIMITS);
    for (let at = 0; at < bytes.length; at += size)
      if (!scanner.push(bytes.subarray(at, at + size))) return false;
    return true;
  });
  expect(new Set(found).size).toBe(1);
  return found[0] === true;
}

const name = "n".repeat(16_001);
const values = (count: number): string => `[${Array(count).fill("1").join()}]`;

it.each([
  "\n",
  "\r",
  "\r\n",
])("counts the values of each message by itself, where lines end with %j", (end) => {
  const event = (...lines: readonly string[]): string => `${lines.join(end)}${end}${end}`;
  expect(isWithin(event(`data: ${values(40)}`).repeat(5))).toBe(true);
  expect(isWithin(event(`data: ${values(40)}`) + event(`data:${values(60)}`, "id: 1"))).toBe(false);
  expect(isWithin(event("event: message", `data: ${values(30)},`, `data: ${values(30)}`))).toBe(false);
  expect(isWithin(event(`: ${values(60)}`, `datax: ${values(60)}`, "data: 1"))).toBe(true);
  expect(isWithin(event(`data: "${"x".repeat(60_000)}"`, `: ${"x".repeat(60_000)}`))).toBe(false);
  expect(isWithin(event(`data: "${"x".repeat(60_000)}"`).repeat(3))).toBe(true);
});

it("finds a name that is too long, whatever other lines stand between it and its colon", () => {
  expect(isWithin(`data: {"${name}"\n"\ndata: :1}\n\n`)).toBe(false);
  expect(isWithin(`data: {"${name}"\n: "\n"\ndata:\ndata: : 1}\n\n`)).toBe(false);
  expect(isWithin(`data: 1\n\ndata: {"${name}":1}\n\ndata: 1\n\n`)).toBe(false);
  for (const mark of ["\ufeff", "\u00ef\u00bb\u00bf", "\ufeff\u00ef\u00bb\u00bf"])
    expect(isWithin(`${mark}data: {"${name}":1}\n\n`)).toBe(false);
});

it("takes no text of an indented message for a name", () => {
  const message = JSON.stringify({ content: [{ type: "text", text: name }], next: 1 }, null, 2);
  expect(isWithin(`${message.replaceAll(/^/gm, "data: ")}\n\n`)).toBe(true);
});
