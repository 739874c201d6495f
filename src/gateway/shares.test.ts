/** What callers share, and what none can take from the others. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createTestGateway } from "../../test/fixtures/memory-gateway.ts";
import { definePolicy } from "../core/index.ts";
import type { ToolProvider } from "../runtime/index.ts";
import { type GatewayLimits, listen } from "./index.ts";

const OPERATOR = "operator-token-for-tests";
const [ADA, BOB] = ["ada-token-for-the-tests", "bob-token-for-the-tests"] as const;
const toPrincipal = (token: string) => {
  const digest = createHash("sha256").update(token).digest("hex");
  return { digest, isWeak: false, rights: ["use"] } as const;
};
const policy = definePolicy({
  servers: { mail: {} },
  tools: { mcp__mail__read: { permissions: ["read"] } },
});

/** The label holders of the calls that reached the server. */
const ranFor: string[] = [];

/** A server whose answers are as long as they are asked for. */
const mail: ToolProvider = {
  id: "mail",
  status: "ready",
  problem: null,
  tools: new Map([["read", { name: "read", description: "Reads.", inputSchema: { type: "object" } }]]),
  settled: Promise.resolve(),
  run: async (_name, { length }, { labelHolder = "nobody" }) => {
    ranFor.push(labelHolder);
    return { content: [{ type: "text", text: "x".repeat(Number(length)) }] };
  },
  watch: () => () => {},
  close: async () => {},
};

const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(limits: Partial<GatewayLimits>) {
  const faults: unknown[] = [];
  const gateway = createTestGateway({
    policy,
    providers: [mail],
    operatorToken: OPERATOR,
    identities: {
      issuers: [],
      principals: new Map([ADA, BOB].map((token) => [token.slice(0, 3), toPrincipal(token)])),
    },
    limits,
    onFault: (cause) => faults.push(cause),
  });
  const { url, close } = await listen(gateway, { port: 0 });
  closing.push(() => gateway.close(), close);
  await gateway.catalog.settled;
  const session = async (from?: string) => {
    const of = from === undefined ? null : await gateway.gate.session(from);
    const { id } = of ? await of.fork({ sharesLabel: true }) : await gateway.gate.open();
    return { id, token: gateway.service.authority.sessionToken(id) };
  };
  const send = async (path: string, token: string, body?: object) => {
    const response = await fetch(`${url}${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  return { url, gateway, faults, session, send };
}

type Started = Awaited<ReturnType<typeof start>>;
type Agent = Awaited<ReturnType<Started["session"]>>;

/** Calls the tool and reads nothing of the answer. */
async function callUnread({ url }: Started, { id, token }: Agent, length: number): Promise<Socket> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  closing.push(() => socket.destroy());
  // The gateway may cut it before anybody reads.
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.pause();
  const body = JSON.stringify({ tool: "mcp__mail__read", arguments: { length } });
  socket.write(
    `POST /v1/session/${id}/call HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

/** Resolves when so many calls have ended. */
function finishedCalls({ gateway }: Started, count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = count;
  const stop = gateway.gate.watch((entries) => {
    left -= entries.filter(({ entry }) => entry.kind === "call-finished").length;
    if (left <= 0) resolve();
  });
  return promise.finally(stop);
}

/** How many bytes come until the connection ends. */
async function readToEnd(socket: Socket): Promise<number> {
  let length = 0;
  socket.on("data", (data) => {
    length += data.length;
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once("close", () => resolve());
  if (socket.closed) resolve();
  socket.resume();
  await promise;
  return length;
}

const LONG = 7 * 1024 * 1024;

describe("answers that nobody reads", () => {
  it("are cut where one label holder leaves more than its bound, and cost another nothing (C1-detectors)", async () => {
    const gate = await start({ unsentBytes: 2 * LONG });
    const flood = await gate.session();
    const answered = finishedCalls(gate, 4);
    const sockets = await Promise.all(
      [flood, await gate.session(flood.id), await gate.session(flood.id), await gate.session(flood.id)].map(
        (agent) => callUnread(gate, agent, LONG),
      ),
    );
    await answered;
    const victim = await gate.session();
    const { status, text } = await gate.send(`/v1/session/${victim.id}/call`, victim.token, {
      tool: "mcp__mail__read",
      arguments: { length: LONG },
    });
    expect([status, text.length > LONG]).toEqual([200, true]);
    const lengths = await Promise.all(sockets.map(readToEnd));
    expect(lengths.filter((length) => length > LONG).length).toBeLessThanOrEqual(2);
    expect(gate.faults).toEqual([]);
  });
});

describe("a call on its way to its server", () => {
  it("counts for the label holder of its session, so that forks gain no places", async () => {
    const gate = await start({});
    const session = await gate.session();
    const fork = await gate.session(session.id);
    ranFor.length = 0;
    for (const { id, token } of [session, fork])
      await gate.send(`/v1/session/${id}/call`, token, { tool: "mcp__mail__read", arguments: { length: 1 } });
    expect(ranFor).toEqual([session.id, session.id]);
  });
});

describe("requests", () => {
  it("are counted by label holder, so that forks gain nothing, and the operator isn't shut out", async () => {
    const gate = await start({ requestsPerSecond: 5 });
    // No time passes meanwhile, so nothing is refilled.
    const stopped = vi.spyOn(performance, "now").mockReturnValue(performance.now());
    closing.push(() => stopped.mockRestore());
    const flood = await gate.session();
    const fork = await gate.session(flood.id);
    const victim = await gate.session();
    const knock = async ({ id, token }: Agent) => (await gate.send(`/v1/session/${id}`, token)).status;
    for (let count = 0; count < 10; count += 1) expect(await knock(flood)).toBe(200);
    expect(await knock(fork)).toBe(429);
    expect(await knock(victim)).toBe(200);
    expect((await gate.send("/v1/sessions", OPERATOR)).status).toBe(200);
  });

  it("to open sessions are bounded per principal and day, forks among them, and not the operator's", async () => {
    const gate = await start({ sessionsPerDay: 3 });
    const open = async (token: string, path = "/v1/session") => (await gate.send(path, token, {})).status;
    const first = await gate.send("/v1/session", ADA, {});
    const { session_id: id, session_token: agent }: any = JSON.parse(first.text);
    expect([first.status, await open(ADA), await open(ADA, `/v1/session/${id}/fork`)]).toEqual([
      201, 201, 201,
    ]);
    expect([await open(ADA), await open(ADA, `/v1/session/${id}/fork`)]).toEqual([429, 429]);
    expect([await open(BOB), await open(agent, `/v1/session/${id}/fork`)]).toEqual([201, 201]);
    for (let count = 0; count < 5; count += 1) expect(await open(OPERATOR)).toBe(201);
  });

  it("to open a session count once it is known that their caller may", async () => {
    const gate = await start({ sessionsPerSecond: 1 });
    const { token } = await gate.session();
    for (let count = 0; count < 5; count += 1)
      expect((await gate.send("/v1/session", token, {})).status).toBe(403);
    expect((await gate.send("/v1/session", OPERATOR, {})).status).toBe(201);
  });
});
