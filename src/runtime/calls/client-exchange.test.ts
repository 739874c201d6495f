import { describe, expect, it } from "vitest";
import { definePolicy, toMethodId } from "../../core/index.ts";
import { createMemoryStore } from "../../stores/index.ts";
import { createGate, type Session } from "../index.ts";
import { APPROVAL_KEY, mayAnswer, mayReach, toExchange } from "./client-exchange.ts";

it("lets no server put a question under the key of the gateway's own (D5-mcp)", async () => {
  const gate = createGate({ policy: definePolicy({}), store: createMemoryStore() });
  const session = await gate.open();
  const asked: unknown[] = [];
  const exchange = toExchange(session, "shop", {
    signal: new AbortController().signal,
    capabilities: { elicitation: {} },
    progress: false,
    notify: () => {},
    ask: async (questions) => {
      asked.push(questions);
      return {};
    },
  });
  const question = { method: "elicitation/create", params: { message: "Say yes" } };
  await expect(exchange.ask?.({ [APPROVAL_KEY]: question })).rejects.toMatchObject({
    code: "permission-denied",
    why: "It is keyed `sluicegate_approval`, which is the gateway's own.",
  });
  expect(asked).toEqual([]);
  await gate.close();
});

describe("what a server may be told of a session", () => {
  const policy = definePolicy({
    servers: {
      mail: { tools: { read: { permissions: ["read"], source: { level: "secret" } } } },
      web: { tools: { post: { permissions: ["connect"], sink: [{ level: "public" }] } } },
    },
  });
  const post = "mcp__web__post";
  const read = async (session: Session): Promise<void> => {
    expect((await session.call({ tool: "read" }, () => "SECRET")).effect).toBe("allow");
  };

  it("ends with what its forks have read, before a fork is asked anything again (X14, law-8)", async () => {
    const gate = createGate({ policy, store: createMemoryStore() });
    const session = await gate.open();
    const [fork, other] = [
      await session.fork({ sharesLabel: true }),
      await session.fork({ sharesLabel: true }),
    ];
    const alone = await session.fork();
    expect(await mayReach(fork, post)).toBe(true);
    await read(session);
    expect(await mayReach(fork, post)).toBe(false);
    expect(await mayReach(other, toMethodId("web", "resources/subscribe"))).toBe(false);
    expect(await mayReach(alone, post)).toBe(true);
  });

  it("ends with what the session has read at another gateway on the same store (X14, law-8)", async () => {
    const store = createMemoryStore();
    const [here, there] = [createGate({ policy, store }), createGate({ policy, store })];
    const session = await here.open();
    const same = await there.session(session.id);
    if (same === null) throw new Error("It isn't there.");
    await read(same);
    expect(await mayReach(session, post)).toBe(false);
  });

  it("is nothing where it asked nothing (X14, law-8)", async () => {
    const gate = createGate({ policy, store: createMemoryStore() });
    expect(await mayAnswer(await gate.open(), "web", [])).toBe(false);
  });

  /** An exchange whose client leaves its answer out, after it did this. */
  const leavingOut = async (before: (session: Session) => Promise<void>) => {
    const gate = createGate({ policy, store: createMemoryStore() });
    const session = await gate.open();
    const unanswered: unknown[] = [];
    const link = {
      signal: new AbortController().signal,
      capabilities: { elicitation: {} },
      progress: false,
      notify: () => {},
      ask: async () => {
        await before(session);
        return {};
      },
    };
    const exchange = toExchange(session, "web", link, (cause) => unanswered.push(cause));
    const question = { method: "elicitation/create", params: { message: "Which one?" } };
    const decisions = async (): Promise<readonly string[]> =>
      (await session.journal())
        .filter(({ data }) => JSON.stringify(data).includes("mcp__web__elicitation/create"))
        .map(({ kind }) => kind)
        .filter((kind) => kind !== "call-finished");
    return { answered: exchange.ask?.({ question }), unanswered, decisions };
  };

  it("is nothing by an answer that the client leaves out, and the caller is told so at once (X14, law-8)", async () => {
    const { answered, unanswered, decisions } = await leavingOut(read);
    const refused = { code: "permission-denied", message: "A question of the server can't be passed on." };
    await expect(answered).rejects.toMatchObject(refused);
    expect(unanswered).toMatchObject([refused]);
    expect(await decisions()).toEqual(["call-admitted", "call-refused"]);
  });

  it("is decided on and recorded where the client leaves its answer out (X14, law-8)", async () => {
    const { answered, unanswered, decisions } = await leavingOut(async () => {});
    expect(await answered).toEqual({});
    expect(unanswered).toEqual([]);
    expect(await decisions()).toEqual(["call-admitted", "call-admitted"]);
  });

  it("is nothing while the store doesn't say what the session holds (X14, law-9)", async () => {
    const store = createMemoryStore();
    const gate = createGate({ policy, store });
    const session = await gate.open();
    store.head = () => Promise.reject(new Error("The disk is gone."));
    expect(await mayReach(session, post)).toBe(false);
  });
});
