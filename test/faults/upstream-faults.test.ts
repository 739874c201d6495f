/**
 * Servers that break off, hang, flood and lie, each behind a whole gateway in a process of its own: it stays alive and
 * serves another session meanwhile, its memory stays bounded, the caller gets a clear answer, the raise stands, and
 * no byte goes to another session.
 */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectWitness, type McpWitness } from "../fixtures/mcp-witness.ts";
import { temporaryFolder } from "../fixtures/temporary-folder.ts";
import { FAULTS, type FaultCase, faultPolicy, SERVER_LIMITS } from "../fixtures/upstream-fault-cases.ts";

const FIXTURES = resolve(import.meta.dirname, "../fixtures");
const MIB = 1024 * 1024;
/** Generous for a machine that does other things too; what is looked for are answers that never come. */
const BOUND_MS = 10_000;
/** Between two calls of the other session, which is not to be a load by itself. */
const PAUSE_MS = 20;
/** What a gateway may hold more than when it started, with two lists of 100,000 tools and all else behind it. */
const MAX_GROWTH = 768 * MIB;

const { folder } = temporaryFolder();
let gateway: ChildProcess;
let web: ChildProcess;
let url: string;
let bystander: string;
let memoryAtStart: number;
let witness: McpWitness;

beforeAll(async () => {
  web = spawn(process.execPath, [join(FIXTURES, "upstream-faulty-http.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [address] = await once(web.stdout ?? web, "data");
  writeFileSync(
    join(folder, "sluicegate.yaml"),
    faultPolicy(String(address).trim(), join(folder, "started")),
  );
  writeFileSync(join(folder, "limits.json"), JSON.stringify(SERVER_LIMITS));
  gateway = fork(join(FIXTURES, "gateway-process.ts"), [folder], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [started] = await once(gateway, "message");
  url = started.url;
  memoryAtStart = await memory();
  await untilServers((servers) => servers.every(({ status }) => status !== "starting"));
  bystander = await openSession();
  const { session_id, session_token } = await request("POST", "/v1/session", {});
  witness = await connectWitness(url, session_id, session_token);
});
afterAll(async () => {
  await witness.client.close();
  gateway.disconnect();
  web.stdin?.end();
  await Promise.all([gateway, web].map((child) => child.exitCode ?? once(child, "exit")));
});

const request = async (method: string, path: string, body?: unknown): Promise<any> => {
  const reply = await fetch(url + path, {
    method,
    headers: { authorization: "Bearer operator-token-for-tests", "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return reply.json();
};

const openSession = async (): Promise<string> => (await request("POST", "/v1/session", {})).session_id;

const call = (session: string, tool: string, args: object = {}): Promise<any> =>
  request("POST", `/v1/session/${session}/call`, { tool, arguments: args });

const stateOf = (session: string): Promise<any> => request("GET", `/v1/session/${session}`);

/** Bytes that the gateway holds now. */
async function memory(): Promise<number> {
  const answer = once(gateway, "message");
  gateway.send("memory");
  const [{ rss }] = await answer;
  return rss;
}

/** Asks again and again until the servers are as wanted; each answer is the gateway's own. */
async function untilServers(
  isSo: (servers: readonly { id: string; status: string }[]) => boolean,
): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const { servers } = await request("GET", "/readyz");
    if (isSo(servers)) return;
    if (performance.now() > deadline)
      throw new Error(`The servers stay as they are: ${JSON.stringify(servers)}`);
  }
}

/** A call through another session and another server, and how long it took: its answer is its own, byte for byte. */
async function callCalm(): Promise<number> {
  const from = performance.now();
  const { effect, result } = await call(bystander, "mcp__calm__echo", { text: "hello" });
  expect([effect, result]).toEqual(["allow", { content: [{ type: "text", text: '{"text":"hello"}' }] }]);
  return performance.now() - from;
}

/** The answer of a call, while another session goes on calling its own server. */
async function callMeanwhile(session: string, { server, tool }: FaultCase): Promise<any> {
  let isOver = false;
  const answering = call(session, `mcp__${server}__${tool}`).finally(() => {
    isOver = true;
  });
  answering.catch(() => {}); // Told where it is waited for.
  let slowest = 0;
  for (; !isOver; await Promise.race([answering, delay(PAUSE_MS)])) {
    slowest = Math.max(slowest, await callCalm());
  }
  expect(slowest).toBeLessThan(BOUND_MS);
  return answering;
}

/** What the caller is told besides a result: of a refusal, or of a call that failed. */
const wordsOf = ({ result: _, ...rest }: any): string => JSON.stringify(rest);

function assertOutcome({ outcome }: FaultCase, answer: any): void {
  const { effect, reasons, faults, result, error } = answer;
  if ("result" in outcome) {
    expect([effect, error]).toEqual(["allow", undefined]);
    expect(result.content.at(-1).text).toMatch(outcome.result);
  } else if ("error" in outcome) {
    expect([effect, result]).toEqual(["allow", undefined]);
    expect(error).toMatchObject({
      code: expect.stringMatching(outcome.error),
      why: expect.stringMatching(outcome.why),
    });
  } else {
    expect([effect, result, error]).toEqual(["deny", undefined, undefined]);
    expect(reasons.map(({ code }: { code: string }) => code)).toEqual([outcome.denied]);
    if (outcome.fault) expect(faults[0].message).toMatch(outcome.fault);
  }
  // Nothing of what these servers say by the way is told, though the call's own label would cover it.
  expect(wordsOf(answer)).not.toContain("HOSTILE");
}

describe("a gateway with a server that", () => {
  it.each(FAULTS)("$fault goes on, answers clearly and keeps the raise (law-9)", async (one) => {
    const session = await openSession();
    const answer = await callMeanwhile(session, one);
    assertOutcome(one, answer);
    const { label, datasets } = await stateOf(session);
    const raised = answer.effect === "allow";
    expect([label.level, label.trust]).toEqual(raised ? ["internal", "untrusted"] : ["public", "trusted"]);
    expect(datasets.length).toBe(raised ? 1 : 0);
    expect(await callCalm()).toBeLessThan(BOUND_MS);
    expect((await request("GET", "/healthz")).status).toBe("ok");
    expect((await memory()) - memoryAtStart).toBeLessThan(MAX_GROWTH);
  });

  it("comes back with another protocol revision is used under that", async () => {
    const session = await openSession();
    expect((await call(session, "mcp__changing__fine")).result.content[0].text).toBe("fine");
    expect((await call(session, "mcp__changing__half_answer")).error.code).toBe("upstream-failed");
    await untilServers((servers) => servers.find(({ id }) => id === "changing")?.status === "ready");
    expect((await call(session, "mcp__changing__fine")).result.content[0].text).toBe("fine");
  });

  it("speaks and asks while two sessions wait for it is heard by neither", async () => {
    const holding = witness.client.callTool({ name: "mcp__hostile__hold", arguments: {} });
    while ((await stateOf(witness.session)).calls === 0);
    const session = await openSession();
    const asked = await call(session, "mcp__hostile__ask_client");
    const replies = JSON.parse(asked.result.content[0].text);
    expect(replies.map(({ id, error }: any) => [id, error !== undefined])).toEqual([
      ["roots/list", true],
      ["sampling/createMessage", true],
      ["elicitation/create", true],
      ["ping", false],
    ]);
    await call(session, "mcp__hostile__chatter");
    await call(session, "mcp__hostile__release");
    expect((await holding).isError ?? false).toBe(false);
    expect(witness.heard).toEqual([]);
  });

  it("did any of it leaves the other session as it was, and the store whole", async () => {
    const { label, datasets, calls } = await stateOf(bystander);
    expect([label, datasets]).toEqual([{ level: "public", categories: [], trust: "trusted" }, []]);
    expect(calls).toBeGreaterThan(FAULTS.length);
    const seen = [
      await request("GET", `/v1/session/${bystander}/manifest`),
      await request("GET", `/v1/session/${bystander}/journal`),
      await request("GET", "/readyz"),
    ];
    expect(JSON.stringify(seen)).not.toContain("HOSTILE");
    expect(witness.heard).toEqual([]);
    expect(gateway.exitCode).toBe(null);
  });

  it("is kept busy by one session still answers another", async () => {
    const greedy = await openSession();
    const abort = new AbortController();
    let ended = 0;
    const held = Array.from({ length: 100 }, () =>
      fetch(`${url}/v1/session/${greedy}/call`, {
        method: "POST",
        headers: { authorization: "Bearer operator-token-for-tests", "content-type": "application/json" },
        body: JSON.stringify({ tool: "mcp__crowded__hold", arguments: {} }),
        signal: abort.signal,
      })
        .catch(() => null)
        .finally(() => {
          ended += 1;
        }),
    );
    try {
      while ((await stateOf(greedy)).calls < held.length);
      const { result, error } = await call(bystander, "mcp__crowded__echo", { text: "hello" });
      // None of the others gave its place up for it.
      expect([result?.content, error, ended]).toEqual([
        [{ type: "text", text: '{"text":"hello"}' }],
        undefined,
        0,
      ]);
    } finally {
      abort.abort();
      await Promise.all(held);
    }
  });
});
