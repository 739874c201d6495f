/** Clients of older revisions that leave without a word: what they held is given back, and has bounds. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestGateway } from "../../../../test/fixtures/memory-gateway.ts";
import { definePolicy } from "../../../core/index.ts";
import type { Session } from "../../../runtime/index.ts";
import { DEFAULT_LIMITS, type Gateway, type GatewayLimits } from "../../index.ts";
import { OpenConnections } from "./open-connections.ts";

let gateway: Gateway;
beforeEach(() => {
  gateway = createTestGateway({
    policy: definePolicy({ tools: { read: { permissions: ["read"] } } }),
    operatorToken: "operator",
  });
});
afterEach(() => gateway.close());

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const PING = { jsonrpc: "2.0", id: 2, method: "ping" };

function open(limits: Partial<GatewayLimits>) {
  const time = { now: 0 };
  const service = { ...gateway.service, limits: { ...DEFAULT_LIMITS, ...limits } };
  const connections = new OpenConnections(
    service,
    () => {},
    () => time.now,
  );
  const post = async (session: Session, body: object, id?: string): Promise<Response> => {
    const headers = {
      accept: "application/json, text/event-stream",
      ...(id !== undefined && { "mcp-session-id": id }),
    };
    const request = new Request("http://localhost/mcp", { method: "POST", headers });
    const answer = await connections.handle(request, session, body);
    return "message" in answer ? Response.json(answer.message, { headers: answer.headers }) : answer;
  };
  const begin = async (session: Session): Promise<string> =>
    (await post(session, INITIALIZE)).headers.get("mcp-session-id") ?? "";
  const isOpen = (session: Session, id: string): Promise<boolean> =>
    post(session, PING, id).then(
      ({ status }) => status === 200,
      () => false,
    );
  const listen = async (session: Session, id: string): Promise<void> => {
    const headers = { accept: "text/event-stream", "mcp-session-id": id };
    await connections.handle(new Request("http://localhost/mcp", { headers }), session, undefined);
  };
  return { time, connections, begin, isOpen, listen };
}

describe("connections of older clients", () => {
  it("are closed when nothing comes over them for long, and no others are", async () => {
    const { time, connections, begin, isOpen } = open({ transportIdleSeconds: 60 });
    const session = await gateway.gate.open();
    const [left, used] = [await begin(session), await begin(session)];
    time.now = 50_000;
    expect(await isOpen(session, used)).toBe(true);
    time.now = 61_000;
    connections.closeIdle();
    expect([await isOpen(session, left), await isOpen(session, used)]).toEqual([false, true]);
  });

  it("are bounded over all sessions, for which the one with the most pays", async () => {
    const { begin, isOpen } = open({ transports: 5 });
    const [flood, victim] = [await gateway.gate.open(), await gateway.gate.open()];
    const own = await begin(victim);
    const many = [];
    for (let count = 0; count < 8; count += 1) many.push(await begin(flood));
    expect(await isOpen(victim, own)).toBe(true);
    expect([await isOpen(flood, many[0] ?? ""), await isOpen(flood, many[7] ?? "")]).toEqual([false, true]);
  });

  it("are bounded over all principals too, however many sessions one has", async () => {
    const { begin, isOpen } = open({ transports: 8 });
    const victim = await gateway.gate.open({ principal: "bob" });
    const own = [await begin(victim), await begin(victim), await begin(victim)];
    for (let count = 0; count < 12; count += 1) await begin(await gateway.gate.open({ principal: "ada" }));
    expect(await Promise.all(own.map((id) => isOpen(victim, id)))).toEqual([true, true, true]);
  });

  it("leave room for other principals though those of one all wait for answers", async () => {
    const { begin, isOpen, listen } = open({ transports: 8 });
    for (let count = 0; count < 7; count += 1) {
      const session = await gateway.gate.open({ principal: "ada" });
      await listen(session, await begin(session));
    }
    const more = await gateway.gate.open({ principal: "ada" });
    await expect(begin(more)).rejects.toMatchObject({ code: "limit-reached" });
    const other = await gateway.gate.open({ principal: "bob" });
    expect(await isOpen(other, await begin(other))).toBe(true);
  });

  it("are bounded for a session with the forks that share its label", async () => {
    const { begin, isOpen } = open({ transportsPerSession: 2 });
    const session = await gateway.gate.open();
    const fork = await session.fork({ sharesLabel: true });
    const first = await begin(session);
    await begin(fork);
    await begin(fork);
    expect(await isOpen(session, first)).toBe(false);
  });
});
