/** Text that wants to be something else: every store holds it exactly, or refuses it. */
import { expect, it } from "vitest";
import { sealEntries } from "../../src/runtime/journal/journal.ts";
import { verifyStore } from "../../src/runtime/journal/verify-store.ts";
import { appendNext, codeOf, event, sealed } from "../fixtures/sealed-events.ts";
import type { OpenStore, StoreLimits } from "./store.case.ts";

const HOSTILE: readonly (readonly [string, string])[] = [
  ["nothing", ""],
  ["a quote and a statement", `'; DROP TABLE events; --"`],
  ["wildcards", "%_*?[a-z]"],
  ["a null character", "a\0b"],
  ["only a null character", "\0"],
  ["control characters", "\u0001\u001b[31m\r\n\u007f\u2028"],
  ["a composed letter", "\u00fc"],
  ["the same letter decomposed", "u\u0308"],
  ["an emoji", "👩‍👩‍👧‍👦"],
  ["the replacement character", "\ufffd"],
  ["the last code point", "\u{10ffff}"],
  ["a right-to-left override", "\u202etxt.exe"],
  ["a name of JavaScript", "constructor"],
  ["a name of prototypes", "__proto__"],
  ["a number", "1e3"],
  ["JSON", '{"a":"\\u0000"}'],
  ["a megabyte", "x€".repeat(250_000)],
];

export function describeStoreText(
  open: OpenStore,
  { nameBytes = Number.POSITIVE_INFINITY }: StoreLimits,
): void {
  const names = HOSTILE.filter(([, text]) => Buffer.byteLength(text) <= nameBytes);
  const tooLong = HOSTILE.filter(([, text]) => Buffer.byteLength(text) > nameBytes);

  it.each(tooLong)("holds %s as value and data, and refuses it as a name", async (_title, text) => {
    const { store } = await open();
    const entry = await appendNext(store, "s", { text }, [{ key: "k", value: text }]);
    expect(await store.read("s", 0, 9)).toEqual([entry]);
    expect(await store.kept("s", "k")).toBe(text);
    const one = sealed(null, 1);
    const asked = [
      store.append(text, 0, one),
      store.append("t", 0, one, [{ key: text, value: "v" }]),
      store.read(text, 0, 1),
      store.head(text),
      store.kept("s", text),
      store.keptWith(text, 1),
      store.stick(text, "s", null),
    ];
    expect(await Promise.all(asked.map(codeOf))).toEqual(asked.map(() => "unsupported-value"));
    expect(await verifyStore(store)).toMatchObject({ ok: true, sessions: 1, entries: 1 });
  });

  it.each(names)("holds %s as session, key, value, principal and data", async (_title, text) => {
    const { store } = await open();
    await appendNext(store, "other", { text: "no" }, [{ key: "no", value: "no" }]);
    const entry = await appendNext(store, text, { text, list: [text] }, [{ key: text, value: text }]);
    await store.stick(text, text, null);
    expect(await store.head(text)).toEqual({ session: text, version: 1, hash: entry.hash });
    expect(await store.read(text, 0, 9)).toEqual([entry]);
    expect((await store.heads("other", 9)).map(({ session }) => session)).toEqual([text]);
    expect(await store.heads(text, 9)).toEqual([]);
    expect(await store.kept(text, text)).toBe(text);
    expect(await store.keptWith(text, 9)).toContainEqual(
      expect.objectContaining({ session: text, key: text, value: text }),
    );
    expect(await store.keptWith(text, 9)).toHaveLength(text === "" ? 2 : 1);
    expect(await store.sticky(text)).toBe(text);
    expect(await store.stick(text, "other", text)).toBe(true);
    expect((await store.feed(1, 9)).map(({ session }) => session)).toEqual([text]);
    expect(await verifyStore(store)).toMatchObject({ ok: true, sessions: 2, entries: 2 });
  });

  it("keeps hostile sessions apart from each other", async () => {
    const { store } = await open();
    await Promise.all(
      names.map(([title, text]) => appendNext(store, text, {}, [{ key: "k", value: title }])),
    );
    for (const [title, text] of names) {
      expect(await store.kept(text, "k")).toBe(title);
    }
    const opened = (await store.heads(null, 99)).map(({ session }) => session);
    expect(opened.sort()).toEqual(names.map(([, text]) => text).sort());
  });

  it("refuses half a surrogate pair wherever text is taken", async () => {
    const { store } = await open();
    const half = "a\ud800";
    const one = sealed(null, 1);
    const asked = [
      store.append(half, 0, one),
      store.append("s", 0, one, [{ key: half, value: "v" }]),
      store.append("s", 0, one, [{ key: "k", value: half }]),
      store.read(half, 0, 1),
      store.head(half),
      store.heads(half, 1),
      store.kept(half, "k"),
      store.kept("s", half),
      store.keptWith(half, 1),
      store.sticky(half),
      store.stick(half, "s", null),
      store.stick("p", half, null),
    ];
    expect(await Promise.all(asked.map(codeOf))).toEqual(asked.map(() => "unsupported-value"));
    expect(() => sealEntries(null, [event({ half })])).toThrow(/without changing it/);
    expect(await store.heads(null, 1)).toEqual([]);
  });
}
