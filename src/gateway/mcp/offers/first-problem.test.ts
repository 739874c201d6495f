import { describe, expect, it } from "vitest";
import { hasValidBlocks, hasValidContents, hasValidLists, hasValidMessages } from "./first-problem.ts";

/** Many of one entry, and how many of them were examined. */
function counted(entry: unknown): { readonly list: unknown[]; readonly looks: () => number } {
  let looks = 0;
  const list = Array.from({ length: 500 }, () => entry);
  const counting = new Proxy(list, {
    get: (target, key, receiver) => {
      if (typeof key === "string" && /^\d+$/.test(key)) looks += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  return { list: counting, looks: () => looks };
}

const text = { type: "text", text: "x" };
const link = { type: "resource_link", name: "n", uri: "a:b" };

describe("what a server gave", () => {
  it.each([
    ["blocks", hasValidBlocks, { type: "resource", resource: { uri: 1, text: 2 } }],
    ["blocks of an unknown type", hasValidBlocks, { type: "hologram" }],
    ["contents", hasValidContents, { uri: "a:b" }],
    ["messages", hasValidMessages, { role: "user", content: { type: "text" } }],
    ["messages that are none", hasValidMessages, 1],
    ["audiences", (audience: unknown) => hasValidBlocks([{ ...text, annotations: { audience } }]), 1],
    ["icons", (icons: unknown) => hasValidBlocks([{ ...link, icons }]), { src: 1 }],
    ["sizes", (sizes: unknown) => hasValidBlocks([{ ...link, icons: [{ src: "a:b", sizes }] }]), 1],
    ["arguments", (args: unknown) => hasValidLists({ name: "p", arguments: args }), { name: 1 }],
    [
      "audiences of a message",
      (audience: unknown) =>
        hasValidMessages([{ role: "user", content: { ...text, annotations: { audience } } }]),
      "nobody",
    ],
  ])("is checked up to the first invalid entry: %s (X14)", (_, isValid, entry) => {
    const { list, looks } = counted(entry);
    expect(isValid(list)).toBe(false);
    expect(looks()).toBeLessThan(5);
  });

  it.each([
    ["blocks", hasValidBlocks, { ...text, annotations: { audience: ["user"] }, tint: [1, 2] }],
    ["blocks with icons", hasValidBlocks, { ...link, icons: [{ src: "a:b", sizes: ["any"] }] }],
    ["contents", hasValidContents, { uri: "a:b", blob: "AAAA" }],
    ["messages", hasValidMessages, { role: "assistant", content: text }],
  ])("passes where all of it is valid: %s (X14)", (_, isValid, entry) => {
    expect(isValid(Array.from({ length: 500 }, () => entry))).toBe(true);
  });
});
