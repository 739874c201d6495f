/**
 * A fork that shares its session's label raises both by one write. Each write fails in turn, before it is made or
 * after, and another process goes on: what the fork shows is never above what the session is decided on.
 */
import { describe, expect, it } from "vitest";
import { flowsTo } from "../../src/core/index.ts";
import { createMemoryStore, definePolicy, SluicegateError } from "../../src/index.ts";
import { createGate, type Gate, type Session, type Store, sealEntries } from "../../src/runtime/index.ts";
import { openSqliteStore } from "../../src/stores/index.ts";
import { temporaryFolder } from "../fixtures/temporary-folder.ts";

const POLICY = definePolicy(
  {
    tools: {
      read_mail: { permissions: ["read"], source: { level: "confidential" } },
      read_wiki: { permissions: ["read"], source: { level: "internal" } },
      search_web: { permissions: ["connect"] },
    },
  },
  { version: "v1" },
);
const { path } = temporaryFolder();

const failure = (): SluicegateError =>
  new SluicegateError("store-failed", "The store failed.", { why: "By design.", fix: "None." });

/** The same store for a process that dies at its n-th append: that one and all later ones fail. */
function dyingAt(nth: number, when: "before" | "after", store: Store) {
  const counted = { appends: 0 };
  const append: Store["append"] = async (...given) => {
    counted.appends += 1;
    if (counted.appends > nth || (counted.appends === nth && when === "before")) throw failure();
    const written = await store.append(...given);
    if (counted.appends === nth) throw failure();
    return written;
  };
  return { store: { ...store, append }, counted };
}

const open = (store: Store): Gate => createGate({ policy: POLICY, store, digestKey: new Uint8Array(32) });

async function reopened(store: Store, id: string): Promise<Session> {
  return (await open(store).session(id)) ?? expect.fail("the session is lost");
}

const run = async (session: Session, tool: string): Promise<string> =>
  (await session.call({ tool }, () => "released")).effect;

/** A session with a fork and a fork of that, as another process left them. */
async function family(store: Store): Promise<readonly string[]> {
  const session = await open(store).open({ principal: "ada" });
  const fork = await session.fork({ sharesLabel: true });
  const grandchild = await fork.fork({ sharesLabel: true });
  return [session.id, fork.id, grandchild.id];
}

describe.each([
  ["memory", () => createMemoryStore()],
  ["SQLite", () => openSqliteStore(path())],
] as const)("forks that share a label, in a %s store", (_, create) => {
  it.each([
    ["before", "read_mail"],
    ["after", "read_mail"],
    ["before", "report"],
    ["after", "report"],
  ] as const)("never show more than the session is decided on, whichever write the process dies at (%s it is made, by %s; law-8)", async (when, by) => {
    let undisturbed = 0;
    for (let nth = 1; undisturbed === 0; nth += 1) {
      const store = create();
      const [session = "", fork = "", grandchild = ""] = await family(store);
      const dying = dyingAt(nth, when, store);
      const work = async (): Promise<void> => {
        const one = await reopened(dying.store, grandchild);
        if (by === "read_mail") await run(one, "read_mail");
        else await one.addDataset("crm", "confidential");
      };
      await work().catch(() => {});
      if (dying.counted.appends < nth) undisturbed = nth;
      const levels = async (): Promise<readonly string[]> =>
        Promise.all([session, fork].map(async (id) => (await reopened(store, id)).label.level));
      const shown = (await reopened(store, grandchild)).label;
      for (const id of [session, fork]) {
        const { label, state } = await reopened(store, id);
        expect(flowsTo(state.lattice, shown, label), `write ${nth}: ${shown.level}, ${label.level}`).toBe(
          true,
        );
      }
      expect(await run(await reopened(store, grandchild), "read_mail")).toBe("allow");
      expect(await levels(), `write ${nth}`).toEqual(["confidential", "confidential"]);
      expect(await run(await reopened(store, session), "search_web")).toBe("deny");
      expect((await open(store).verify()).problems).toEqual([]);
      await store.close();
    }
    expect(undisturbed).toBeGreaterThan(1);
  });

  it("give up what an older store holds of them alone, whenever they are loaded (law-8)", async () => {
    const store = create();
    const [session = "", fork = ""] = await family(store);
    const head = await store.head(fork);
    const confidential = { level: "confidential", categories: [], trust: "trusted" };
    const data = { call: null, step: null, tool: null, source: confidential, dataset: "crm" };
    const entry = {
      kind: "label-raised",
      at: "2026-11-22T08:00:00.000Z",
      policy: "v1",
      data: { ...data, label: confidential },
    };
    await store.append(fork, head?.version ?? 0, sealEntries(head, [entry]));
    expect((await reopened(store, fork)).label.level).toBe("confidential");
    expect((await reopened(store, session)).label.level).toBe("confidential");
    await store.close();
  });
});

describe("two gateways on one store", () => {
  it("decide on the label of the whole family, whichever of them raises it (law-8, X15-sqlite)", async () => {
    const file = path();
    const stores = [openSqliteStore(file), openSqliteStore(file)] as const;
    const gates = stores.map(open);
    const session = (await gates[0]?.open({ principal: "ada" })) ?? expect.fail();
    const forks = await Promise.all(Array.from({ length: 6 }, () => session.fork({ sharesLabel: true })));
    const views = await Promise.all(
      [session, ...forks].flatMap(({ id }) => gates.map((gate) => gate.session(id))),
    );
    // All at once: forks of either gateway raise the family while it is written by the others.
    const effects = await Promise.all(
      views.map((view, index) => run(view ?? expect.fail(), index % 3 === 0 ? "read_mail" : "read_wiki")),
    );
    expect(new Set(effects)).toEqual(new Set(["allow"]));
    for (const view of views) expect(await run(view ?? expect.fail(), "search_web")).toBe("deny");
    const entries = await session.journal();
    expect(entries.filter(({ kind }) => kind === "label-raised").length).toBeLessThanOrEqual(2);
    expect((await gates[1]?.verify())?.problems).toEqual([]);
    await Promise.all(stores.map((store) => store.close()));
  });
});
