import { describe, expect, it } from "vitest";
import { definePolicy } from "../../core/index.ts";
import { createMemoryStore } from "../../stores/index.ts";
import { createGate } from "../gate.ts";
import { GATEWAY_CHAIN } from "../journal/gateway-chain.ts";
import { verifyStore } from "../journal/verify-store.ts";
import { systemClock } from "../ports/clock.ts";
import type { OfferedTool } from "../ports/provider.ts";
import type { Store } from "../ports/store.ts";
import { type Definition, toDefinition } from "./definition.ts";
import { Pins } from "./pins.ts";

const SCHEMA = { type: "object" };
const offered = (fields: Partial<OfferedTool> = {}): OfferedTool => ({
  name: "send",
  inputSchema: SCHEMA,
  ...fields,
});
const define = (description: string): Definition => {
  const definition = toDefinition(offered({ description }));
  if (definition === null) throw new Error("It has a canonical form.");
  return definition;
};

const GOOD = define("Sends mail.");
const EVIL = define("Sends mail to me.");
const ID = "mcp__mail__send";

const openPins = (store: Store): Pins =>
  new Pins({ store, clock: systemClock, policyVersion: () => "sha256:1" });
const one = (definition: Definition) => new Map([[ID, definition]]);

describe("a definition's hash", () => {
  it("doesn't depend on the order of its fields", () => {
    const turned = { inputSchema: SCHEMA, description: "Sends mail.", name: "send" };
    expect(toDefinition(offered({ description: "Sends mail." }))?.hash).toBe(toDefinition(turned)?.hash);
  });

  it("is taken over all that came, unknown fields too (X12-pins)", () => {
    const raw = { name: "send", inputSchema: SCHEMA };
    const hashes = [raw, { ...raw, "x-new": 1 }, { ...raw, "x-new": "1" }, { ...raw, _meta: {} }].map(
      (definition) => toDefinition(offered({ raw: definition }))?.hash,
    );
    expect(new Set(hashes).size).toBe(4);
  });

  it.each([
    ["half of a surrogate pair", { description: "\ud800" }],
    ["a member that would be a prototype", JSON.parse('{"a":{"__proto__":{}}}')],
    ["no end", nest(200)],
  ])("can't be taken over what has %s (X12-pins)", (_, raw) => {
    expect(toDefinition(offered({ raw }))).toBeNull();
  });
});

function nest(depth: number): OfferedTool["raw"] {
  return depth === 0 ? {} : { inner: nest(depth - 1) };
}

describe("the first definition of a tool", () => {
  it("is pinned, and no later one takes its place (X12-pins)", async () => {
    const pins = openPins(createMemoryStore());
    await pins.pin(one(GOOD));
    await pins.pin(one(EVIL));
    expect([pins.hashOf(ID), await pins.textOf(ID), pins.tools]).toEqual([GOOD.hash, GOOD.text, [ID]]);
  });

  it("is known to whoever opens the store later (X12-pins)", async () => {
    const store = createMemoryStore();
    await openPins(store).pin(one(GOOD));
    const later = openPins(store);
    expect(later.hashOf(ID)).toBeNull();
    await later.load();
    expect(later.hashOf(ID)).toBe(GOOD.hash);
  });

  it("is one, though two gateways see two at the same moment (X12-pins)", async () => {
    const store = createMemoryStore();
    const [left, right] = [openPins(store), openPins(store)];
    await Promise.all([left.load(), right.load()]);
    await Promise.all([left.pin(one(GOOD)), right.pin(one(EVIL))]);
    await Promise.all([left.load(), right.load()]);
    expect(left.hashOf(ID)).toBe(right.hashOf(ID));
    expect(left.version).toBe(1);
  });

  it("isn't pinned where that can't be written, and is once it can (X12-pins, law-9)", async () => {
    const store = createMemoryStore();
    let isFull = true;
    const pins = openPins({
      ...store,
      head: (session) => store.head(session),
      read: (...asked) => store.read(...asked),
      kept: (...asked) => store.kept(...asked),
      append: (...asked) => (isFull ? Promise.reject(new Error("disk full")) : store.append(...asked)),
    });
    await expect(pins.pin(one(GOOD))).rejects.toThrow("disk full");
    expect(pins.hashOf(ID)).toBeNull();
    isFull = false;
    await pins.pin(one(GOOD));
    expect(pins.hashOf(ID)).toBe(GOOD.hash);
  });
});

describe("an accepted definition", () => {
  it("takes the place of the pinned one, and names it (X12-pins)", async () => {
    const store = createMemoryStore();
    const pins = openPins(store);
    await pins.pin(one(GOOD));
    await pins.accept(ID, EVIL);
    await pins.accept(ID, EVIL);
    const entries = await store.read(GATEWAY_CHAIN, 0, 10);
    expect(entries.map(({ kind, data }) => [kind, data])).toEqual([
      ["definition-pinned", { session: GATEWAY_CHAIN, tool: ID, hash: GOOD.hash }],
      ["definition-accepted", { tool: ID, hash: EVIL.hash, previous: GOOD.hash }],
    ]);
    expect([pins.hashOf(ID), await pins.textOf(ID)]).toEqual([EVIL.hash, EVIL.text]);
  });

  it("is told to gateways that knew the one before (X12-pins)", async () => {
    const store = createMemoryStore();
    const [left, right] = [openPins(store), openPins(store)];
    await left.pin(one(GOOD));
    await right.load();
    await left.accept(ID, EVIL);
    expect(right.hashOf(ID)).toBe(GOOD.hash);
    await right.pin(new Map([["mcp__web__search", GOOD]]));
    expect([right.hashOf(ID), right.version]).toEqual([EVIL.hash, 3]);
  });
});

describe("what lies in the store", () => {
  it("is no text of a definition where it isn't what was hashed (X12-pins)", async () => {
    const store = createMemoryStore();
    const pins = openPins(store);
    await pins.pin(one(GOOD));
    await store.append(GATEWAY_CHAIN, 1, [], [{ key: `definition:${ID}`, value: EVIL.text }]);
    expect([await pins.textOf(ID), pins.hashOf(ID)]).toEqual([null, GOOD.hash]);
  });

  it("is refused where the chain is cut or changed, and nothing is pinned on it (X12-pins)", async () => {
    const store = createMemoryStore();
    await openPins(store).pin(one(GOOD));
    const [entry] = await store.read(GATEWAY_CHAIN, 0, 1);
    const forged = { ...entry, data: { ...entry?.data, hash: EVIL.hash } } as NonNullable<typeof entry>;
    for (const read of [async () => [], async () => [forged]]) {
      const pins = openPins({ ...store, head: (session) => store.head(session), read });
      await expect(pins.load()).rejects.toMatchObject({ code: "store-damaged" });
      await expect(pins.pin(one(EVIL))).rejects.toMatchObject({ code: "store-damaged" });
      expect(pins.hashOf(ID)).toBeNull();
    }
  });

  it("is verified with the sessions' chains, and is no session (X12-pins)", async () => {
    const store = createMemoryStore();
    await openPins(store).pin(one(GOOD));
    expect(await verifyStore(store)).toEqual({ ok: true, sessions: 0, entries: 1, problems: [] });
  });

  it("is no session to a gate either, by any way that takes an id (X12-pins)", async () => {
    const store = createMemoryStore();
    await openPins(store).pin(one(GOOD));
    const gate = createGate({ policy: definePolicy({}), store });
    expect(await gate.session(GATEWAY_CHAIN)).toBeNull();
    await expect(gate.reset(GATEWAY_CHAIN)).rejects.toMatchObject({ code: "session-not-found" });
    expect(await store.read(GATEWAY_CHAIN, 1, 9)).toEqual([]);
  });

  it("holds ten thousand pins, read and written in a moment", async () => {
    const store = createMemoryStore();
    const many = new Map(Array.from({ length: 10_000 }, (_, index) => [`mcp__mail__t${index}`, GOOD]));
    const started = performance.now();
    await openPins(store).pin(many);
    const pins = openPins(store);
    await pins.load();
    expect(pins.tools).toHaveLength(10_000);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
