/** What whoever approves, operates and investigates is shown: sessions, approvals, and events, over REST. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OFFICE_POLICY, OPERATOR_TOKEN, type RunningGateway, startGateway } from "./running-gateway.ts";

const POLICY = `${OFFICE_POLICY.replace(
  "slack_post: { permissions: [connect], sink: public }",
  "slack_post: { permissions: [connect], sink: public, on_violation: ask }",
)}
approvals: { via: [console] }
`;
const MEGABYTE = 1024 * 1024;

const folder = mkdtempSync(join(tmpdir(), "sluicegate-overview-"));
let gate: RunningGateway;
/** Another gateway on the same store. */
let beside: RunningGateway;
beforeAll(async () => {
  const options = { policy: POLICY, folder, limits: { bodyBytes: 8 * MEGABYTE } };
  [gate, beside] = await Promise.all([startGateway(options), startGateway(options)]);
});
afterAll(async () => {
  await Promise.all([gate.stop(), beside.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const open = async (body: object = {}): Promise<string> =>
  (await gate.request("POST", "/v1/session", body)).body.session_id;
const decide = async (session: string, tool: string, args: object = {}) =>
  (await gate.request("POST", `/v1/session/${session}/decide`, { tool, arguments: args })).body;
const pay = async (session: string, args: object): Promise<string> =>
  (await decide(session, "wire_transfer", args)).approval.id;
const sessions = async (query: string, from = gate) =>
  (await from.request("GET", `/v1/sessions?${query}`)).body;
const approvals = async (query: string, from = gate): Promise<any[]> =>
  (await from.request("GET", `/v1/approvals?${query}`)).body.approvals;

describe("the list of sessions", () => {
  it("shows what each holds, what it did and what it waits for, by any filter", async () => {
    const session = await open({ principal: "grace", role: "reader" });
    await decide(session, "search_email", { query: "x" });
    await decide(session, "slack_post", { text: "x" });
    const other = await open({ principal: "grace hopper" });
    await pay(other, { amount: 1 });
    const { sessions: rows, total, next } = await sessions("principal=GRACE");
    expect(rows.map((row: any) => row.session_id)).toEqual([other, session]);
    expect([total, next]).toEqual([2, null]);
    expect(rows[1]).toMatchObject({
      principal: "grace",
      role: "reader",
      label: { level: "internal", trust: "untrusted" },
      private: true,
      calls: 2,
      refused: 1,
      waiting: 0,
      impossible: false,
      closed: false,
      gauge: { level: 1, gates: [] },
    });
    expect(rows[0]).toMatchObject({
      calls: 1,
      waiting: 1,
      gauge: {
        level: 0,
        gates: [
          { height: 0, shut: false, releasable: false, tools: 1, names: ["web_search"] },
          { height: 0, shut: false, releasable: true, tools: 1, names: ["slack_post"] },
          { height: 1, shut: false, releasable: false, tools: 1, names: ["github_create_pr"] },
        ],
      },
    });
    for (const [filter, fitting] of [
      ["role=reader", session],
      ["level=internal", session],
      ["refused=true", session],
      ["waiting=true", other],
      ["waiting=false", session],
      ["closed=false&level=public", other],
    ] as const) {
      const found = (await sessions(`principal=grace&${filter}`)).sessions;
      expect([filter, found.map((row: any) => row.session_id)]).toEqual([filter, [fitting]]);
    }
    expect((await sessions("principal=grace", beside)).sessions).toEqual(rows);
  });

  it("is turned page by page while things happen, without showing one twice", async () => {
    const opened = [];
    for (let at = 0; at < 9; at += 1) opened.push(await open({ principal: "pages" }));
    const seen: string[] = [];
    let after = "";
    for (let page = 0; page < 9 && page * 4 === seen.length; page += 1) {
      const answer = await sessions(`principal=pages&limit=4${after}`);
      seen.push(...answer.sessions.map((row: any) => row.session_id));
      after = `&after=${answer.next}`;
      await decide(seen[0] ?? "", "render_chart");
    }
    expect(seen).toEqual(opened.reverse());
    expect((await sessions("principal=pages&limit=1")).sessions[0].session_id).toBe(seen[0]);
    for (const bad of ["after=1", "limit=501", "closed=maybe", "unheard=1"])
      expect((await gate.request("GET", `/v1/sessions?${bad}`)).status).toBe(400);
  });

  it("has the gates of a closed session as they were, and no chain but sessions'", async () => {
    const session = await open({ principal: "closing" });
    await decide(session, "search_docs", { query: "x" });
    await gate.request("POST", `/v1/session/${session}/reset`);
    const [row] = (await sessions("principal=closing&closed=true")).sessions;
    expect(row).toMatchObject({ session_id: session, closed: true });
    expect(row.gauge.gates[0]).toMatchObject({ height: 0, shut: true, names: ["web_search"] });
    const all = (await sessions("limit=500")).sessions;
    expect(all.every((one: any) => /^sess_[0-9a-f]{32}$/.test(one.session_id))).toBe(true);
  });

  it("is for the operator alone", async () => {
    const { session_id: _, session_token: token } = (await gate.request("POST", "/v1/session", {})).body;
    const answer = await gate.request("GET", "/v1/sessions", undefined, { authorization: `Bearer ${token}` });
    expect(answer.status).toBe(403);
  });
});

describe("an approval as it is shown", () => {
  it("says what a yes lets happen, where the session's data came from and how high it stands (D5-queue, D7-data)", async () => {
    const session = await open({ principal: "ada" });
    await decide(session, "search_docs", { query: "a" });
    await decide(session, "search_email", { query: "a" });
    const { approval } = await decide(session, "slack_post", { text: "hello" });
    const shown = (await gate.request("GET", `/v1/approvals/${approval.id}`)).body;
    expect(shown).toMatchObject({
      what: "`ada`'s agent wants to release what its session holds, internal data (untrusted), to `slack_post` of the server `outside`, which may receive public data at most.",
      facts: {
        tool: "mcp__outside__slack_post",
        name: "slack_post",
        height: 0,
        releasable: true,
        approval: "never",
      },
      folded: [],
      held: [
        { step: 0, tool: "search_docs", dataset: "office", label: { level: "internal", trust: "trusted" } },
        {
          step: 1,
          tool: "search_email",
          dataset: "office",
          label: { level: "internal", trust: "untrusted" },
        },
      ],
      gauge: {
        level: 1,
        gates: [{ height: 0, shut: true }, { height: 0, shut: true, releasable: true }, { height: 1 }],
      },
    });
    const [listed] = (await approvals("fold=100")).filter(({ id }) => id === approval.id);
    expect(listed).toEqual(shown);
  });

  it("is folded in a list that has room for many though each is 5 MB, and whole by itself (X14)", async () => {
    const asked: string[] = [];
    const text = `<script>${"x".repeat(5 * MEGABYTE)}`;
    for (let at = 0; at < 3; at += 1) {
      const session = await open({ principal: "long" });
      asked.push(await pay(session, { amount: at, text, list: Array.from({ length: 1000 }, () => 1) }));
    }
    const listed = (await approvals("fold=2000")).filter(({ principal }) => principal === "long");
    expect(listed.map(({ id }) => id)).toEqual(asked);
    for (const one of listed) {
      expect(one.arguments.text).toBe(text.slice(0, 2000));
      expect(one.folded).toEqual([
        { part: "arguments", pointer: "/text", characters: text.length },
        { part: "arguments", pointer: "/list", characters: 2001 },
      ]);
    }
    const whole = (await gate.request("GET", `/v1/approvals/${asked[0]}`)).body;
    expect([whole.arguments.text === text, whole.arguments.list.length, whole.folded]).toEqual([
      true,
      1000,
      [],
    ]);
    const alone = (await gate.request("GET", `/v1/approvals/${asked[0]}?fold=2000`)).body;
    // By its id it is compared with those of its own session.
    expect(alone).toEqual({ ...listed[0], alike: 0 });
    for (const id of asked) await gate.request("POST", `/v1/approvals/${id}/deny`, {});
    expect((await approvals("fold=2000")).filter(({ principal }) => principal === "long")).toEqual([]);
  });

  it("is refused beyond a length, and as a long one behind several others (X14)", async () => {
    const session = await open();
    const long = { text: "x".repeat(MEGABYTE) };
    for (let at = 0; at < 4; at += 1) await pay(session, { ...long, at });
    const refused = await decide(session, "wire_transfer", { ...long, at: 4 });
    expect(refused).toMatchObject({ effect: "deny", faults: [{ code: "approvals" }], approval: null });
    expect((await decide(session, "wire_transfer", { at: 5 })).effect).toBe("ask");
    await gate.request("POST", `/v1/session/${session}/reset`);
  });

  it("stays in the list of those that are over, with who answered, how and why (D5-queue)", async () => {
    const session = await open({ principal: "linus" });
    const ids = [
      await pay(session, { amount: 1 }),
      await pay(session, { amount: 2 }),
      await pay(session, { amount: 3 }),
    ];
    const answer = (id: string | undefined, verb: string, body: object) =>
      gate.request("POST", `/v1/approvals/${id}/${verb}`, body);
    await answer(ids[0], "approve", { via: "console" });
    await answer(ids[1], "deny", { why: "Not <b>this</b> one." });
    await gate.request("POST", `/v1/session/${session}/report-impossible`, { reason: "No." });
    const over = (await approvals("status=ended", beside)).filter(({ session_id }) => session_id === session);
    const common = { session_id: session, principal: "linus", tool: "wire_transfer", name: "wire_transfer" };
    expect(over).toEqual([
      {
        ...common,
        id: ids[2],
        status: "cancelled",
        answered_by: null,
        via: null,
        why: null,
        ended_at: expect.any(String),
      },
      {
        ...common,
        id: ids[1],
        status: "denied",
        answered_by: "operator",
        via: null,
        why: "Not <b>this</b> one.",
        ended_at: expect.any(String),
      },
      {
        ...common,
        id: ids[0],
        status: "approved",
        answered_by: "operator",
        via: "console",
        why: null,
        ended_at: expect.any(String),
      },
    ]);
    for (const { id, status, ended_at } of over)
      expect((await gate.request("GET", `/v1/approvals/${id}`)).body).toMatchObject({ status, ended_at });
  });
});

interface Told {
  readonly id: number;
  readonly kind: string;
  readonly data: any;
}

/** The events of a stream, until what it is asked for has come. */
async function* events(from: RunningGateway, after: string, headers: object = {}): AsyncGenerator<Told> {
  const leaving = new AbortController();
  const { body } = await fetch(`${from.url}/v1/events?after=${after}`, {
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, ...headers },
    signal: leaving.signal,
  });
  let text = "";
  try {
    for await (const chunk of body ?? []) {
      const blocks = (text + new TextDecoder().decode(chunk)).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const [, id, kind, data] = /^id: (\d+)\nevent: (.+)\ndata: (.+)$/.exec(block) ?? [];
        if (id && kind && data) yield { id: Number(id), kind, data: JSON.parse(data) };
      }
    }
  } finally {
    leaving.abort();
  }
}

const until = async (told: AsyncGenerator<Told>, fits: (one: Told) => boolean): Promise<Told> => {
  for (;;) {
    const { value, done } = await told.next();
    if (done) throw new Error("The stream has ended.");
    if (fits(value)) return value;
  }
};

describe("the events", () => {
  it("begin with a hello and only what is new, and go on after what was seen last", async () => {
    const told = events(gate, "latest");
    const hello = (await told.next()).value;
    expect(hello).toMatchObject({
      kind: "hello",
      data: { version: "0.0.0-test", policy: expect.any(String) },
    });
    const session = await open();
    const opened = (await told.next()).value;
    expect(opened).toMatchObject({ id: hello.id + 1, kind: "session-opened", data: { session_id: session } });
    await told.return(undefined);
    await decide(session, "render_chart");
    const resumed = events(gate, "latest", { "last-event-id": `${opened.id}` });
    expect((await resumed.next()).value).toMatchObject({ id: opened.id, kind: "hello" });
    expect((await resumed.next()).value).toMatchObject({
      kind: "call-admitted",
      data: { session_id: session },
    });
    await resumed.return(undefined);
  });

  it("tell of what was decided at another gateway on the same store (D5-queue)", async () => {
    const [here, there] = [events(gate, "latest"), events(beside, "latest")];
    await Promise.all([here.next(), there.next()]);
    const id = await pay(await open(), { amount: 7 });
    await until(there, ({ kind, data }) => kind === "approval-requested" && data.data.approval === id);
    const answered = await beside.request("POST", `/v1/approvals/${id}/deny`, { why: "No.", via: "console" });
    expect(answered.status).toBe(200);
    const seen = await until(
      here,
      ({ kind, data }) => kind === "approval-answered" && data.data.approval === id,
    );
    expect(seen.data.data).toMatchObject({ answer: "denied", why: "No.", via: "console" });
    const [newest] = await approvals("status=ended");
    expect(newest).toMatchObject({ id, status: "denied", why: "No." });
    await Promise.all([here.return(undefined), there.return(undefined)]);
  });
});
