import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../stores/memory.ts";
import { GATEWAY_CHAIN } from "./journal/gateway-chain.ts";
import { verifyStore } from "./journal/verify-store.ts";
import { systemClock } from "./ports/clock.ts";
import { SealedValues } from "./sealed-values.ts";

const KEY = new Uint8Array(32).fill(7);
const SECRET = "at_0123456789abcdef";

function open(key = KEY, store = createMemoryStore()) {
  const values = new SealedValues({ store, clock: systemClock, key, policyVersion: () => "v1" });
  return { store, values };
}

const entry = { kind: "signed-in", data: { server: "web" } };

describe("sealed values", () => {
  it("come back as they were, and are deleted, each with its entry in the gateway's journal (X21)", async () => {
    const { store, values } = open();
    await values.write([{ name: "web:ada", value: SECRET }], entry);
    expect(await values.read("web:ada")).toBe(SECRET);
    expect(await values.names("web:")).toEqual(["web:ada"]);
    await values.write([{ name: "web:ada", value: null }]);
    expect([await values.read("web:ada"), await values.names("web:")]).toEqual([null, []]);
    expect((await store.read(GATEWAY_CHAIN, 0, 9)).map(({ kind }) => kind)).toEqual(["signed-in"]);
    expect(await verifyStore(store)).toMatchObject({ ok: true });
  });

  it("stand in no store as they are, and open with no other key and under no other name (X21)", async () => {
    const { store, values } = open();
    await values.write([{ name: "web:ada", value: SECRET }], entry);
    const [kept] = await store.keptWith("sealed:", 9);
    expect(kept?.value).not.toContain(SECRET);
    expect(Buffer.from(kept?.value ?? "", "base64").toString("latin1")).not.toContain(SECRET);
    expect(
      await open(
        KEY.map((byte) => byte + 1),
        store,
      ).values.read("web:ada"),
    ).toBeNull();
    const { version } = (await store.head(GATEWAY_CHAIN)) ?? { version: 0 };
    await store.append(GATEWAY_CHAIN, version, [], [{ key: "sealed:web:eve", value: kept?.value ?? "" }]);
    expect(await values.read("web:eve")).toBeNull();
  });

  it("are written by several gateways at once", async () => {
    const { store, values } = open();
    const other = open(KEY, store).values;
    await Promise.all(
      [values, other].flatMap((one, at) =>
        [1, 2, 3].map((part) => one.write([{ name: `n:${at}:${part}`, value: SECRET }], entry)),
      ),
    );
    expect(await values.names("n:")).toHaveLength(6);
  });
});
