/**
 * What a client of revision 2026-07-28 brings back with its answer to an approval: signed, so that it is good after a
 * restart and at another gateway, and good for nothing but its own call, once, in time.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Post, startPost } from "../../bypass/fixtures/post.ts";
import { type Arena, BANK_TOOLS, bankPolicy, createArena } from "../fixtures/approval-arena.ts";
import { connectAgent, ERAS } from "../fixtures/approving-agent.ts";
import { createKillableGateway, type KillableGateway } from "../fixtures/killable-gateway.ts";
import { type RecordingUpstream, startRecordingUpstream } from "../fixtures/upstream-recording.ts";
import { CASES } from "../properties/generators.ts";
import { type RunningGateway, startGateway } from "./running-gateway.ts";

const VIA_CLIENT = "approvals: { via: [console, terminal, client], wait: 1 }";
const YES = { action: "accept", content: { approve: true } } as const;

interface Opened {
  readonly session_id: string;
  readonly session_token: string;
}

const open = async (gate: RunningGateway): Promise<Opened> =>
  (await gate.request("POST", "/v1/session", { principal: "ada" })).body;

/** A call as the revision has it, written by hand, so that anything can be brought back with it. */
async function call(
  gate: RunningGateway,
  { session_id, session_token }: Opened,
  args: object,
  params: object = {},
): Promise<any> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  };
  const body = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "pay", arguments: args, ...params, _meta },
  };
  const headers = {
    authorization: `Bearer ${session_token}`,
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "pay",
  };
  return (await gate.request("POST", `/s/${session_id}/mcp`, body, headers)).body;
}

const answered = (requestState: string, answer: object = YES) => ({
  requestState,
  inputResponses: { sluicegate_approval: answer },
});

describe("the state of a call that waits for its client's approval", () => {
  let arena: Arena;
  beforeAll(async () => {
    arena = await createArena(VIA_CLIENT);
  });
  afterAll(() => arena.stop());

  const question = async (opened: Opened, id: string): Promise<string> => {
    const { result } = await call(arena.gate, opened, { id });
    expect(result).toMatchObject({
      resultType: "input_required",
      inputRequests: { sluicegate_approval: { method: "elicitation/create" } },
    });
    return result.requestState;
  };

  it("approves nothing where it was forged, or given for another call, session or approval (D5-mcp, D6-binding)", async () => {
    const [mine, theirs] = [await open(arena.gate), await open(arena.gate)];
    const state = await question(mine, "forged");
    const other = await question(theirs, "forged");
    const [, approval, expires, signature] = state.split(".");
    const attempts: [Opened, object, string][] = [
      [mine, { id: "forged" }, `approval.${approval}.${Number(expires) + 1}.${signature}`],
      [mine, { id: "forged" }, `approval.${approval}.${expires}.${"0".repeat(64)}`],
      [mine, { id: "forged" }, `approval.${other.split(".")[1]}.${expires}.${signature}`],
      [mine, { id: "forged" }, `approval.${approval}.${expires}`],
      [mine, { id: "forged" }, other],
      [mine, { id: "forged-other" }, state],
      [mine, { id: "forged", amount: 6 }, state],
      [theirs, { id: "forged" }, state],
    ];
    for (const [opened, args, brought] of attempts) {
      expect(await call(arena.gate, opened, args, answered(brought))).toMatchObject({
        error: { code: -32602, message: expect.stringContaining("The request's state can't be used.") },
      });
    }
    // Without its state an answer answers nothing.
    const { inputResponses } = answered(state);
    expect((await call(arena.gate, mine, { id: "forged" }, { inputResponses })).result.resultType).toBe(
      "input_required",
    );
    expect(await arena.approval(approval ?? "")).toMatchObject({ status: "pending" });
    expect([arena.arrived("forged"), arena.arrived("forged-other")]).toEqual([0, 0]);
    const { result } = await call(arena.gate, mine, { id: "forged" }, answered(state));
    expect([result.isError ?? false, arena.arrived("forged")]).toEqual([false, 1]);
  });

  it("is good once, also for a no (D5-mcp, D6-binding)", async () => {
    const opened = await open(arena.gate);
    const yes = await question(opened, "replayed");
    await call(arena.gate, opened, { id: "replayed" }, answered(yes));
    const no = await question(opened, "refused");
    const denied = answered(no, { action: "decline" });
    expect((await call(arena.gate, opened, { id: "refused" }, denied)).result.isError).toBe(true);
    for (const [id, state] of [
      ["replayed", yes],
      ["refused", no],
    ] as const) {
      expect(await call(arena.gate, opened, { id }, answered(state))).toMatchObject({
        error: { code: -32602 },
      });
    }
    expect([arena.arrived("replayed"), arena.arrived("refused")]).toEqual([1, 0]);
  });

  it("brings the question again where no answer came with it, or one that is none (D5-mcp)", async () => {
    const opened = await open(arena.gate);
    const state = await question(opened, "unclear");
    for (const answer of [{}, { action: "accept" }, { action: "accept", content: { approve: "yes" } }]) {
      const { result } = await call(arena.gate, opened, { id: "unclear" }, answered(state, answer));
      expect(result).toMatchObject({ resultType: "input_required" });
    }
    const { result } = await call(arena.gate, opened, { id: "unclear" }, { requestState: state });
    expect(result).toMatchObject({ resultType: "input_required" });
    expect(arena.arrived("unclear")).toBe(0);
  });

  it("counts for no call that was cut in the question, whatever is answered (D5-mcp)", async () => {
    const opened = await open(arena.gate);
    const args = { id: "cut", note: "x".repeat(20_000) };
    const { result } = await call(arena.gate, opened, args);
    const after = await call(arena.gate, opened, args, answered(result.requestState));
    expect(after.result).toMatchObject({ isError: true });
    expect(after.result.content[0].text).toContain("nothing was run");
    expect(arena.arrived("cut")).toBe(0);
    const denied = answered(result.requestState, { action: "accept", content: { deny: true } });
    const refused = await call(arena.gate, opened, args, denied);
    expect(refused.result.content[0].text).toContain("said no");
  });

  it("isn't given for a call that queues behind another of its session (D5-mcp)", async () => {
    const opened = await open(arena.gate);
    const state = await question(opened, "front");
    const { result } = await call(arena.gate, opened, { id: "behind" });
    expect(result).toMatchObject({ isError: true, resultType: "complete" });
    await call(arena.gate, opened, { id: "front" }, answered(state));
    await question(opened, "behind");
    expect([arena.arrived("front"), arena.arrived("behind")]).toEqual([1, 0]);
  });

  it("runs one of eight answers that come at once (D6-binding)", async () => {
    const opened = await open(arena.gate);
    const state = await question(opened, "eight");
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => call(arena.gate, opened, { id: "eight" }, answered(state))),
    );
    const ran = replies.filter(({ result }) => result?.content && !result.isError);
    expect([ran.length, arena.arrived("eight")]).toEqual([1, 1]);
  });

  it("is good at another gateway with the same store and key, and only at one of them (X15-approvals, D5-mcp)", async () => {
    const other = await startGateway({ policy: arena.policy, folder: arena.gate.folder });
    try {
      const opened = await open(arena.gate);
      const state = await question(opened, "elsewhere");
      const { result } = await call(other, opened, { id: "elsewhere" }, answered(state));
      expect([result.isError ?? false, arena.arrived("elsewhere")]).toEqual([false, 1]);
      expect(await call(arena.gate, opened, { id: "elsewhere" }, answered(state))).toMatchObject({
        error: { code: -32602 },
      });
      expect(arena.arrived("elsewhere")).toBe(1);
    } finally {
      await other.stop();
    }
  });
});

describe("what a server has besides plain tools", () => {
  let post: Post;
  let gate: RunningGateway;
  beforeAll(async () => {
    post = await startPost({ port: 0, legacyOnly: false });
    gate = await startGateway({
      policy: `
version: 1
servers:
  post:
    url: "${post.url}"
    sink: public
    tools:
      ask_reference: { permissions: [connect], sink: public, approval: always }
      "resources/read": { permissions: [connect], sink: public, approval: always }
${VIA_CLIENT}
`,
    });
  });
  afterAll(async () => {
    await gate.stop();
    await post.close();
  });

  it.each(ERAS)("%s: a resource that asks is read after the client's yes (D5-mcp, X14)", async (era) => {
    const { session_id, session_token } = await open(gate);
    const place = { url: `${gate.url}/s/${session_id}/mcp`, token: session_token };
    const agent = await connectAgent({ era, place, answer: () => YES });
    try {
      const uri = `post://outbox/${era.replace(" ", "-")}`;
      expect((await agent.read(uri)).contents).toMatchObject([{ text: "sent" }]);
      expect(agent.asked.map(({ message }) => message.includes("mcp__post__resources/read"))).toEqual([true]);
    } finally {
      await agent.close();
    }
  });

  it.each(
    ERAS,
  )("%s: its own question comes after the approval, in the same call (D5-mcp, X14)", async (era) => {
    const { session_id, session_token } = await open(gate);
    const agent = await connectAgent({
      era,
      place: { url: `${gate.url}/s/${session_id}/mcp`, token: session_token },
      answer: ({ message }) =>
        message.startsWith("An agent wants to call the tool")
          ? YES
          : { action: "accept", content: { reference: `ref-${era}` } },
    });
    try {
      const result = await agent.call("ask_reference", { text: "x" });
      expect(result.isError ?? false).toBe(false);
      expect(agent.asked).toHaveLength(2);
      expect(post.received.holds(`ref-${era}`)).toBe(true);
    } finally {
      await agent.close();
    }
  });
});

describe("kill −9 of the real program while its client is asked", () => {
  let bank: RecordingUpstream;
  let gateway: KillableGateway;
  beforeAll(async () => {
    bank = await startRecordingUpstream(BANK_TOOLS);
    gateway = createKillableGateway(bankPolicy(bank.url, VIA_CLIENT));
    await gateway.start();
  });
  afterAll(async () => {
    await gateway.remove();
    await bank.close();
  });

  const arrived = (id: string): number => bank.calls.filter((one) => one.arguments.id === id).length;
  /** Requests go to where the program listens now. */
  const rerouted = (url: string | URL): URL => {
    const { pathname } = new URL(url);
    return new URL(pathname, gateway.url());
  };
  const place = async () => {
    const { session_id, session_token } = await gateway.request("POST", "/v1/session", {});
    return { url: `${gateway.url()}/s/${session_id}/mcp`, token: session_token };
  };

  it("takes the answer after the restart, and runs the call once (X15-approvals, D5-mcp)", async () => {
    const agent = await connectAgent({
      era: "2026-07-28",
      place: await place(),
      fetch: (url, init) => fetch(rerouted(url), init),
      answer: async () => {
        await gateway.kill();
        await gateway.start();
        return YES;
      },
    });
    const result = await agent.call("pay", { id: "killed" });
    expect([result.isError ?? false, agent.asked.length, arrived("killed")]).toEqual([false, 1, 1]);
    await agent.close();
  });

  it("runs a call at most once, whenever it dies over the answer (X15-approvals, law-7)", async () => {
    for (const round of CASES > 2_000 ? [0, 1, 2, 3] : [0, 2]) {
      const id = `round-${round}`;
      let mayApprove = true;
      const agent = await connectAgent({
        era: "2026-07-28",
        place: await place(),
        fetch: async (url, init) => {
          const isAnswer = typeof init?.body === "string" && init.body.includes('"requestState"');
          if (!isAnswer || !mayApprove) return fetch(rerouted(url), init);
          mayApprove = false;
          const reply = fetch(rerouted(url), init).catch(() => new Response(null, { status: 502 }));
          // The later the round, the further it got.
          for (let turn = 0; turn < round * 3; turn += 1) await gateway.request("GET", "/healthz");
          await gateway.kill();
          await gateway.start();
          return reply;
        },
        answer: () => (mayApprove ? YES : { action: "cancel" }),
      });
      await agent.call("pay", { id }).catch(() => null);
      const afterwards = await agent.call("pay", { id });
      expect(arrived(id)).toBeLessThanOrEqual(1);
      if (!afterwards.isError) expect(arrived(id)).toBe(1);
      await agent.close();
    }
  });
});
