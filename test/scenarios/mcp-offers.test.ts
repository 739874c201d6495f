/**
 * All that MCP carries besides tools, through the gateway: what may be seen, what it costs, and who is told. Before
 * real servers, for clients of both eras: `notes` is private, `post` is the way out.
 */
import {
  Client,
  type ClientCapabilities,
  ProtocolError,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Notes, startNotes } from "../../bypass/fixtures/notes.ts";
import { type Post, startPost } from "../../bypass/fixtures/post.ts";
import { type RunningGateway, startGateway } from "./running-gateway.ts";

let notes: Notes;
let post: Post;
let gate: RunningGateway;
const open: Client[] = [];

beforeAll(async () => {
  notes = await startNotes({ port: 0, legacyOnly: false });
  post = await startPost({ port: 0, legacyOnly: false });
  gate = await startGateway({ policy: policyFor(notes.url, post.url) });
});
afterEach(async () => {
  notes.hold.release();
  post.hold.release();
  await Promise.allSettled(open.splice(0).map((client) => client.close()));
});
afterAll(async () => {
  await gate.stop();
  await Promise.all([notes.close(), post.close()]);
});

const policyFor = (notesUrl: string, postUrl: string): string => `
version: 1
servers:
  notes:
    url: "${notesUrl}"
    source: { level: internal, trust: untrusted }
    sink: internal
    tools:
      read_notes: { permissions: [read], source: { level: internal, trust: untrusted } }
      read_loudly: { permissions: [read], source: { level: internal, trust: untrusted } }
      read_later: { permissions: [read], source: { level: internal, trust: untrusted } }
  post:
    url: "${postUrl}"
    sink: public
    tools:
      send_message: { permissions: [connect], sink: public }
      send_later: { permissions: [connect], sink: public }
      ask_reference: { permissions: [connect], sink: public }
roles:
  sender: { tools: [send_message], permissions: [read, connect] }
  clerk: { tools: ["mcp__post__*"], permissions: [read, connect] }
`;

type Era = "2025-11-25" | "2026-07-28";
const ERAS: readonly Era[] = ["2025-11-25", "2026-07-28"];

interface Agent {
  readonly client: Client;
  readonly id: string;
  readonly token: string;
  readonly url: string;
}

async function newAgent(era: Era, body: object = {}, capabilities: ClientCapabilities = {}): Promise<Agent> {
  const { session_id: id, session_token: token } = (await gate.request("POST", "/v1/session", body)).body;
  const mode = era === "2025-11-25" ? "legacy" : "auto";
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode }, capabilities });
  const url = `${gate.url}/s/${id}/mcp`;
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  open.push(client);
  return { client, id, token, url };
}

const stateOf = async ({ id }: Agent) => (await gate.request("GET", `/v1/session/${id}`)).body;
const journalOf = async ({ id }: Agent) =>
  (await gate.request("GET", `/v1/session/${id}/journal`)).body.events;
const textOf = (result: any): string => JSON.stringify(result);
const uris = async ({ client }: Agent) => (await client.listResources()).resources.map(({ uri }) => uri);

describe.each(ERAS)("what servers offer besides tools, for a client of %s", (era) => {
  it("shows a server whose label the session lacks as one resource that says what opening it costs (X14)", async () => {
    const agent = await newAgent(era);
    const { resources } = await agent.client.listResources();
    expect(resources).toMatchObject([
      {
        uri: "sluicegate://notes",
        name: "notes",
        description: expect.stringMatching(/Reading it brings internal.* into this session/),
      },
    ]);
    expect(textOf(resources)).not.toContain(notes.canary);
    expect((await agent.client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["announce"]);
    expect((await stateOf(agent)).private).toBe(false);

    const opened = await agent.client.readResource({ uri: "sluicegate://notes" });
    expect(textOf(opened)).toContain(`${notes.canary}-resourcelist`);
    expect((await stateOf(agent)).label.level).toBe("internal");
    expect(await uris(agent)).toEqual(["notes://all"]);
    expect((await agent.client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
      "summary",
      "announce",
    ]);
  });

  it("raises the session before what is read reaches it, and shuts every way out with it (X14, A7, law-8)", async () => {
    const agent = await newAgent(era);
    const sent = (text: string) => post.received.holds(text);
    await agent.client.getPrompt({ name: "announce", arguments: { text: `clean-${agent.id}` } });
    expect(sent(`clean-${agent.id}`)).toBe(true);

    // What it doesn't see yet is asked for by its server's name.
    await expect(agent.client.readResource({ uri: "notes://all" })).rejects.toThrow("no such thing here");
    const { contents } = await agent.client.readResource({ uri: "sluicegate://notes/notes://all" });
    expect(textOf(contents)).toContain(notes.canary);
    const [, , , admitted] = await journalOf(agent);
    expect(admitted).toMatchObject({
      kind: "call-admitted",
      data: { tool: "mcp__notes__resources/read", label: { level: "internal", trust: "untrusted" } },
    });

    const dirty = `dirty-${agent.id}`;
    const ways: (() => Promise<unknown>)[] = [
      () => agent.client.getPrompt({ name: "announce", arguments: { text: dirty } }),
      () => agent.client.readResource({ uri: `post://outbox/${dirty}` }),
      () =>
        agent.client.complete({
          ref: { type: "ref/prompt", name: "announce" },
          argument: { name: "text", value: dirty },
        }),
    ];
    for (const way of ways) {
      const refusal = await way().catch((cause: unknown) => cause);
      expect(refusal).toBeInstanceOf(ProtocolError);
      expect(refusal).toMatchObject({
        code: -32003,
        message: expect.stringMatching(/is blocked in this session.*loaded internal data/),
        data: { decision: { effect: "deny", reasons: [{ code: "flow-blocked" }] } },
      });
    }
    expect(sent(dirty)).toBe(false);
    // Its own source stays open to it.
    expect(textOf(await agent.client.readResource({ uri: "notes://page/two" }))).toContain(
      `${notes.canary}-two`,
    );
  });

  it("goes by the role's tool set: what a role has nothing of isn't there (X14, law-5)", async () => {
    const sender = await newAgent(era, { role: "sender" });
    expect(await uris(sender)).toEqual([]);
    expect((await sender.client.listPrompts()).prompts).toEqual([]);
    const read = sender.client.readResource({ uri: "notes://all" });
    await expect(read).rejects.toThrow("There is no such thing here.");
    const clerk = await newAgent(era, { role: "clerk" });
    expect((await clerk.client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["announce"]);
    await expect(clerk.client.getPrompt({ name: "summary" })).rejects.toThrow("There is no such thing here.");
    expect((await stateOf(sender)).private || (await stateOf(clerk)).private).toBe(false);
  });

  it("passes a question on under the server's label, and its answer only while it may go there (X14)", async () => {
    const agent = await newAgent(era, {}, { elicitation: { form: {} } });
    let answer = async () => {};
    agent.client.setRequestHandler("elicitation/create", async () => {
      await answer();
      return { action: "accept" as const, content: { reference: `ref-${agent.id}` } };
    });
    const call = () => agent.client.callTool({ name: "ask_reference", arguments: { text: "x" } });
    expect(textOf(await call())).toContain("noted");
    expect(post.received.holds(`ref-${agent.id}`)).toBe(true);

    const other = await newAgent(era, {}, { elicitation: { form: {} } });
    other.client.setRequestHandler("elicitation/create", async () => {
      // Between the question and its answer the session learns something that the server may not know.
      await gate.request("POST", `/v1/session/${other.id}/call`, {
        tool: "read_notes",
        arguments: { page: "one" },
      });
      return { action: "accept" as const, content: { reference: `late-${other.id}` } };
    });
    const late = await other.client
      .callTool({ name: "ask_reference", arguments: { text: "x" } })
      .catch(String);
    expect(textOf(late)).toMatch(/can't be passed on|noted/);
    expect(post.received.holds(`late-${other.id}`)).toBe(false);
    answer = async () => {};
  });

  it("tells a client of its own call's progress and messages, and no other (X14)", async () => {
    const [agent, other] = [await newAgent(era), await newAgent(era)];
    const heard: string[] = [];
    for (const { client, id } of [agent, other]) {
      client.setNotificationHandler("notifications/message", ({ params }) => {
        heard.push(`${id === agent.id ? "own" : "other"} ${params.data}`);
      });
    }
    const page = `loud-${agent.id.slice(-6)}`;
    const level = era === "2026-07-28" ? { "io.modelcontextprotocol/logLevel": "debug" } : {};
    await agent.client.callTool({ name: "read_loudly", arguments: { page }, _meta: level });
    await expect.poll(() => heard).toEqual([`own ${notes.canary}-${page}`]);
  });

  it("tells that a list has changed once it has: after a raise, and after a server's own change (X14, X24)", async () => {
    const { session_id: id, session_token: token } = (await gate.request("POST", "/v1/session", {})).body;
    const changed: string[] = [];
    const on = (kind: string) => ({
      autoRefresh: false,
      debounceMs: 0,
      onChanged: () => void changed.push(kind),
    });
    const client = new Client(
      { name: "test", version: "1" },
      {
        versionNegotiation: { mode: era === "2025-11-25" ? "legacy" : "auto" },
        listChanged: { tools: on("tools"), resources: on("resources"), prompts: on("prompts") },
      },
    );
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${gate.url}/s/${id}/mcp`), { requestInit }),
    );
    open.push(client);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).toContain("send_message");
    await client.callTool({ name: "read_notes", arguments: { page: "one" } });
    await expect.poll(() => [...changed].sort()).toEqual(["prompts", "resources", "tools"]);
    // What can't run in this session any more has left the list, and still says why.
    expect(await names()).not.toContain("send_message");
    const refused: any = await client.callTool({ name: "send_message", arguments: { text: "x" } });
    expect([refused.isError, refused.content[0].text]).toEqual([
      true,
      expect.stringContaining("is blocked in this session"),
    ]);
  });
});

describe("lists, for a client of 2026-07-28", () => {
  it("are private and stale at once (X14)", async () => {
    const { client } = await newAgent("2026-07-28");
    const lists = [
      await client.listTools(),
      await client.listResources(),
      await client.listResourceTemplates(),
      await client.listPrompts(),
    ];
    for (const list of lists) expect(list).toMatchObject({ ttlMs: 0, cacheScope: "private" });
  });
});

describe("the state of a request that waits for answers", () => {
  const ask = (agent: Agent, params: object = {}) => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
    };
    const body = { name: "ask_reference", arguments: { text: "x" }, ...params, _meta };
    return gate.request(
      "POST",
      `/s/${agent.id}/mcp`,
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: body },
      {
        authorization: `Bearer ${agent.token}`,
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "ask_reference",
      },
    );
  };
  const answer = (text: string) => ({
    inputResponses: { question: { action: "accept", content: { reference: text } } },
  });

  it("is good once, for its own session and request, and holds nothing to forge (X14)", async () => {
    const [agent, other] = [await newAgent("2026-07-28"), await newAgent("2026-07-28")];
    const { result } = (await ask(agent)).body;
    expect(result).toMatchObject({ resultType: "input_required" });
    const { requestState } = result;
    expect(requestState).toMatch(/^state_[0-9a-f]{32}$/);
    const refused = { error: { code: -32602 } };
    const text = `stolen-${agent.id}`;
    expect((await ask(other, { requestState, ...answer(text) })).body).toMatchObject(refused);
    expect((await ask(agent, { requestState: `${requestState}0`, ...answer(text) })).body).toMatchObject(
      refused,
    );
    const changed = { requestState, arguments: { text: "y" }, ...answer(text) };
    expect((await ask(agent, changed)).body).toMatchObject(refused);
    expect(post.received.holds(text)).toBe(false);

    const given = `given-${agent.id}`;
    expect(textOf((await ask(agent, { requestState, ...answer(given) })).body)).toContain("noted");
    expect(post.received.holds(given)).toBe(true);
    expect((await ask(agent, { requestState, ...answer(given) })).body).toMatchObject(refused);
  });

  it("isn't given where the client can't answer: the revision's own error says so (X14)", async () => {
    const { client } = await newAgent("2026-07-28");
    const call = client.callTool({ name: "ask_reference", arguments: { text: "x" } });
    await expect(call).rejects.toMatchObject({ code: -32021 });
    const old = await newAgent("2025-11-25");
    const result = await old.client.callTool({ name: "ask_reference", arguments: { text: "x" } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain("can't answer the server's question");
  });
});

describe("a connection of an older client", () => {
  interface Raw {
    send(message: object | readonly object[], headers?: Record<string, string>): Promise<Response>;
    readonly connection: string;
  }

  async function connectRaw(): Promise<Raw & { readonly agent: Agent }> {
    const agent = await newAgent("2026-07-28");
    const headers = {
      authorization: `Bearer ${agent.token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "raw", version: "1" },
    };
    const initialize = { jsonrpc: "2.0", id: "init", method: "initialize", params };
    const first = await fetch(agent.url, { method: "POST", headers, body: JSON.stringify(initialize) });
    const connection = first.headers.get("mcp-session-id") ?? "";
    return {
      agent,
      connection,
      send: (message, more = {}) =>
        fetch(agent.url, {
          method: "POST",
          headers: { ...headers, "mcp-session-id": connection, ...more },
          body: JSON.stringify(message),
        }),
    };
  }
  const call = (id: number, name: string, args: object) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: args },
  });

  it("answers a call that is cancelled, whose connection is deleted, or whose id is in use (X14)", async () => {
    const raw = await connectRaw();
    const text = `waits-${raw.agent.id}`;
    const cancelled = raw.send(call(1, "send_later", { text }));
    expect(await post.received.until(text, 5000)).toBe(true);
    expect((await raw.send(call(1, "send_message", { text: "again" }))).status).toBe(400);
    await raw.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    expect(await (await cancelled).json()).toMatchObject({ id: 1, error: { code: -32800 } });
    const deleted = raw.send(call(2, "send_later", { text: `${text}-2` }));
    expect(await post.received.until(`${text}-2`, 5000)).toBe(true);
    await fetch(raw.agent.url, {
      method: "DELETE",
      headers: { authorization: `Bearer ${raw.agent.token}`, "mcp-session-id": raw.connection },
    });
    expect(await (await deleted).json()).toMatchObject({ id: 2, error: { code: -32800 } });
    expect((await raw.send(call(3, "send_message", { text: "late" }))).status).toBe(404);
  });

  it("gives the upstream's call up when it is cancelled while the client is asked (X14)", async () => {
    const agent = await newAgent("2025-11-25", {}, { elicitation: { form: {} } });
    const [asked, cancelled] = [Promise.withResolvers<void>(), new AbortController()];
    agent.client.setRequestHandler("elicitation/create", async () => {
      asked.resolve();
      return new Promise(() => {});
    });
    const call = agent.client.callTool(
      { name: "ask_reference", arguments: { text: "x" } },
      { signal: cancelled.signal },
    );
    const gone = call.catch(() => "gone");
    await asked.promise;
    cancelled.abort();
    expect(await gone).toBe("gone");
    const ends = async () =>
      (await journalOf(agent)).filter(
        ({ kind, data }: any) => kind === "call-finished" && data.outcome === "error",
      );
    await expect.poll(async () => (await ends()).length, { timeout: 5000 }).toBeGreaterThan(0);
  });

  it("gives the upstream's call up when the client hangs up (X14)", async () => {
    const raw = await connectRaw();
    const text = `left-${raw.agent.id}`;
    const leaving = new AbortController();
    const body = JSON.stringify(call(7, "send_later", { text }));
    const gone = fetch(raw.agent.url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${raw.agent.token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-session-id": raw.connection,
      },
      body,
      signal: leaving.signal,
    }).catch(() => "gone");
    expect(await post.received.until(text, 5000)).toBe(true);
    leaving.abort();
    expect(await gone).toBe("gone");
    const finished = async () =>
      (await journalOf(raw.agent)).some(
        ({ kind, data }: any) => kind === "call-finished" && data.outcome === "error",
      );
    await expect.poll(finished, { timeout: 5000 }).toBe(true);
  });

  it("refuses a stream whose headers say something else before anything is subscribed to (X14)", async () => {
    const { agent } = await connectRaw();
    const before = (await journalOf(agent)).length;
    const listen = (headers: Record<string, string>) =>
      fetch(agent.url, {
        method: "POST",
        headers: {
          authorization: `Bearer ${agent.token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          ...headers,
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "subscriptions/listen",
          params: {
            notifications: { resourceSubscriptions: ["sluicegate://notes/notes://all"] },
            _meta: {
              "io.modelcontextprotocol/protocolVersion": "2026-07-28",
              "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
              "io.modelcontextprotocol/clientCapabilities": {},
            },
          },
        }),
      });
    for (const headers of [{ "mcp-method": "tools/list" }, {}] as const)
      expect((await listen(headers)).status).toBe(400);
    expect((await journalOf(agent)).length).toBe(before);
    const stream = await listen({ "mcp-method": "subscriptions/listen" });
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
    expect((await journalOf(agent)).length).toBeGreaterThan(before);
  });

  it("refuses headers that say something else than the body, in every revision (X14)", async () => {
    const raw = await connectRaw();
    const message = call(1, "send_message", { text: `named-${raw.agent.id}` });
    for (const headers of [{ "mcp-method": "tools/list" }, { "mcp-name": "read_notes" }]) {
      const response = await raw.send(message, headers);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ id: 1, error: { code: -32020 } });
    }
    expect(post.received.holds(`named-${raw.agent.id}`)).toBe(false);
    expect((await raw.send(message, { "mcp-method": "tools/call", "mcp-name": "send_message" })).status).toBe(
      200,
    );
  });
});

describe("the same over REST", () => {
  it("reads a resource as a call of its method, with the same decision (X14)", async () => {
    const { body } = await gate.request("POST", "/v1/session", {});
    const path = `/v1/session/${body.session_id}/call`;
    const read = { tool: "mcp__notes__resources/read", arguments: { uri: "notes://all" } };
    const answer = (await gate.request("POST", path, read)).body;
    expect(answer).toMatchObject({ effect: "allow", raises: { level: "internal" } });
    expect(textOf(answer.result)).toContain(notes.canary);
    const out = { tool: "mcp__post__prompts/get", arguments: { name: "announce", arguments: { text: "x" } } };
    expect((await gate.request("POST", path, out)).body).toMatchObject({
      effect: "deny",
      reasons: [{ code: "flow-blocked" }],
    });
    const asked = { tool: "mcp__post__elicitation/create", arguments: {} };
    expect((await gate.request("POST", path, asked)).status).toBe(400);
  });
});

describe("what a session lets go of", () => {
  it("takes no words along, and isn't told once the server may not know of it (X14)", async () => {
    const agent = await newAgent("2025-11-25");
    const say = (text: string) => ({ name: "send_later", arguments: { text: `${text}-${agent.id}` } });
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = [
      agent.client.callTool(say("first"), { signal: first.signal }),
      agent.client.callTool(say("second"), { signal: second.signal }),
    ].map((call) => call.catch(() => "gone"));
    for (const text of ["first", "second"])
      expect(await post.received.until(`${text}-${agent.id}`, 5000)).toBe(true);
    const ends = async () =>
      (await journalOf(agent))
        .filter(({ kind }: any) => kind === "call-finished")
        .map(({ data }: any) => data.outcome);
    first.abort(`reason-${agent.id}`);
    expect(await calls[0]).toBe("gone");
    await expect.poll(ends).toEqual(["error"]);
    await agent.client.callTool({ name: "read_notes", arguments: { page: "one" } });
    second.abort(`secret-${agent.id}`);
    expect(await calls[1]).toBe("gone");
    await agent.client.callTool({ name: "read_notes", arguments: { page: "two" } });
    // The second goes on at its server, which hears nothing of its caller's leaving.
    expect(await ends()).toEqual(["error", "ok", "ok"]);
    post.hold.release();
    await expect.poll(ends).toEqual(["error", "ok", "ok", "ok"]);
    for (const text of ["reason", "secret"]) expect(post.received.holds(`${text}-${agent.id}`)).toBe(false);
  });

  it("keeps a subscription that it may no longer end (X14)", async () => {
    const agent = await newAgent("2025-11-25");
    const uris = ["a", "b"].map((part) => `post://outbox/${part}${agent.id}`);
    for (const uri of uris) await agent.client.subscribeResource({ uri });
    const ended = (uri: string) => post.received.all.filter(({ body }) => body.includes(uri)).length;
    const [clean = "", dirty = ""] = uris;
    await agent.client.unsubscribeResource({ uri: clean });
    await agent.client.callTool({ name: "read_notes", arguments: { page: "one" } });
    const before = ended(dirty);
    await agent.client.unsubscribeResource({ uri: dirty });
    await agent.client.callTool({ name: "read_notes", arguments: { page: "two" } });
    expect(ended(dirty)).toBe(before);
  });
});

describe("names and parameters that don't belong", () => {
  it("are refused over REST: what a request says of itself is the gateway's to say (X14)", async () => {
    const { body } = await gate.request("POST", "/v1/session", {});
    const path = `/v1/session/${body.session_id}`;
    const extra = { _meta: { progressToken: 1 }, inputResponses: {}, requestState: "x" };
    for (const [name, value] of Object.entries(extra)) {
      const call = {
        tool: "mcp__post__prompts/get",
        arguments: { name: "announce", arguments: {}, [name]: value },
      };
      expect((await gate.request("POST", `${path}/call`, call)).status).toBe(400);
    }
    const decide = { tool: "mcp__post__elicitation/create", arguments: {} };
    expect((await gate.request("POST", `${path}/decide`, decide)).status).toBe(400);
    expect((await gate.request("GET", path)).body.calls).toBe(0);
  });

  it("mean nothing: too long ones, other servers' prompts, and what a session doesn't see (X14)", async () => {
    const { client } = await newAgent("2025-11-25");
    const refused = [
      () => client.readResource({ uri: `notes://${"x".repeat(100_000)}` }),
      () => client.readResource({ uri: "notes://all" }),
      () => client.getPrompt({ name: "summary" }),
    ];
    const sentences = [];
    for (const ask of refused) sentences.push(await ask().then(String, ({ message }) => message));
    expect(sentences.filter((text) => !/no such thing here|sent/.test(text))).toEqual([]);
    expect((await client.getPrompt({ name: "post__announce" })).messages).toHaveLength(1);
  });

  it.each(
    ERAS,
  )("cost the same as those that are there, where their list isn't seen: no prompt of it is found by guessing (%s) (X14)", async (era) => {
    for (const name of ["notes__summary", "notes__announce", "mcp__notes__none"]) {
      const agent = await newAgent(era);
      await agent.client.getPrompt({ name }).catch(() => {});
      expect([name, (await stateOf(agent)).label.level]).toEqual([name, "internal"]);
      // What it sees by now is looked up.
      await expect(agent.client.getPrompt({ name: "notes__other" })).rejects.toThrow("no such thing here");
    }
  });

  it("are refused alike, whether or not there is such a server, where they are parts of calls (X14, B2)", async () => {
    const { body } = await gate.request("POST", "/v1/session", { tools: ["send_message"] });
    const path = `/v1/session/${body.session_id}`;
    for (const method of [
      "roots/list",
      "elicitation/create",
      "sampling/createMessage",
      "notifications/message",
    ]) {
      const answers = [];
      for (const server of ["notes", "ghosts"]) {
        const tool = `mcp__${server}__${method}`;
        const plan = { planned_calls: ["send_message", { id: "b", tool }] };
        for (const [door, sent] of [
          ["call", { tool, arguments: {} }],
          ["validate-plan", plan],
        ] as const) {
          const { status, body } = await gate.request("POST", `${path}/${door}`, sent);
          answers.push([door, status, textOf(body).replaceAll(server, "x")]);
        }
      }
      expect(answers.slice(2)).toEqual(answers.slice(0, 2));
      expect(answers.map(([, status]) => status)).toEqual([400, 400, 400, 400]);
    }
  });

  it("are refused by a plan's check as by the call where a method isn't called so (X14)", async () => {
    const { body } = await gate.request("POST", "/v1/session", {});
    const path = `/v1/session/${body.session_id}`;
    const check = (step: object) => gate.request("POST", `${path}/validate-plan`, { planned_calls: [step] });
    const read = { tool: "mcp__notes__resources/read", arguments: { uri: "notes://all", more: 1 } };
    expect((await gate.request("POST", `${path}/call`, read)).status).toBe(400);
    expect((await check(read)).body).toMatchObject({
      valid: false,
      violations: [{ code: "unknown-argument" }],
    });
    expect((await check({ tool: "mcp__notes__resources/subscribe" })).status).toBe(400);
  });
});
