import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTestGateway } from "../../../../test/fixtures/memory-gateway.ts";
import { definePolicy } from "../../../core/index.ts";
import type { OfferProvider, Session, ToolProvider } from "../../../runtime/index.ts";
import type { Gateway } from "../../index.ts";
import { Subscriptions } from "./subscriptions.ts";

const policy = definePolicy({
  servers: { news: { sink: [{ level: "public" }], source: { level: "public" } } },
  tools: { read_mail: { permissions: ["read"], source: { level: "internal" } } },
});

/** What the server was told, and what it was told with. */
const told: string[] = [];
const leases: (() => Promise<boolean>)[] = [];
/** What the server calls when a resource changes. */
const listeners: (() => void)[] = [];
let answered: Promise<void> = Promise.resolve();

const offers: OfferProvider = {
  current: {
    resources: new Map(),
    templates: new Map(),
    prompts: new Map(),
    can: { resources: true, prompts: false, completions: false, subscribe: true },
  },
  refresh: async () => {},
  request: async () => ({}),
  subscribe: async (uri, listener, { mayRenew = async () => true } = {}) => {
    told.push(`+${uri}`);
    listeners.push(listener);
    leases.push(mayRenew);
    await answered;
    return () => void told.push(`-${uri}`);
  },
};

const news: ToolProvider = {
  id: "news",
  status: "ready",
  problem: null,
  tools: new Map(),
  settled: Promise.resolve(),
  run: async () => ({ content: [] }),
  offers,
  watch: () => () => {},
  close: async () => {},
};

let gateway: Gateway;
let session: Session;
let updated: string[];
let subscriptions: Subscriptions;

beforeEach(async () => {
  for (const list of [told, leases, listeners]) list.length = 0;
  answered = Promise.resolve();
  gateway = createTestGateway({
    policy,
    providers: [news],
  });
  await gateway.catalog.settled;
  session = await gateway.gate.open();
  updated = [];
  subscriptions = new Subscriptions(gateway.service, session, (uri) => updated.push(uri));
});
afterEach(() => gateway.close());

const raise = async (): Promise<void> => {
  expect((await session.call({ tool: "read_mail" }, () => "mail")).effect).toBe("allow");
};

it("ends a subscription that the client drops while its server is asked (X14)", async () => {
  const answer = Promise.withResolvers<void>();
  answered = answer.promise;
  const added = subscriptions.add("news://a");
  await expect.poll(() => told).toEqual(["+news://a"]);
  subscriptions.remove("news://a");
  answer.resolve();
  await added;
  await expect.poll(() => told).toEqual(["+news://a", "-news://a"]);
  await subscriptions.add("news://a");
  expect(told.at(-1)).toBe("+news://a");
  subscriptions.close();
  await expect.poll(() => told.at(-1)).toBe("-news://a");
});

it("has a subscription renewed while its session may reach the server, and then ended whatever the client does (X14, law-8)", async () => {
  for (const uri of ["news://kept", "news://dropped"]) await subscriptions.add(uri);
  const renewals = (): Promise<boolean[]> => Promise.all(leases.map((mayRenew) => mayRenew()));
  expect(await renewals()).toEqual([true, true]);
  await raise();
  subscriptions.remove("news://dropped");
  expect(await renewals()).toEqual([false, false]);
  expect(told).toEqual(["+news://kept", "+news://dropped"]);
  // The client reads it again, and is refused with the reason.
  expect(updated).toEqual(["news://kept"]);
});

it.each([
  ["everything", () => ({})],
  ["the session", () => ({ session: session.id })],
  ["the session that it was forked from", () => ({ session: session.state.parent ?? "" })],
  ["its principal", () => ({ principal: session.principal })],
  ["the server", () => ({ server: "news" })],
])("keeps what a resource does from a session while a freeze stops %s, and tells it afterwards (X14, X22)", async (_, target) => {
  session = await session.fork();
  subscriptions = new Subscriptions(gateway.service, session, (uri) => updated.push(uri));
  await subscriptions.add("news://a");
  const change = async (): Promise<void> => {
    for (const listener of listeners) listener();
    await setTimeout(50);
  };
  await change();
  expect(updated).toEqual(["news://a"]);
  const { id } = await gateway.gate.freeze({ by: "operator", ...target() });
  await change();
  expect(await Promise.all(leases.map((mayRenew) => mayRenew()))).toEqual([true]);
  expect(updated).toEqual(["news://a"]);
  await gateway.gate.unfreeze(id, "operator");
  expect(await Promise.all(leases.map((mayRenew) => mayRenew()))).toEqual([true]);
  expect(updated).toEqual(["news://a", "news://a"]);
});

it("ends a subscription during a freeze without a word to its client (X14, X22)", async () => {
  await subscriptions.add("news://a");
  await raise();
  await gateway.gate.freeze({ by: "operator", session: session.id });
  expect(await Promise.all(leases.map((mayRenew) => mayRenew()))).toEqual([false]);
  expect(updated).toEqual([]);
});
