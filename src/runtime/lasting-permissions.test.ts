import { beforeEach, describe, expect, it } from "vitest";
import { definePolicy } from "../core/index.ts";
import { createMemoryStore } from "../stores/index.ts";
import { createGate, type Gate } from "./gate.ts";
import { fromEntry } from "./journal/stored-event.ts";
import type { Session } from "./session.ts";

const policy = definePolicy({
  tools: {
    lookup: { permissions: ["read"] },
    refund: { permissions: ["write"] },
    web: { permissions: ["connect"] },
  },
});

let gate: Gate;
let store: ReturnType<typeof createMemoryStore>;
beforeEach(() => {
  store = createMemoryStore();
  gate = createGate({ policy, store });
});

const names = (session: Session): readonly string[] => session.tools.map(({ name }) => name);
const effect = async (session: Session | null, tool: string) =>
  (await session?.call({ tool }, () => "ran"))?.effect;
const reopened = async (id: string): Promise<Session> => {
  // Another process has nothing but the store.
  const other = await createGate({ policy, store }).session(id);
  if (other === null) throw new Error("There is no such session.");
  return other;
};

describe("the permissions that a session is opened with", () => {
  it("hold for every handle, fork and reset of it, in any process (law-4, B6)", async () => {
    const session = await gate.open({ permissions: ["read"] });
    const fork = await session.fork();
    const reset = await gate.reset((await gate.open({ permissions: new Set(["read"] as const) })).id);
    for (const { id } of [session, fork, reset])
      for (const handle of [await gate.session(id), await reopened(id)]) {
        expect(await effect(handle, "web")).toBe("deny");
        expect(handle && names(handle)).toEqual(["lookup"]);
      }
    const manifest = (await reopened(session.id)).manifest();
    expect(manifest.tools.map(({ name }) => name)).toEqual(["lookup"]);
  });

  it("are what no run and no fork of it can have more than (law-4)", async () => {
    const session = await reopened((await gate.open({ permissions: ["read", "write"] })).id);
    const all = ["read", "write", "connect"] as const;
    for (const permissions of [all, () => all]) {
      expect(await session.run({ permissions }, names)).toEqual(["lookup", "refund"]);
      expect(await session.run({ permissions }, (view) => effect(view, "web"))).toBe("deny");
      const fork = await session.run({ permissions }, (view) => view.fork());
      expect(await effect(await reopened(fork.id), "web")).toBe("deny");
    }
  });

  it("of a sticky session hold at each call (law-4)", async () => {
    for (const _ of [1, 2])
      expect(await effect(await gate.sticky("ada", { permissions: ["read"] }), "web")).toBe("deny");
  });

  it("of a run are a fork's for good, as they are when it is opened (law-4)", async () => {
    const session = await gate.open();
    for (const permissions of [["read"] as const, () => ["read"] as const]) {
      const fork = await session.run({ permissions }, (view) => view.fork());
      expect(names(await reopened(fork.id))).toEqual(["lookup"]);
    }
    const broken = () => {
      throw new Error("The directory is down.");
    };
    await expect(session.run({ permissions: broken }, (view) => view.fork())).rejects.toThrow("directory");
  });

  it("can't be a function, which no journal keeps", async () => {
    const permissions: any = () => ["read"];
    for (const made of [gate.open({ permissions }), gate.sticky("ada", { permissions })])
      await expect(made).rejects.toMatchObject({
        code: "invalid-request",
        why: "`permissions` must be a list or a set, and is a function.",
        fix: expect.stringContaining("`session.run({ permissions })`"),
      });
  });

  it("raise the session to the top where they can't be read (law-9)", async () => {
    const session = await gate.open({ permissions: ["write", "read", "read"] });
    const [opened] = await session.journal();
    if (opened === undefined) throw new Error("It has no entry.");
    expect(opened.data.permissions).toEqual(["read", "write"]);
    for (const permissions of [null, "read", ["reed"], [["read"]]]) {
      const event = fromEntry(policy.lattice, { ...opened, data: { ...opened.data, permissions } });
      expect(event).toMatchObject({ kind: "label-raised", source: { level: "*" } });
    }
  });
});
