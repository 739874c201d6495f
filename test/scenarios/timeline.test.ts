/** What a person who investigates is told of a session: its timeline, its tools, and the policy that both follow from. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as schemas from "../../src/gateway/rest/approval-schemas.ts";
import { flows, policy as policySchema } from "../../src/gateway/rest/policy-schemas.ts";
import { sessionTools, timeline as timelineSchema } from "../../src/gateway/rest/session-schemas.ts";
import { OFFICE_POLICY, type RunningGateway, startGateway } from "./running-gateway.ts";

const POLICY = OFFICE_POLICY.replace(
  "slack_post: { permissions: [connect], sink: public }",
  "slack_post: { permissions: [connect], sink: public, on_violation: ask }",
);

let gate: RunningGateway;
beforeAll(async () => {
  gate = await startGateway({ policy: POLICY });
});
afterAll(() => gate.stop());

const MAIL = { level: "internal", categories: [], trust: "untrusted" };
const TRANSFER = { tool: "wire_transfer", arguments: { amount: 12 } };

const open = async (body: object = {}): Promise<string> =>
  (await gate.request("POST", "/v1/session", { principal: "ada", ...body })).body.session_id;
const post = async (session: string, path: string, body: object) =>
  (await gate.request("POST", `/v1/session/${session}/${path}`, body)).body;
const call = (session: string, tool: string, args: object) =>
  post(session, "call", { tool, arguments: args });
const answer = (id: string, verb: "approve" | "deny", why: string) =>
  gate.request("POST", `/v1/approvals/${id}/${verb}`, { why, via: "console" });

/** The timeline, held against its schema. */
const timeline = async (session: string, query = "") =>
  timelineSchema.parse((await gate.request("GET", `/v1/session/${session}/timeline${query}`)).body);
const callsIn = async (session: string) =>
  (await timeline(session)).events.flatMap((event) => (event.kind === "call" ? [event] : []));
const notesIn = async (session: string) =>
  (await timeline(session)).events.flatMap((event) => (event.kind === "call" ? [] : [event]));

/** A finished call's end is written behind its answer. */
const untilFinished = async (session: string) => {
  for (;;) {
    const calls = await callsIn(session);
    if (calls.every(({ outcome }) => outcome !== "running")) return calls;
  }
};

describe("a session's timeline", () => {
  it("explains a block down to the call and the data set that caused it", async () => {
    const session = await open();
    await call(session, "search_email", { query: "Q3" });
    await call(session, "web_search", { query: "market" });
    const [read, blocked] = await untilFinished(session);
    expect(read).toMatchObject({
      step: 0,
      tool: "mcp__office__search_email",
      name: "search_email",
      effect: "allow",
      outcome: "ok",
      raises: MAIL,
      dataset: "office",
      label: MAIL,
      shut: ["web_search", "slack_post"],
      reasons: [],
      release: false,
      approval: null,
    });
    expect(read?.milliseconds).toBe(Date.parse(`${read?.finished_at}`) - Date.parse(`${read?.at}`));
    expect(blocked).toMatchObject({
      step: 1,
      name: "web_search",
      effect: "deny",
      outcome: "refused",
      raises: null,
      dataset: null,
      shut: [],
      milliseconds: null,
    });
    const causes = [{ step: 0, tool: "search_email", dataset: "office" }];
    expect(blocked?.reasons).toEqual([
      expect.objectContaining({
        code: "flow-blocked",
        message: expect.stringContaining("`search_email` (call 1) loaded internal data"),
        caused_by: causes,
      }),
    ]);
    expect(blocked?.trail.map(({ check, result }) => [check, result])).toEqual([
      ["exists", "pass"],
      ["policy", "pass"],
      ["visible", "pass"],
      ["permissions", "pass"],
      ["rules", "pass"],
      ["flow", "deny"],
      ["endorsement", "pass"],
      ["approval", "pass"],
      ["facts", "pass"],
    ]);
    expect(blocked?.trail[5]?.reasons).toEqual(blocked?.reasons);
    expect(await notesIn(session)).toMatchObject([
      { kind: "opened", seq: 1, text: "The session was opened for `ada`, without a role." },
    ]);
  });

  it("joins a call that asked with the person's answer and with the call that it let run", async () => {
    const session = await open();
    const { approval } = await post(session, "decide", TRANSFER);
    expect(await callsIn(session)).toMatchObject([
      { effect: "ask", outcome: "waiting", approval: { id: approval.id, status: "pending", ended_at: null } },
    ]);
    const { body } = await answer(approval.id, "approve", "agreed with the bank");
    const ran = await post(session, "decide", TRANSFER);
    await post(session, "report", { call_id: ran.call_id });
    const given = {
      id: approval.id,
      status: "approved",
      answered_by: "operator",
      via: "console",
      why: "agreed with the bank",
      ended_at: body.answered_at,
    };
    const calls = await callsIn(session);
    expect(calls).toMatchObject([
      { step: 0, effect: "ask", outcome: "answered", approval: given },
      { step: 1, effect: "allow", outcome: "ok", approval: given, call_id: ran.call_id },
    ]);
    expect(calls[0]?.trail.find(({ check }) => check === "approval")).toMatchObject({
      result: "ask",
      reasons: [{ code: "approval-required" }],
    });
  });

  it("says of a no who gave it and why, and what the agent was told when it tried again", async () => {
    const session = await open();
    const { approval } = await post(session, "decide", TRANSFER);
    await answer(approval.id, "deny", "not this month");
    await post(session, "decide", TRANSFER);
    expect(await callsIn(session)).toMatchObject([
      { outcome: "answered", approval: { status: "denied", why: "not this month" } },
      { effect: "deny", outcome: "refused", reasons: [{ code: "approval-denied" }], approval: null },
    ]);
  });

  it("shows a release as such, and a tool that nothing but a release opens as shut", async () => {
    const session = await open();
    const news = { tool: "slack_post", arguments: { channel: "#news", text: "Hello" } };
    await call(session, "search_docs", { query: "x" });
    const { approval } = await post(session, "call", news);
    await answer(approval.id, "approve", "it is public");
    await post(session, "call", news);
    const [, asked, released] = await untilFinished(session);
    expect(asked).toMatchObject({ release: true, outcome: "answered" });
    expect(asked?.reasons.map(({ code }) => code)).toEqual(["flow-blocked", "approval-required"]);
    expect(released).toMatchObject({ release: true, effect: "allow", approval: { id: approval.id } });
  });

  it("tells of a call that failed, of what a report found, and of names that mean nothing", async () => {
    const session = await open();
    const { call_id } = await post(session, "decide", { tool: "render_chart", arguments: {} });
    const label = { level: "confidential", trust: "trusted" };
    await post(session, "report", { call_id, label, dataset: "hr", error: true });
    await post(session, "decide", { tool: "no\u202esuch", arguments: {} });
    const [failed, unknown] = await callsIn(session);
    expect(failed).toMatchObject({ name: "render_chart", outcome: "error", raises: null });
    expect(unknown).toMatchObject({
      tool: "no\u202esuch",
      effect: "deny",
      reasons: [{ code: "unknown-tool" }],
    });
    expect(unknown?.reasons[0]?.message).not.toContain("\u202e");
    expect(unknown?.trail.map(({ result }) => result)).toEqual([
      "deny",
      "skipped",
      "skipped",
      "skipped",
      "skipped",
      "skipped",
      "skipped",
      "skipped",
      "pass",
    ]);
    expect((await notesIn(session))[1]).toMatchObject({
      kind: "raised",
      text: "`render_chart` (call 1) was reported by the agent to bring in confidential data (trusted) of the data set `hr`.",
      label: { level: "confidential" },
      shut: ["web_search", "slack_post", "github_create_pr"],
    });
  });

  it("shows an appeal with the agent's words, which a list of appeals and no journal has (X24)", async () => {
    const session = await open();
    await call(session, "search_email", { query: "Q3" });
    const refused = await call(session, "web_search", { query: "Q3" });
    expect(refused).toMatchObject({ effect: "deny", class: "never" });
    const text = "The user asked for exactly this search.";
    const given = { call_id: refused.call_id, text };
    expect(await post(session, "appeal", given)).toEqual({ acknowledged: true, call_id: refused.call_id });
    expect((await post(session, "appeal", { ...given, call_id: "call_x" })).error.code).toBe(
      "call-not-found",
    );
    expect((await notesIn(session)).at(-1)).toMatchObject({
      kind: "appealed",
      text: "The agent appealed the refusal of `web_search`.",
      appeal: given,
      label: MAIL,
    });
    const { appeals } = schemas.appeals.parse((await gate.request("GET", "/v1/appeals")).body);
    expect(appeals).toMatchObject([{ session_id: session, ...given, name: "web_search", label: MAIL }]);
    const { body } = await gate.request("GET", `/v1/session/${session}/journal`);
    expect(JSON.stringify(body)).not.toContain("exactly");
  });

  it("ends with the reset, which takes back what waited, and keeps telling of it", async () => {
    const session = await open({ role: "reader", tools: ["search_email", "web_search"] });
    await call(session, "search_email", { query: "Q3" });
    await post(session, "report-impossible", { reason: "no web" });
    const other = await open();
    await post(other, "decide", TRANSFER);
    const [next, last] = [await post(session, "reset", {}), await post(other, "reset", {})];
    expect((await notesIn(session)).map(({ kind, text }) => [kind, text])).toEqual([
      ["opened", "The session was opened for `ada`, in the role `reader`, narrowed to 2 tools."],
      ["impossible", "The agent said that its task can't be done."],
      ["closed", `The session was reset. \`${next.session_id}\` goes on in its place.`],
    ]);
    expect((await callsIn(session))[0]).toMatchObject({ raises: MAIL });
    expect(await callsIn(other)).toMatchObject([{ outcome: "answered", approval: { status: "cancelled" } }]);
    expect((await notesIn(other)).at(-1)?.text).toContain(last.session_id);
  });

  it("is read in pages from its end, and goes on with what comes", async () => {
    const session = await open();
    for (let at = 0; at < 5; at += 1)
      await post(session, "decide", { tool: "render_chart", arguments: { at } });
    const last = await timeline(session, "?limit=2");
    expect(last.events.map(({ seq }) => seq)).toEqual([5, 6]);
    expect(last).toMatchObject({ total: 6, earlier: 5 });
    const middle = await timeline(session, `?limit=3&before=${last.earlier}`);
    expect([middle.events.map(({ seq }) => seq), middle.earlier]).toEqual([[2, 3, 4], 2]);
    const first = await timeline(session, `?limit=3&before=${middle.earlier}`);
    expect([first.events.map(({ seq }) => seq), first.earlier, first.total]).toEqual([[1], null, 6]);
    await post(session, "decide", { tool: "render_chart", arguments: {} });
    expect((await timeline(session, "?limit=1")).events).toMatchObject([{ seq: 7, step: 5 }]);
  });

  it("is the operator's alone, and an unknown session's is not found", async () => {
    const { body } = await gate.request("POST", "/v1/session", {});
    const own = { authorization: `Bearer ${body.session_token}` };
    for (const path of [`/v1/session/${body.session_id}/timeline`, `/v1/session/${body.session_id}/tools`]) {
      expect((await gate.request("GET", path, undefined, own)).status).toBe(403);
    }
    const unknown = `/v1/session/sess_${"0".repeat(32)}/timeline`;
    expect((await gate.request("GET", unknown)).status).toBe(404);
  });
});

describe("a session's tools", () => {
  const toolsOf = async (session: string) =>
    sessionTools.parse((await gate.request("GET", `/v1/session/${session}/tools`)).body);

  it("are each told with what they are, whether they are shut, and what calling them would shut", async () => {
    const session = await open();
    const before = await toolsOf(session);
    expect(before.tools.find(({ name }) => name === "search_email")).toMatchObject({
      tool: "mcp__office__search_email",
      server: "office",
      source: MAIL,
      clearances: null,
      height: null,
      blocked: false,
      shuts: ["web_search", "slack_post"],
      consequence: "calling this tool will block: web_search",
    });
    await call(session, "search_email", { query: "Q3" });
    const after = await toolsOf(session);
    expect(after.tools.flatMap(({ name, blocked }) => (blocked ? [name] : []))).toEqual([
      "web_search",
      "slack_post",
    ]);
    expect(after.tools.flatMap(({ shuts }) => shuts)).toEqual([]);
    expect(after.gauge).toMatchObject({
      level: 1,
      gates: [
        { height: 0, shut: true, releasable: false, names: ["web_search"] },
        { height: 0, shut: true, releasable: true, names: ["slack_post"] },
        { height: 1, shut: false, tools: 1 },
      ],
    });
    await post(session, "reset", {});
    expect(await toolsOf(session)).toEqual(after);
  });

  it("are those that the session sees, no more", async () => {
    const session = await open({ role: "reader", tools: ["search_email"] });
    expect((await toolsOf(session)).tools.map(({ name }) => name)).toEqual(["search_email"]);
  });
});

describe("the policy", () => {
  it("is told as it is in force: servers, tools, roles and rules", async () => {
    const told = policySchema.parse((await gate.request("GET", "/v1/policy")).body);
    expect(told).toMatchObject({
      levels: ["public", "internal", "confidential", "secret"],
      trust: ["untrusted", "trusted"],
      unclassified: "withhold",
      approvals: { via: ["console", "terminal"], expires_seconds: 3600 },
      rules: { allowed_tools: null, denied_tools: [], require_tags: [] },
      servers: [
        { id: "office", status: "ready", problem: null, tools: 2, source: MAIL },
        { id: "outside", status: "ready", tools: 3, clearances: [{ level: "public" }] },
      ],
      roles: [
        {
          name: "reader",
          permissions: ["read"],
          tools: ["mcp__office__search_email", "mcp__office__search_docs", "render_chart"],
        },
      ],
    });
    expect(told.tools.map(({ name, removed, changed }) => [name, removed.length, changed])).toEqual([
      ["search_email", 0, false],
      ["search_docs", 0, false],
      ["web_search", 0, false],
      ["slack_post", 0, false],
      ["github_create_pr", 0, false],
      ["render_chart", 0, false],
      ["wire_transfer", 0, false],
    ]);
  });

  it("says of each source whether its data may go to each sink", async () => {
    const told = flows.parse((await gate.request("GET", "/v1/policy/flows")).body);
    expect(told.sources.map(({ tools }) => tools)).toEqual([
      ["mcp__outside__web_search"],
      ["mcp__office__search_docs"],
      ["mcp__office__search_email"],
    ]);
    expect(told.sinks.map(({ tools, releasable }) => [tools, releasable])).toEqual([
      [["mcp__outside__web_search"], false],
      [["mcp__outside__slack_post"], true],
      [["mcp__outside__github_create_pr"], false],
    ]);
    expect(told.cells).toEqual([
      ["may", "may", "may"],
      ["may-not", "release", "may"],
      ["may-not", "release", "may"],
    ]);
  });
});
