import { describe, expect, it } from "vitest";
import { createGate, createMemoryStore, definePolicy, SluicegateError } from "../../index.ts";
import type { InspectResult, Store } from "../index.ts";

const policy = definePolicy({
  tools: {
    read_file: { permissions: ["read"] },
    read_mail: { permissions: ["read"], source: { level: "confidential" } },
    post: { permissions: ["connect"] },
  },
});

/** Finds the word "secret" in whatever it is given. */
const findsWord: InspectResult = async (result) => {
  const text = result instanceof Error ? result.message : JSON.stringify(result);
  return text.includes("secret")
    ? { findings: [{ kind: "secret/word", place: "text" }], label: { level: "confidential" } }
    : { findings: [], label: null };
};

const open = (inspect: InspectResult | null = findsWord, store: Store = createMemoryStore()) =>
  createGate({ policy, store, ...(inspect !== null && { inspect }) }).open();

/** A store that writes all but entries of one kind. */
function createRefusingStore(kind: string): Store {
  const store = createMemoryStore();
  const append: Store["append"] = async (session, version, entries, ...rest) => {
    if (entries.some((entry) => entry.kind === kind))
      throw new SluicegateError("store-failed", "It is full.", { why: "No room.", fix: "Make some." });
    return store.append(session, version, entries, ...rest);
  };
  return new Proxy(store, {
    get(target, key) {
      if (key === "append") return append;
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

describe("what is found in a result", () => {
  it("is looked for on behalf of the session whose label it would raise, forks included (C1-detectors)", async () => {
    const holders: unknown[] = [];
    const session = await open(async (_, { labelHolder }) => {
      holders.push(labelHolder);
      return { findings: [], label: null };
    });
    const own = await session.fork();
    for (const view of [session, await session.fork({ sharesLabel: true }), own])
      await view.call({ tool: "read_file" }, () => "text");
    expect(holders).toEqual([session.id, session.id, own.id]);
  });

  it("raises the session and shuts its sinks, and stands in the journal without its value (C1-detectors)", async () => {
    const session = await open();
    const outcome = await session.call({ tool: "read_file" }, () => "the secret of the day");
    expect(outcome).toMatchObject({ effect: "allow", result: "the secret of the day" });
    expect(session.label.level).toBe("confidential");
    expect((await session.call({ tool: "post" }, () => null)).effect).toBe("deny");
    const raised = (await session.journal()).find(({ kind }) => kind === "label-raised");
    expect(raised?.data).toMatchObject({
      tool: "read_file",
      findings: [{ kind: "secret/word", place: "text" }],
      label: { level: "confidential" },
    });
    expect(JSON.stringify(await session.journal())).not.toContain("of the day");
  });

  it("is durable before any of the result is released (C1-detectors)", async () => {
    const store = createMemoryStore();
    const session = await open(findsWord, store);
    await session.call({ tool: "read_file" }, () => "a secret");
    const kinds = (await store.read(session.id, 0, 9)).map(({ kind }) => kind);
    expect(kinds).toEqual(["session-opened", "call-admitted", "label-raised"]);
  });

  it("keeps the result back where it can't be recorded, a thrown one too (C1-detectors)", async () => {
    const session = await open(findsWord, createRefusingStore("label-raised"));
    const given = session.call({ tool: "read_file" }, () => "a secret");
    await expect(given).rejects.toMatchObject({ code: "store-failed" });
    const thrown = session.call({ tool: "read_file" }, () => {
      throw new Error("no secret here");
    });
    await expect(thrown).rejects.toMatchObject({ code: "store-failed" });
    expect(await session.call({ tool: "read_file" }, () => "plain")).toMatchObject({ result: "plain" });
  });

  it("is recorded behind the result where the session's label covers it", async () => {
    const session = await open(findsWord, createRefusingStore("label-raised"));
    expect(await session.call({ tool: "read_mail" }, () => "a secret")).toMatchObject({ result: "a secret" });
    const other = await open();
    await other.call({ tool: "read_mail" }, () => "a secret");
    expect((await other.journal()).map(({ kind }) => kind)).toContain("label-raised");
  });

  it("counts in an error that a tool throws, which is thrown as it came (C1-detectors)", async () => {
    const session = await open();
    const cause = new Error("could not log in with the secret abc");
    const failing = session.call({ tool: "read_file" }, () => Promise.reject(cause));
    await expect(failing).rejects.toBe(cause);
    expect(session.label.level).toBe("confidential");
    const finished = (await session.journal()).find(({ kind }) => kind === "call-finished");
    expect(finished?.data.outcome).toBe("error");
  });

  it("counts in what a tool gives on before its result (C1-detectors)", async () => {
    const session = await open();
    const levels: string[] = [];
    await session.call({ tool: "read_file" }, async (_, { inspect }) => {
      await inspect("a secret part");
      levels.push(session.label.level);
    });
    expect(levels).toEqual(["confidential"]);
  });

  it("reaches those that share the session's label (C1-detectors)", async () => {
    const session = await open();
    const fork = await session.fork({ sharesLabel: true });
    await fork.call({ tool: "read_file" }, () => "a secret");
    expect(session.label.level).toBe("confidential");
  });
});

describe("a look into a result", () => {
  it("that fails counts as having found the worst (C1-detectors)", async () => {
    const session = await open(() => Promise.reject(new Error("broken")));
    expect(await session.call({ tool: "read_file" }, () => "x")).toMatchObject({ result: "x" });
    expect(session.label).toEqual({ level: "*", categories: ["*"], trust: "untrusted" });
    const raised = (await session.journal()).find(({ kind }) => kind === "label-raised");
    expect(raised?.data.findings).toEqual([{ kind: "unexamined", place: "" }]);
  });

  it("that names a level which the policy doesn't have raises to the top (C1-detectors)", async () => {
    const session = await open(async () => ({ findings: [], label: { level: "purple" } }));
    await session.call({ tool: "read_file" }, () => "x");
    expect(session.label.level).toBe("*");
  });

  it("that finds nothing costs no entry, and none is taken where there are no detectors", async () => {
    for (const inspect of [findsWord, null]) {
      const session = await open(inspect);
      await session.call({ tool: "read_file" }, () => "plain");
      const kinds = (await session.journal()).map(({ kind }) => kind);
      expect(kinds).toEqual(["session-opened", "call-admitted", "call-finished"]);
    }
  });

  it("says whether what came unasked may be passed on, and raises nothing (C1-detectors)", async () => {
    const session = await open();
    expect(await session.mayReceiveNotice({ text: "plain" }, "read_file")).toBe(true);
    expect(await session.mayReceiveNotice({ text: "a secret" }, "read_file")).toBe(false);
    expect(session.label.level).toBe("public");
    await session.addDataset("crm", "confidential");
    expect(await session.mayReceiveNotice({ text: "a secret" }, "read_file")).toBe(true);
  });
});

describe("what a host reports of a call that its agent ran", () => {
  it("is looked into as well, whether or not the call is known (C1-detectors)", async () => {
    const session = await open();
    const [decision] = await session.decide([{ tool: "read_file" }]);
    await session.report({ callId: decision?.callId ?? "", result: { text: "a secret" } });
    expect(session.label.level).toBe("confidential");
    const other = await open();
    await expect(other.report({ callId: "nobody", result: "a secret" })).rejects.toMatchObject({
      code: "call-not-found",
    });
    expect(other.label.level).toBe("confidential");
  });
});
