import { expect, it } from "vitest";
import { findAll } from "./pattern.ts";
import { SECRET_PATTERNS } from "./secret-patterns.ts";

it.each([
  ["letters", "a"],
  ["addresses without an end", "a://b:"],
  ["addresses within addresses", "a://"],
  ["addresses with long passwords", `a://b:${"c".repeat(190)} `],
  ["settings", "password=x "],
  ["settings in a string", "password = x; host = y;"],
  ["names of settings", "password "],
  ["headers of keys", `-----BEGIN ${"PRIVATE KEY"}-----`],
  ["beginnings of headers", "-----BEGIN RSA "],
  ["keys of PuTTY", "PuTTY-User-Key-File-3: "],
  ["addresses for Java", "jdbc:a:"],
  ["prefixes", "sk-ant-api03-"],
  ["prefixes with dots", "SG."],
  ["names of keys", "secret_access_key = "],
])("looks for secrets in linear time among many %s", (_, unit) => {
  const timeOf = (length: number): number => {
    const text = unit.repeat(length / unit.length);
    const start = performance.now();
    for (const pattern of SECRET_PATTERNS) findAll(text, pattern);
    return performance.now() - start;
  };
  timeOf(20_000);
  // Quadratic time would take a hundred times as long, seconds at least.
  expect(timeOf(400_000)).toBeLessThan(2000);
});
