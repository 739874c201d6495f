/** The story over REST: a manifest, a plan that fails its check, a block, and a journal that tells it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningGateway, startGateway } from "./running-gateway.ts";

let gate: RunningGateway;
beforeAll(async () => {
  gate = await startGateway();
});
afterAll(() => gate.stop());

const open = async (body: object = {}) => (await gate.request("POST", "/v1/session", body)).body;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const call = async (session: string, tool: string, args: object) =>
  (await gate.request("POST", `/v1/session/${session}/call`, { tool, arguments: args })).body;

const SEARCH_EMAIL = { query: "Q3" };
const WEB_SEARCH = { query: "market" };
const MAIL = { level: "internal", categories: [], trust: "untrusted" };
const KNOWN = { depends_on_arguments: false };
const SHUT_BY_MAIL = ["web_search", "slack_post"];
const PULL_REQUEST = { repository: "acme/site", title: "Fix", body: "A fix", branch: "fix" };

describe("a session over REST", () => {
  it("opens with its manifest, its prompt and a token of its own (C2, C3)", async () => {
    const { status, body } = await gate.request("POST", "/v1/session", {
      principal: "ada",
      task: "Compare mail and news",
    });
    expect(status).toBe(201);
    expect(body.session_id).toMatch(/^sess_[0-9a-f]{32}$/);
    expect(body.label).toEqual({ level: "public", categories: [], trust: "trusted" });
    expect(body.ordering_hint).toBe("complete all external tool calls before calling internal_source tools");
    expect(
      Object.fromEntries(body.tools.map((tool: any) => [tool.name, [tool.sensitivity, tool.consequence]])),
    ).toEqual({
      search_email: ["internal_source", "calling this tool will block: web_search, slack_post"],
      search_docs: ["internal_source", "calling this tool will block: web_search, slack_post"],
      web_search: ["external", "none — safe to call before internal tools"],
      slack_post: ["external", "none — safe to call before internal tools"],
      github_create_pr: ["external", "none — safe to call before internal tools"],
      render_chart: ["neutral", "none — calling it blocks nothing"],
      wire_transfer: ["neutral", "none — calling it blocks nothing"],
    });
    expect(body.prompt).toContain(
      "Calling `search_email` or `search_docs` blocks `web_search` and `slack_post`",
    );
    expect(body.prompt).toContain("Safe in any order: `github_create_pr`");
  });

  it("answers the seed's plan with one violation and the safe order (C4)", async () => {
    const { session_id } = await open();
    const { status, body } = await gate.request("POST", `/v1/session/${session_id}/validate-plan`, {
      planned_calls: ["search_email", "web_search", "github_create_pr"],
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      valid: false,
      violations: [
        {
          at_step: 1,
          tool: "web_search",
          code: "flow-blocked",
          reason: "`web_search` is blocked after `search_email` (step 0) loads internal data",
          suggestion: "move `web_search` before `search_email`",
        },
      ],
      safe_ordering: ["web_search", "search_email", "github_create_pr"],
      approvals: [],
      questions: 0,
      in_the_way: [],
      ways_out: [],
      steps: [
        {
          at_step: 0,
          tool: "search_email",
          effect: "allow",
          raises: MAIL,
          label: MAIL,
          shut: SHUT_BY_MAIL,
          ...KNOWN,
        },
        { at_step: 1, tool: "web_search", effect: "deny", raises: null, label: MAIL, shut: [], ...KNOWN },
        {
          at_step: 2,
          tool: "github_create_pr",
          effect: "allow",
          raises: null,
          label: MAIL,
          shut: [],
          ...KNOWN,
        },
      ],
    });
  });

  it("lists ids, respects after, predicts approvals and names what is in the way (C5)", async () => {
    const { session_id } = await open();
    const { body } = await gate.request("POST", `/v1/session/${session_id}/validate-plan`, {
      planned_calls: [
        { id: "mail", tool: "search_email" },
        { id: "web", tool: "web_search", after: ["mail"] },
        "wire_transfer",
        { tool: "render_chart", after: ["nothing"] },
      ],
    });
    expect(body).toMatchObject({
      valid: false,
      violations: [
        { at_step: 1, code: "flow-blocked" },
        { at_step: 3, code: "unknown-id" },
      ],
      safe_ordering: null,
      approvals: [{ at_step: 2, tool: "wire_transfer" }],
      in_the_way: ["web", "render_chart"],
    });
    expect(body.ways_out).toHaveLength(3);
  });

  it("runs the safe order without a block, and shuts the web after mail (C1-declared, C6)", async () => {
    const safe = await open();
    for (const [tool, args] of [
      ["web_search", WEB_SEARCH],
      ["search_email", SEARCH_EMAIL],
      ["github_create_pr", PULL_REQUEST],
    ] as const) {
      const answer = await call(safe.session_id, tool, args);
      expect([tool, answer.effect, answer.result?.isError ?? false]).toEqual([tool, "allow", false]);
    }
    const unsafe = await open();
    const mail = await call(unsafe.session_id, "search_email", SEARCH_EMAIL);
    expect(mail).toMatchObject({
      effect: "allow",
      raises: { level: "internal", categories: [], trust: "untrusted" },
    });
    expect(JSON.stringify(mail.result.content)).toContain("Q3");
    const web = await call(unsafe.session_id, "web_search", WEB_SEARCH);
    expect(web.result).toBeUndefined();
    expect(web).toMatchObject({
      effect: "deny",
      tool: "web_search",
      raises: null,
      reasons: [
        {
          code: "flow-blocked",
          message:
            "Tool `web_search` is blocked in this session. `search_email` (call 1) loaded internal data, and `web_search` may receive public data at most. Call `web_search` before `search_email`, or give that part of the task to a session of its own.",
          caused_by: [{ step: 0, tool: "search_email", dataset: "office" }],
        },
      ],
      label: { level: "internal", categories: [], trust: "untrusted" },
    });
    expect((await call(unsafe.session_id, "github_create_pr", PULL_REQUEST)).effect).toBe("allow");
    const state = (await gate.request("GET", `/v1/session/${unsafe.session_id}`)).body;
    expect(state).toMatchObject({ private: true, calls: 3, effects: [], pending: null, role: null });
    expect(state.datasets).toEqual([
      { id: "office", sensitivity: "internal", at: expect.any(String), call: mail.call_id },
    ]);
    const again = (await gate.request("GET", `/v1/session/${unsafe.session_id}/manifest`)).body;
    expect(again.tools.find((tool: any) => tool.name === "web_search").consequence).toBe(
      "already blocked: this session holds internal data (untrusted)",
    );
  });

  it("tells it all in a journal that verifies (X15-sqlite)", async () => {
    const { session_id } = await open();
    await call(session_id, "search_email", SEARCH_EMAIL);
    await call(session_id, "web_search", WEB_SEARCH);
    const first = (await gate.request("GET", `/v1/session/${session_id}/journal?after=0&limit=2`)).body;
    const rest = (await gate.request("GET", `/v1/session/${session_id}/journal?after=${first.next}`)).body;
    const events = [...first.events, ...rest.events];
    expect(events.map((event: any) => event.kind)).toEqual([
      "session-opened",
      "call-admitted",
      "call-finished",
      "call-refused",
    ]);
    expect(events.map((event: any) => event.seq)).toEqual([1, 2, 3, 4]);
    expect(events[3].data).toMatchObject({ tool: "mcp__outside__web_search", label: { level: "internal" } });
    expect(JSON.stringify(events)).not.toContain("Q3");
    expect(await gate.gateway.gate.verify()).toMatchObject({ ok: true, problems: [] });
  });

  it("decides for tools that the agent runs, takes its report, and refuses to run them (A1, A8)", async () => {
    const { session_id } = await open();
    expect(
      (await gate.request("POST", `/v1/session/${session_id}/call`, { tool: "render_chart" })).status,
    ).toBe(409);
    const path = `/v1/session/${session_id}`;
    const decided = (
      await gate.request("POST", `${path}/decide`, { tool: "render_chart", arguments: { a: 1 } })
    ).body;
    expect(decided.effect).toBe("allow");
    const reported = await gate.request("POST", `${path}/report`, {
      call_id: decided.call_id,
      label: { level: "confidential" },
      dataset: "crm",
    });
    expect(reported.body).toMatchObject({
      label: { level: "confidential" },
      datasets: [{ id: "crm", sensitivity: "confidential" }],
    });
    expect((await gate.request("POST", `${path}/report`, { call_id: decided.call_id })).body.error.code).toBe(
      "call-not-found",
    );
    expect((await gate.request("POST", `${path}/report`, { call_id: "call_x" })).status).toBe(404);
    const limited = await open({ role: "reader" });
    const refused = (
      await gate.request("POST", `/v1/session/${limited.session_id}/decide`, { tool: "wire_transfer" })
    ).body;
    expect(refused.reasons.map((reason: any) => reason.code)).toEqual([
      "not-in-tool-set",
      "permission-missing",
      "approval-required",
    ]);
  });

  it("admits a batch in order and refuses what the one before it shut (law-8)", async () => {
    const { session_id } = await open();
    const { body } = await gate.request("POST", `/v1/session/${session_id}/decide`, {
      calls: [{ tool: "search_email" }, { tool: "slack_post" }, { tool: "github_create_pr" }],
    });
    expect(body.decisions.map((decision: any) => decision.effect)).toEqual(["allow", "deny", "allow"]);
  });

  it("records an ask, gives the same call the same approval, and lists it for the operator", async () => {
    const opened = await open({ principal: "grace" });
    const decide = () =>
      gate.request("POST", `/v1/session/${opened.session_id}/decide`, {
        tool: "wire_transfer",
        arguments: { amount: 5 },
      });
    const [first, second] = [(await decide()).body, (await decide()).body];
    expect(first).toMatchObject({ effect: "ask", raises: null, approval: { status: "pending" } });
    expect(second.approval).toEqual(first.approval);
    const other = (
      await gate.request("POST", `/v1/session/${opened.session_id}/decide`, {
        tool: "wire_transfer",
        arguments: { amount: 6 },
      })
    ).body;
    expect(other.approval.id).not.toBe(first.approval.id);
    const listed = async (status: string) =>
      (await gate.request("GET", `/v1/approvals?status=${status}`)).body.approvals.filter(
        (approval: any) => approval.session_id === opened.session_id,
      );
    expect(await listed("pending")).toMatchObject([{ id: first.approval.id, status: "pending" }]);
    expect(await listed("queued")).toMatchObject([{ id: other.approval.id, status: "queued" }]);
    expect(await listed("all")).toMatchObject([
      { id: first.approval.id, principal: "grace", tool: "wire_transfer", arguments: { amount: 5 } },
      { id: other.approval.id, arguments: { amount: 6 } },
    ]);
    const state = (await gate.request("GET", `/v1/session/${opened.session_id}`)).body;
    expect(state.pending).toMatchObject({ id: first.approval.id, tool: "wire_transfer" });
  });

  it("answers two hundred calls of one session at once, each once (A4)", async () => {
    const { session_id } = await open();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        call(session_id, "search_docs", { query: `pricing ${index}` }),
      ),
    );
    expect(answers.every((answer) => answer.effect === "allow" && answer.result)).toBe(true);
    expect(new Set(answers.map((answer) => answer.call_id)).size).toBe(200);
    expect((await gate.request("GET", `/v1/session/${session_id}`)).body.calls).toBe(200);
  });

  it("is clean again only in the session that a reset opens (A4)", async () => {
    const opened = await open({ principal: "ada", role: "reader" });
    await call(opened.session_id, "search_email", SEARCH_EMAIL);
    const reset = await gate.request("POST", `/v1/session/${opened.session_id}/reset`);
    expect(reset.status).toBe(201);
    expect(reset.body.session_id).not.toBe(opened.session_id);
    expect(reset.body.label.level).toBe("public");
    expect((await gate.request("GET", `/v1/session/${opened.session_id}`)).body).toMatchObject({
      closed: true,
      label: { level: "internal" },
    });
    expect((await call(opened.session_id, "search_docs", { query: "x" })).reasons[0].code).toBe(
      "session-closed",
    );
    expect((await gate.request("POST", `/v1/session/${opened.session_id}/reset`)).body.error.code).toBe(
      "session-closed",
    );
  });

  it("refuses at execution what is hidden, unknown, denied or another role's, though it is named (law-5, B1)", async () => {
    const narrowed = await open({ tools: ["search_docs", "render_chart"] });
    const code = async (tool: string) => {
      const answer = await call(narrowed.session_id, tool, {});
      return [answer.effect, answer.reasons[0].code, answer.reasons[0].message.includes("There is no tool")];
    };
    for (const name of [
      "search_email",
      "office__search_email",
      "mcp__office__search_email",
      "nothing",
      "constructor",
      "__proto__",
      "wire_transfer",
    ]) {
      expect([name, await code(name)]).toEqual([name, ["deny", "unknown-tool", true]]);
    }
    expect(narrowed.tools.map((tool: any) => tool.name)).toEqual(["search_docs", "render_chart"]);
  });
});

describe("the user's words over REST", () => {
  it("let a call run that waited for a person before (X4)", async () => {
    const policy = `version: 1
endorsement: strict
tools:
  read_mail: { permissions: [read], source: { trust: untrusted } }
  send_mail: { permissions: [connect], critical: [to] }
`;
    const endorsing = await startGateway({ policy });
    try {
      const { session_id } = (await endorsing.request("POST", "/v1/session", {})).body;
      const own = `/v1/session/${session_id}`;
      const decide = async (tool: string, args: object) =>
        (await endorsing.request("POST", `${own}/decide`, { tool, arguments: args })).body.effect;
      const send = () => decide("send_mail", { to: "ada@acme.example" });
      expect([await decide("read_mail", {}), await send()]).toEqual(["allow", "ask"]);
      const said = await endorsing.request("POST", `${own}/words`, { text: "Answer ada@acme.example." });
      expect([said.status, said.body.session_id]).toEqual([200, session_id]);
      expect([await send(), await decide("send_mail", { to: "eve@evil.example" })]).toEqual(["allow", "ask"]);
    } finally {
      await endorsing.stop();
    }
  });
});

describe("a session's token", () => {
  it("can use its session and nothing else", async () => {
    const mine = await open();
    const other = await open();
    const own = `/v1/session/${mine.session_id}`;
    const token = bearer(mine.session_token);
    const status = async (method: string, path: string, body?: unknown) =>
      (await gate.request(method, path, body, token)).status;
    expect(await status("GET", own)).toBe(200);
    expect(await status("GET", `${own}/manifest`)).toBe(200);
    expect((await gate.request("GET", `${own}/answer`, undefined, token)).body).toMatchObject({
      effect: "allow",
      reasons: [],
    });
    expect(await status("POST", `${own}/validate-plan`, { planned_calls: [] })).toBe(200);
    expect(await status("POST", `${own}/decide`, { tool: "render_chart" })).toBe(200);
    expect(await status("POST", `${own}/call`, { tool: "search_docs", arguments: { query: "x" } })).toBe(200);
    for (const [method, path] of [
      ["POST", "/v1/session"],
      ["POST", `${own}/reset`],
      ["POST", `${own}/words`],
      ["GET", `${own}/journal`],
      ["GET", "/v1/approvals"],
      ["GET", "/v1/events"],
      ["GET", "/metrics"],
      ["GET", "/readyz"],
    ] as const) {
      expect([path, await status(method, path)]).toEqual([path, 403]);
    }
    const theirs = await gate.request("GET", `/v1/session/${other.session_id}`, undefined, token);
    const unknown = await gate.request("GET", `/v1/session/sess_${"0".repeat(32)}`, undefined, token);
    const malformed = await gate.request("GET", "/v1/session/..%2f", undefined, token);
    expect([theirs.status, unknown.status, malformed.status]).toEqual([404, 404, 404]);
    expect(theirs.body).toEqual(unknown.body);
    expect(malformed.body).toEqual(unknown.body);
    expect(await status("POST", `/v1/session/${other.session_id}/call`, { tool: "search_docs" })).toBe(404);
  });

  it("is refused when a character of it was changed", async () => {
    const { session_id, session_token } = await open();
    const forged = session_token.replace(/.$/, (last: string) => (last === "0" ? "1" : "0"));
    expect((await gate.request("GET", `/v1/session/${session_id}`, undefined, bearer(forged))).status).toBe(
      401,
    );
  });
});

describe("server-sent events", () => {
  it("tell of each entry, and resume after the last one that was seen", async () => {
    const read = async (headers: Record<string, string>, until: string) => {
      const abort = new AbortController();
      const response = await fetch(`${gate.url}/v1/events?after=0`, {
        headers: { authorization: "Bearer operator-token-for-tests", ...headers },
        signal: abort.signal,
      });
      let text = "";
      for await (const chunk of response.body ?? []) {
        text += new TextDecoder().decode(chunk);
        if (text.includes(until)) break;
      }
      abort.abort();
      return text;
    };
    const { session_id } = await open();
    const seen = await read({}, session_id);
    const block = seen.split("\n\n").find((text) => text.includes(session_id)) ?? "";
    const last = /^id: (\d+)$/m.exec(block)?.[1] ?? "none";
    const later = read({ "last-event-id": last }, "call-admitted");
    await gate.request("POST", `/v1/session/${session_id}/decide`, { tool: "render_chart" });
    const resumed = await later;
    expect(resumed).toContain(`"session_id":"${session_id}"`);
    expect(resumed).not.toContain("event: session-opened");
  });
});

describe("the operator's pages", () => {
  it("say whether servers answered, count decisions, and describe every route", async () => {
    expect((await gate.request("GET", "/readyz")).body).toMatchObject({
      ready: true,
      servers: [{ id: "office", status: "ready" }, { id: "outside" }],
    });
    expect((await gate.request("GET", "/metrics")).body).toMatch(
      /sluicegate_decisions_total\{effect="deny"\} [1-9]/,
    );
    const document = (await gate.request("GET", "/openapi.json")).body;
    expect(document.openapi).toBe("3.1.0");
    expect(Object.keys(document.paths)).toContain("/v1/session/{id}/validate-plan");
    expect((await fetch(`${gate.url}/healthz`)).status).toBe(200);
  });
});

describe("a plan that needs a person", () => {
  const planned_calls = [
    { id: "mail", tool: "search_email", arguments: SEARCH_EMAIL },
    { id: "pay", tool: "wire_transfer", arguments: { amount: 12 }, after: ["mail"] },
  ];

  it("is asked for once with the session's token, approved by the operator, and then runs (X6)", async () => {
    const { session_id, session_token } = await open();
    const own = bearer(session_token);
    const request = async (method: string, path: string, body?: object, headers?: Record<string, string>) =>
      gate.request(method, path, body, headers);
    const propose = async () =>
      (await request("POST", `/v1/session/${session_id}/plan`, { planned_calls }, own)).body;
    const asked = await propose();
    expect(asked).toMatchObject({ valid: true, effect: "ask", questions: 1, lease: null, asks_later: [] });
    const path = `/v1/approvals/${asked.approval.id}`;
    const shown = (await request("GET", path)).body;
    expect(shown).toMatchObject({ tool: "plan", release: false, facts: null });
    expect(shown.what).toContain("a plan of 2 calls, of which 1 may run unasked");
    expect(shown.arguments.steps).toMatchObject([
      { arguments: SEARCH_EMAIL, after: "internal data (untrusted)" },
      { arguments: { amount: 12 }, asks: "now", before: "internal data (untrusted)", waits_for: [0] },
    ]);
    expect((await request("POST", `${path}/approve`, {}, own)).status).toBe(403);
    expect((await request("POST", `${path}/approve`, {})).status).toBe(200);
    expect(await propose()).toMatchObject({
      effect: "allow",
      lease: { approval_id: asked.approval.id, steps_left: [0, 1] },
    });
    const decide = async (tool: string, args: object) =>
      (await request("POST", `/v1/session/${session_id}/decide`, { tool, arguments: args }, own)).body.effect;
    await call(session_id, "search_email", SEARCH_EMAIL);
    expect(await decide("wire_transfer", { amount: 13 })).toBe("ask");
    expect(await decide("wire_transfer", { amount: 12 })).toBe("allow");
    expect(await decide("wire_transfer", { amount: 12 })).toBe("ask");
    const timeline = (await request("GET", `/v1/session/${session_id}/journal?after=0`)).body.events;
    const uses = timeline.flatMap(({ data }: any) => data.lease ?? []);
    expect(uses).toEqual([0, 1].map((step) => ({ approval: asked.approval.id, step })));
  });
});

describe("a freeze over REST", () => {
  it("stops a server's calls until it ends, and is no agent's to set or to end (X22)", async () => {
    const { session_id, session_token } = await open({ principal: "frozen" });
    const set = await gate.request("POST", "/v1/freeze", { server: "office", why: "odd answers" });
    expect(set).toMatchObject({ status: 200, body: { server: "office", tool: null, by: "operator" } });
    expect(await call(session_id, "search_email", SEARCH_EMAIL)).toMatchObject({
      effect: "deny",
      class: "person",
      reasons: [{ code: "frozen", message: expect.stringContaining("all calls of its server") }],
    });
    expect(await call(session_id, "web_search", WEB_SEARCH)).toMatchObject({ effect: "allow" });
    expect((await gate.request("GET", "/v1/freezes")).body.freezes).toEqual([set.body]);
    const path = `/v1/freeze/${set.body.id}`;
    for (const [method, to] of [
      ["POST", "/v1/freeze"],
      ["GET", "/v1/freezes"],
      ["DELETE", path],
    ] as const)
      expect(
        (await gate.request(method, to, method === "POST" ? {} : undefined, bearer(session_token))).status,
      ).toBe(403);
    expect((await gate.request("DELETE", path)).status).toBe(200);
    expect((await gate.request("DELETE", path)).status).toBe(404);
    expect(await call(session_id, "search_email", SEARCH_EMAIL)).toMatchObject({ effect: "allow" });
  });

  it.each([
    [{ tool: "serch_email" }, 400],
    [{ server: "a", tool: "b" }, 400],
    [{ session: "sess_0" }, 404],
    [{ everything: true }, 400],
  ])("of %j is refused", async (body, status) => {
    expect((await gate.request("POST", "/v1/freeze", body)).status).toBe(status);
  });
});
