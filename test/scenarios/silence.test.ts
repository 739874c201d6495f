/**
 * A server that may not know what a session holds hears nothing more of it: no answer, no refusal, no cancellation and
 * no unsubscription, whoever drops what and when. Before real servers of both eras, over REST and MCP.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Notes, startNotes } from "../../bypass/fixtures/notes.ts";
import { type Post, startPost } from "../../bypass/fixtures/post.ts";
import { type RunningGateway, startGateway } from "./running-gateway.ts";

const policyFor = (notes: string, post: string): string => `
version: 1
servers:
  notes:
    url: "${notes}"
    tools: { read_notes: { permissions: [read], source: internal } }
  post:
    url: "${post}"
    sink: public
    tools:
      send_later: { permissions: [connect], sink: public }
      ask_reference: { permissions: [connect], sink: public }
`;

describe.each([
  { server: "2026-07-28", legacyOnly: false },
  { server: "2025-11-25", legacyOnly: true },
])("a server of $server that may not know what a session holds", ({ legacyOnly }) => {
  let notes: Notes;
  let post: Post;
  let gate: RunningGateway;
  const clients: Client[] = [];

  beforeAll(async () => {
    notes = await startNotes({ port: 0, legacyOnly });
    post = await startPost({ port: 0, legacyOnly });
    gate = await startGateway({ policy: policyFor(notes.url, post.url) });
  });
  afterAll(async () => {
    await Promise.allSettled(clients.map((client) => client.close()));
    post.hold.release();
    await gate.stop();
    await Promise.all([notes.close(), post.close()]);
  });

  interface Held {
    readonly id: string;
    readonly token: string;
  }
  const openSession = async (): Promise<Held> => {
    const { session_id: id, session_token: token } = (await gate.request("POST", "/v1/session", {})).body;
    return { id, token };
  };
  const fork = async ({ id, token }: Held): Promise<Held> => {
    const headers = { authorization: `Bearer ${token}` };
    const { body } = await gate.request("POST", `/v1/session/${id}/fork`, {}, headers);
    return { id: body.session_id, token: body.session_token };
  };
  const connect = async ({ id, token }: Held, mode: "legacy" | "auto"): Promise<Client> => {
    const client = new Client(
      { name: "test", version: "1" },
      { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
    );
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const url = new URL(`${gate.url}/s/${id}/mcp`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    clients.push(client);
    return client;
  };
  const readNotes = async ({ id }: Held): Promise<void> => {
    const call = { tool: "read_notes", arguments: { page: "one" } };
    expect((await gate.request("POST", `/v1/session/${id}/call`, call)).body).toMatchObject({
      effect: "allow",
    });
  };
  /** A round trip through the gateway to the server, by which all that was on its way there has arrived. */
  const roundTrip = async (): Promise<void> => {
    const agent = await openSession();
    const text = `after-${agent.id}`;
    const call = { tool: "mcp__post__resources/read", arguments: { uri: `post://outbox/${text}` } };
    await gate.request("POST", `/v1/session/${agent.id}/call`, call);
    expect(await post.received.until(text, 10_000)).toBe(true);
  };
  /** What reached the server since, but for our own round trips and what the gateway asks on its own account. */
  const heardSince = (start: number): readonly string[] =>
    post.received.all
      .slice(start)
      .map(({ body }) => body)
      .filter((body) => !body.includes("post://outbox/after-") && !body.includes("/list"));

  it.each([
    "legacy",
    "auto",
  ] as const)("gets no answer once it is known more (client: %s) (X14)", async (mode) => {
    for (const action of ["accept", "decline", "cancel", "fail"] as const) {
      const agent = await openSession();
      const client = await connect(agent, mode);
      let asked = 0;
      client.setRequestHandler("elicitation/create", async () => {
        await readNotes(agent);
        asked = post.received.all.length;
        if (action === "fail") throw new Error("The client has no answer.");
        return { action, ...(action === "accept" && { content: { reference: `late-${agent.id}` } }) };
      });
      const call = client.callTool({ name: "ask_reference", arguments: { text: "x" } }).catch(String);
      // The agent is told at once, and the server isn't.
      expect(JSON.stringify(await call)).toMatch(/can't be passed on|gets no answer|has no answer/);
      await roundTrip();
      expect(heardSince(asked)).toEqual([]);
    }
  });

  it("isn't told that a call was dropped, of a session or of a fork that hasn't decided since (X14)", async () => {
    const agent = await openSession();
    const forked = await fork(agent);
    const leaving: {
      readonly text: string;
      readonly leave: AbortController;
      readonly gone: Promise<unknown>;
    }[] = [];
    for (const held of [agent, forked]) {
      const leave = new AbortController();
      const text = `held-${held.id}`;
      const gone = fetch(`${gate.url}/v1/session/${held.id}/call`, {
        method: "POST",
        headers: { authorization: `Bearer ${held.token}`, "content-type": "application/json" },
        body: JSON.stringify({ tool: "send_later", arguments: { text } }),
        signal: leave.signal,
      }).catch(() => "gone");
      leaving.push({ text, leave, gone });
    }
    const direct = await connect(forked, "legacy");
    const leave = new AbortController();
    const text = `mcp-${forked.id}`;
    const gone = direct.callTool({ name: "send_later", arguments: { text } }, { signal: leave.signal });
    leaving.push({ text, leave, gone: gone.catch(() => "gone") });
    for (const { text } of leaving) expect(await post.received.until(text, 10_000)).toBe(true);
    await expect.poll(() => post.hold.waiting).toBe(leaving.length);
    await readNotes(agent);
    const start = post.received.all.length;
    for (const { leave, gone } of leaving) {
      leave.abort();
      expect(await gone).toBe("gone");
    }
    await roundTrip();
    expect(heardSince(start)).toEqual([]);
    expect(post.hold.waiting).toBe(leaving.length);
    post.hold.release();
  });

  it("isn't told that a subscription ended (X14)", async () => {
    const agent = await openSession();
    const listenTo = async (held: Held) => {
      const client = await connect(held, "auto");
      return client.listen({ resourceSubscriptions: [`post://outbox/news-${held.id}`] });
    };
    const [forked, clean] = [await fork(agent), await openSession()];
    const [stream, other] = [await listenTo(forked), await listenTo(clean)];
    for (const { id } of [forked, clean]) expect(post.received.holds(`news-${id}`)).toBe(true);
    await readNotes(agent);
    const start = post.received.all.length;
    await stream.close();
    await other.close();
    const unsubscribed = (): readonly string[] =>
      heardSince(start).filter((body) => body.includes("resources/unsubscribe"));
    // The newest revision ends a subscription by hanging up, which is no request.
    if (legacyOnly) await expect.poll(unsubscribed).toHaveLength(1);
    await roundTrip();
    expect(JSON.stringify(unsubscribed())).not.toContain(forked.id);
  });
});
