import { describe, expect, it } from "vitest";
import { type Meter, type Tool, withOffered } from "../core/index.ts";
import {
  createGate,
  createMemoryStore,
  definePolicy,
  type PolicyDeclaration,
  SluicegateError,
} from "../index.ts";
import { isTurnOver, TURN_MS } from "../threads/index.ts";
import type { Store } from "./index.ts";

const OFFICE: PolicyDeclaration = {
  tools: {
    search_email: { permissions: ["read"], source: { level: "internal", trust: "untrusted" } },
    search_docs: { permissions: ["read"], source: { level: "internal" } },
    web_search: { permissions: ["connect"], source: { trust: "untrusted" }, sink: [{ level: "public" }] },
    slack_post: { permissions: ["connect"] },
    github_create_pr: { permissions: ["write", "connect"], sink: [{ level: "internal" }] },
    crm_sync: {
      permissions: ["read", "connect"],
      source: { level: "confidential" },
      sink: [{ level: "confidential" }],
    },
    pay: { permissions: ["write"], approval: "always" },
  },
  roles: { reader: { tools: ["search_email", "search_docs", "slack_post"], permissions: ["read"] } },
};

const newGate = (store: Store = createMemoryStore(), declaration: PolicyDeclaration = OFFICE) =>
  createGate({ policy: definePolicy(declaration, { version: "test" }), store });

const ran = () => "ran";

it("is opened before others of a principal that opens and forks many at once (D5-queue)", async () => {
  const gate = newGate();
  const parent = await gate.open({ principal: "ada" });
  const order: string[] = [];
  const note = (who: string) => (): void => void order.push(who);
  // The turn is used up, so whoever opens a session waits.
  for (const end = performance.now() + 2 * TURN_MS; performance.now() < end; ) isTurnOver();
  const many = Array.from({ length: 100 }, (_, at) =>
    (at % 2 === 0 ? gate.open({ principal: "ada" }) : parent.fork()).then(note("ada")),
  );
  await Promise.all([...many, gate.open({ principal: "bob" }).then(note("bob"))]);
  expect(order.indexOf("bob")).toBeLessThan(20);
});

describe("a session", () => {
  it("refuses the web after mail, runs both the other way round, and the pull request in either (C1-declared, law-8)", async () => {
    const session = await newGate().open();
    expect(
      await session.call({ tool: "search_email", arguments: { query: "q3" } }, (args) => args),
    ).toMatchObject({
      effect: "allow",
      result: { query: "q3" },
      raises: { level: "internal", categories: [], trust: "untrusted" },
    });
    const refused = await session.call({ tool: "web_search" }, ran);
    expect(refused).not.toHaveProperty("result");
    expect(refused.reasons).toEqual([
      {
        code: "flow-blocked",
        message:
          "Tool `web_search` is blocked in this session. `search_email` (call 1) loaded internal data, and `web_search` may receive public data at most. Call `web_search` before `search_email`, or give that part of the task to a session of its own.",
        causedBy: [{ step: 0, tool: "search_email", dataset: "search_email" }],
      },
    ]);
    expect((await session.call({ tool: "github_create_pr" }, ran)).effect).toBe("allow");
    const other = await newGate().open();
    for (const tool of ["web_search", "search_email", "github_create_pr"]) {
      expect((await other.call({ tool }, ran)).effect).toBe("allow");
    }
  });

  it("may read its own source again, though that is also a sink (A7)", async () => {
    const session = await newGate().open();
    expect((await session.call({ tool: "crm_sync" }, ran)).effect).toBe("allow");
    expect((await session.call({ tool: "crm_sync" }, ran)).effect).toBe("allow");
    expect((await session.call({ tool: "slack_post" }, ran)).effect).toBe("deny");
  });

  it("is raised before the tool runs, and stays raised when the tool fails (law-8)", async () => {
    const store = createMemoryStore();
    const session = await newGate(store).open();
    const seen: string[] = [];
    const failing = session.call({ tool: "search_email" }, async () => {
      const entries = await store.read(session.id, 0, 10);
      seen.push(...entries.map(({ kind }) => kind));
      throw new Error("the mailbox is gone");
    });
    await expect(failing).rejects.toThrow("the mailbox is gone");
    expect(seen).toEqual(["session-opened", "call-admitted"]);
    expect(session.label.level).toBe("internal");
    expect((await session.call({ tool: "web_search" }, ran)).effect).toBe("deny");
  });

  it("runs nothing and raises nothing where the journal can't be written (X15-sqlite, law-9)", async () => {
    const store = createMemoryStore();
    let broken = false;
    const failing: Store = {
      ...store,
      append: (...args) => {
        if (!broken) return store.append(...args);
        throw new SluicegateError("store-failed", "The disk is full.", {
          why: "No space.",
          fix: "Make some.",
        });
      },
    };
    const session = await newGate(failing).open();
    broken = true;
    let runs = 0;
    await expect(session.call({ tool: "search_email" }, () => (runs += 1))).rejects.toMatchObject({
      code: "store-failed",
    });
    broken = false;
    expect(runs).toBe(0);
    expect((await session.call({ tool: "web_search" }, ran)).effect).toBe("allow");
  });

  it("keeps every write's invariants, whichever of them fails (X15-sqlite)", async () => {
    for (let failAt = 1; ; failAt += 1) {
      const store = createMemoryStore();
      let writes = 0;
      const failing: Store = {
        ...store,
        append: async (...args) => {
          writes += 1;
          if (writes === failAt)
            throw new SluicegateError("store-failed", "It failed.", { why: "By design.", fix: "None." });
          return store.append(...args);
        },
      };
      const gate = newGate(failing);
      const ranTools: string[] = [];
      const play = async () => {
        const session = await gate.open();
        for (const tool of ["web_search", "search_email", "slack_post", "github_create_pr"]) {
          await session.call({ tool }, () => ranTools.push(tool)).catch(() => undefined);
        }
        await session.flush().catch(() => undefined);
        return session.id;
      };
      const id = await play().catch(() => null);
      const entries = id === null ? [] : await store.read(id, 0, 100);
      const admitted = entries.filter(({ kind }) => kind === "call-admitted").map(({ data }) => data.tool);
      expect(ranTools.every((tool) => admitted.includes(tool))).toBe(true);
      expect(
        ranTools.indexOf("slack_post") < 0 ||
          !ranTools.slice(0, ranTools.indexOf("slack_post")).includes("search_email"),
      ).toBe(true);
      expect((await gate.verify()).ok).toBe(true);
      if (writes < failAt) break;
    }
  });

  it("evaluates the conditions of a batch within one bound, and asks where that is used up (X3-approval)", async () => {
    const holds = (_: unknown, meter?: Meter): boolean => {
      meter?.charge(100_000);
      return false;
    };
    const costly = {
      tools: { pay: { permissions: ["write"], approval: { when: "args.n > 1", holds } } },
    } as const;
    const session = await newGate(undefined, costly).open();
    const batch = await session.decide(Array(6).fill({ tool: "pay" }));
    expect(batch.map(({ effect }) => effect)).toEqual(["allow", "allow", "allow", "allow", "ask", "ask"]);
    expect((await session.decide([{ tool: "pay" }]))[0]?.effect).toBe("allow");
  });

  it("admits a batch in the order given and refuses what the one before it shut (law-8)", async () => {
    const session = await newGate().open();
    const decisions = await session.decide([
      { tool: "search_docs" },
      { tool: "slack_post" },
      { tool: "github_create_pr" },
    ]);
    expect(decisions.map(({ effect }) => effect)).toEqual(["allow", "deny", "allow"]);
  });

  it("answers two hundred calls at once, and shuts the way out for those behind the read", async () => {
    const session = await newGate().open();
    const tools = Array.from({ length: 200 }, (_, index) => (index === 100 ? "search_docs" : "slack_post"));
    const outcomes = await Promise.all(tools.map((tool) => session.call({ tool }, ran)));
    expect(outcomes.map(({ effect }) => effect)).toEqual([
      ...Array(101).fill("allow"),
      ...Array(99).fill("deny"),
    ]);
  });

  it("gives the tool the canonical copy of its arguments, whatever happens to the original", async () => {
    const session = await newGate().open();
    const args = { b: 1, a: { list: [1, 2] } };
    const pending = session.call({ tool: "search_docs", arguments: args }, (given) => JSON.stringify(given));
    args.a.list.push(3);
    expect(await pending).toMatchObject({ result: '{"a":{"list":[1,2]},"b":1}' });
    await expect(session.decide([{ tool: "pay", arguments: { amount: Number.NaN } }])).rejects.toMatchObject({
      code: "unsupported-value",
    });
  });

  it("gives the same waiting call the same approval, and another one to another call", async () => {
    const gate = newGate();
    const session = await gate.open();
    const ask = async (amount: number) =>
      (await session.call({ tool: "pay", arguments: { amount } }, ran)).approval?.id;
    const [first, again, other] = [await ask(1), await ask(1), await ask(2)];
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect((await gate.pendingApprovals()).map(({ id }) => id)).toEqual([first, other]);
  });

  it("reads an unreadable journal entry as the highest label (A4, law-9)", async () => {
    const { sealEntries } = await import("./journal/journal.ts");
    const store = createMemoryStore();
    const at = "2026-11-21T20:00:00.000Z";
    const entries = [
      {
        kind: "session-opened",
        at,
        policy: "test",
        data: { principal: "ada", role: null, tools: null, task: false },
      },
      {
        kind: "label-raised",
        at,
        policy: "test",
        data: {
          call: null,
          source: { level: "galactic", categories: [], trust: "trusted" },
          dataset: "x",
          label: {},
        },
      },
    ];
    const id = `sess_${"a".repeat(32)}`;
    await store.append(id, 0, sealEntries(null, entries));
    const session = await newGate(store).session(id);
    expect(session?.label).toEqual({ level: "*", categories: ["*"], trust: "untrusted" });
    const unknown = `sess_${"b".repeat(32)}`;
    await store.append(
      unknown,
      0,
      sealEntries(null, [...entries.slice(0, 1), { kind: "label-lowered", at, policy: "test", data: {} }]),
    );
    expect((await newGate(store).session(unknown))?.label.level).toBe("*");
  });

  it("never loses a raise of two gates on one store (law-3, A4)", async () => {
    const store = createMemoryStore();
    const levels = ["internal", "confidential", "secret"];
    const [left, right] = [newGate(store), newGate(store)];
    const session = await left.open();
    const twin = await right.session(session.id);
    const raises = Array.from({ length: 400 }, (_, index) =>
      (index % 2 === 0 ? session : twin)?.addDataset(`set-${index}`, levels[index % 3] ?? "secret"),
    );
    await Promise.all(raises);
    for (const view of [session, twin]) {
      await view?.refresh();
      expect(view?.label.level).toBe("secret");
      expect(view?.datasets).toHaveLength(400);
    }
  });
});

describe("a name that comes to mean another tool", () => {
  it("runs the tool that was decided on (law-5)", async () => {
    const servers = { a: { tools: { look: { permissions: ["read"] } } }, b: {} } as const;
    const policy = definePolicy({ servers });
    const gate = createGate({ policy });
    const session = await gate.open();
    const outcome = await session.call({ tool: "look" }, (_, { tool }) => {
      gate.usePolicy(withOffered(withOffered(policy, "a", []), "b", ["look"]));
      return tool;
    });
    expect(outcome).toMatchObject({ effect: "allow", result: "mcp__a__look" });
  });
});

describe("a hidden tool", () => {
  it("looks like one that isn't there, also where a fact about it could not be found out (law-5)", async () => {
    const facts = () => ({ faults: [{ code: "provider" as const, message: "The server `mail` is down." }] });
    const gate = createGate({ policy: definePolicy(OFFICE), facts });
    const session = await gate.open({ tools: ["search_docs"] });
    const refused = await session.call({ tool: "search_email" }, ran);
    expect(refused.faults).toEqual([]);
    expect(refused.reasons.map(({ code }) => code)).toEqual(["unknown-tool"]);
  });
});

describe("a grant", () => {
  it("is asked at every call, and can change in mid-conversation (A2)", async () => {
    let granted: ("read" | "connect")[] = ["read", "connect"];
    let asked = 0;
    const session = await newGate().open();
    const permissions = () => {
      asked += 1;
      return granted;
    };
    await session.run({ permissions }, async (view) => {
      expect((await view.call({ tool: "slack_post" }, ran)).effect).toBe("allow");
      granted = ["read"];
      const refused = await view.call({ tool: "slack_post" }, ran);
      expect(refused.reasons).toMatchObject([
        { code: "permission-missing", message: expect.stringContaining("It needs `connect`") },
      ]);
    });
    expect(asked).toBe(2);
  });

  it("that throws grants nothing and is a fault (law-9)", async () => {
    const session = await newGate().open();
    const permissions = () => {
      throw new Error("directory is down");
    };
    const refused = await session.run({ permissions }, (view) => view.call({ tool: "search_docs" }, ran));
    expect(refused.effect).toBe("deny");
    expect(refused.faults).toEqual([
      { code: "permissions", message: "The function that grants permissions threw." },
    ]);
    expect(JSON.stringify(refused)).not.toContain("directory is down");
  });

  it("of a role takes away what the role lacks (A1, A8)", async () => {
    const session = await newGate().open({ role: "reader" });
    expect(session.tools.map(({ name }) => name)).toEqual(["search_email", "search_docs"]);
    const refused = await session.call({ tool: "slack_post" }, ran);
    expect(refused.reasons.map(({ code }) => code)).toEqual(["permission-missing"]);
    await expect(newGate().open({ role: "king" })).rejects.toMatchObject({ code: "invalid-request" });
  });
});

describe("a run", () => {
  it("sees only what its visibility policy leaves, which can add nothing (B2, law-5)", async () => {
    const session = await newGate().open({ tools: ["search_docs", "web_search", "slack_post"] });
    const visibility = { visibleTools: async () => ["search_docs", "search_email", "crm_sync"] };
    await session.run({ visibility }, async (view) => {
      expect(view.tools.map(({ name }) => name)).toEqual(["search_docs"]);
      expect(view.manifest().tools.map(({ name }) => name)).toEqual(["search_docs"]);
      expect(view.planningPrompt()).not.toContain("web_search");
      for (const tool of ["web_search", "search_email", "crm_sync", "nothing"]) {
        expect((await view.call({ tool }, ran)).reasons).toEqual([
          {
            code: "unknown-tool",
            message: `There is no tool \`${tool}\` in this session. Use a tool of the session's manifest.`,
          },
        ]);
      }
    });
    expect(session.tools).toHaveLength(3);
  });

  it("has nothing that its visibility policy adds to the tools that it was given (B2, law-4)", async () => {
    const session = await newGate().open();
    const all = session.tools;
    const adding = (tools: readonly Tool[]): readonly Tool[] => {
      // Code without types may say anything.
      (tools as Tool[]).push(...all);
      return tools;
    };
    const toolPolicies = [{ deniedTools: ["slack_post"] }];
    const run = session.run(
      { toolPolicies, visibility: { visibleTools: adding } },
      (view) => view.tools.length,
    );
    await expect(run).rejects.toMatchObject({ code: "visibility-failed" });
    let later: Tool[] = [];
    const keeping = { visibleTools: (tools: readonly Tool[]) => (later = tools as Tool[]) };
    await session.run({ toolPolicies, visibility: keeping }, async (view) => {
      expect(() => later.push(...all)).toThrow(TypeError);
      expect((await view.call({ tool: "slack_post" }, ran)).effect).toBe("deny");
    });
  });

  it("fails closed where its visibility policy throws (B2, law-9)", async () => {
    const session = await newGate().open();
    let started = false;
    const visibility = {
      visibleTools: () => {
        throw new Error("no directory");
      },
    };
    const run = session.run({ visibility }, () => {
      started = true;
    });
    await expect(run).rejects.toMatchObject({ code: "visibility-failed" });
    expect(started).toBe(false);
  });

  it("isn't disturbed by another run on the same session at the same time (B3-library)", async () => {
    const session = await newGate().open();
    const both = Promise.withResolvers<void>();
    let inside = 0;
    const see = (name: string) =>
      session.run({ visibility: { visibleTools: () => [name] } }, async (view) => {
        inside += 1;
        if (inside === 2) both.resolve();
        await both.promise;
        return [view.tools.map((tool) => tool.name), (await view.call({ tool: "search_docs" }, ran)).effect];
      });
    expect(await Promise.all([see("search_docs"), see("web_search")])).toEqual([
      [["search_docs"], "allow"],
      [["web_search"], "deny"],
    ]);
  });

  it("inside a run only narrows further (law-4)", async () => {
    const session = await newGate().open({ permissions: ["read"] });
    const outer = { visibility: { visibleTools: () => ["search_docs", "slack_post"] } };
    await session.run(outer, (view) =>
      view.run(
        {
          visibility: { visibleTools: () => ["search_docs", "search_email"] },
          permissions: ["read", "connect"],
        },
        async (inner) => {
          expect(inner.tools.map(({ name }) => name)).toEqual(["search_docs"]);
          expect((await inner.call({ tool: "slack_post" }, ran)).effect).toBe("deny");
        },
      ),
    );
  });
});

describe("a gate", () => {
  it("built with a tool policy has lost what that takes (B1)", async () => {
    const gate = createGate({
      policy: definePolicy(OFFICE),
      toolPolicy: { allowedTools: [], deniedTools: [] },
    });
    const session = await gate.open();
    expect(session.tools).toEqual([]);
    expect((await session.call({ tool: "search_docs" }, ran)).reasons.map(({ code }) => code)).toEqual([
      "denied-by-policy",
    ]);
  });

  it("keeps the user's words beside the journal, never in it", async () => {
    const gate = newGate();
    const session = await gate.open({ task: "Compare our Q3 mail with the news" });
    expect(await gate.task(session.id)).toBe("Compare our Q3 mail with the news");
    expect(JSON.stringify(await session.journal())).not.toContain("Q3");
  });

  it("falls back to one sticky session per principal, also when two calls come at once", async () => {
    const store = createMemoryStore();
    const gate = newGate(store);
    const [one, two] = await Promise.all([gate.sticky("ada"), gate.sticky("ada")]);
    expect(one.id).toBe(two.id);
    const events = (await store.feed(0, 10)).map(({ session, entry }) => [session === one.id, entry.kind]);
    expect(events.filter(([isKept]) => isKept)).toEqual([[true, "session-opened"]]);
    expect(events.filter(([isKept]) => !isKept)).toEqual([
      [false, "session-opened"],
      [false, "session-closed"],
    ]);
    expect((await gate.sticky("grace")).id).not.toBe(one.id);
    const successor = await gate.reset(one.id);
    expect((await gate.sticky("ada")).id).toBe(successor.id);
  });

  it("runs no call whose caller has left while it was decided", async () => {
    const session = await newGate().open();
    const caller = new AbortController();
    let runs = 0;
    const run = (): void => {
      runs += 1;
    };
    const call = session.call({ tool: "search_email" }, run, { signal: caller.signal });
    caller.abort();
    await expect(call).rejects.toMatchObject({ code: "upstream-unavailable" });
    expect(runs).toBe(0);
    expect((await session.journal()).map(({ kind }) => kind)).toEqual([
      "session-opened",
      "call-admitted",
      "call-finished",
    ]);
  });

  it("resets no session whose role is gone, since one without a role would have more", async () => {
    const gate = createGate({ policy: definePolicy({ ...OFFICE, roles: { passing: { tools: [] } } }) });
    const session = await gate.open({ role: "passing" });
    gate.usePolicy(definePolicy(OFFICE));
    await expect(gate.reset(session.id)).rejects.toMatchObject({ code: "invalid-request" });
    expect((await gate.session(session.id))?.state.closed).toBe(false);
  });

  it("lets sessions go from memory and knows their label again", async () => {
    const gate = createGate({ policy: definePolicy(OFFICE), mostInMemory: 2 });
    const first = await gate.open();
    await first.addDataset("crm", "secret");
    for (let count = 0; count < 5; count += 1) await gate.open();
    expect((await gate.session(first.id))?.label.level).toBe("secret");
  });

  it("keeps the handles of one session at one state, however many other sessions are opened (A3)", async () => {
    const gate = createGate({ policy: definePolicy(OFFICE), mostInMemory: 2 });
    const kept = await gate.open();
    for (let count = 0; count < 5; count += 1) await gate.open();
    const other = await gate.session(kept.id);
    await other?.addDataset("crm", "secret");
    expect([kept.label.level, kept.private]).toEqual(["secret", true]);
    for (let count = 0; count < 5; count += 1) await gate.open();
    await kept.addDataset("hr", { level: "secret", categories: ["hr"] });
    expect(other?.label.categories).toEqual(["hr"]);
  });
});
