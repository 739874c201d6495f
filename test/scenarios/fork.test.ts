/** Forks over REST: who may have one, and what it starts with. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningGateway, startGateway } from "./running-gateway.ts";

let gate: RunningGateway;
beforeAll(async () => {
  gate = await startGateway();
});
afterAll(() => gate.stop());

const open = async () =>
  (await gate.request("POST", "/v1/session", { principal: "ada", task: "Compare" })).body;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const fork = (id: string, body: object = {}, headers: Record<string, string> = {}) =>
  gate.request("POST", `/v1/session/${id}/fork`, body, headers);
const call = async (id: string, tool: string, args: object, headers: Record<string, string> = {}) =>
  (await gate.request("POST", `/v1/session/${id}/call`, { tool, arguments: args }, headers)).body;
const namesOf = ({ tools }: any): readonly string[] => tools.map(({ name }: any) => name);

it("answers like an opened session, with the parent's label and no more than its tools (B5)", async () => {
  const parent = await open();
  await call(parent.session_id, "search_email", { query: "Q3" });
  const { status, body } = await fork(parent.session_id, { tool_policy: { denied_tools: ["render_*"] } });
  expect(status).toBe(201);
  expect(body.session_id).toMatch(/^sess_/);
  expect(body.label.level).toBe("internal");
  expect(namesOf(body)).toEqual(namesOf(parent).filter((name) => name !== "render_chart"));
  const state = (await gate.request("GET", `/v1/session/${body.session_id}`)).body;
  expect([state.principal, state.private]).toEqual(["ada", true]);
  expect(state.datasets).toMatchObject([{ id: "office", sensitivity: "internal" }]);
  const sent = await call(body.session_id, "web_search", { query: "market" });
  expect([sent.effect, sent.reasons[0].code]).toEqual(["deny", "flow-blocked"]);
});

it("is for the session's own token too, which then uses the fork by the fork's token alone (B5)", async () => {
  const parent = await open();
  const own = bearer(parent.session_token);
  const { status, body } = await fork(
    parent.session_id,
    { tool_policy: { allowed_tools: ["web_search"] } },
    own,
  );
  expect([status, namesOf(body)]).toEqual([201, ["web_search"]]);
  const path = `/v1/session/${body.session_id}`;
  expect((await gate.request("GET", path, undefined, own)).status).toBe(404);
  expect((await gate.request("GET", path, undefined, bearer(body.session_token))).status).toBe(200);
  const wider = await fork(
    body.session_id,
    { tool_policy: { allowed_tools: ["*"] } },
    bearer(body.session_token),
  );
  expect(namesOf(wider.body)).toEqual(["web_search"]);
});

it("gives an agent no clean session to send with what it reads in the other (B5, law-8)", async () => {
  const parent = await open();
  const { body } = await fork(parent.session_id, {}, bearer(parent.session_token));
  const inFork = bearer(body.session_token);
  expect((await call(body.session_id, "web_search", { query: "market" }, inFork)).effect).toBe("allow");
  await call(parent.session_id, "search_email", { query: "Q3" }, bearer(parent.session_token));
  const sent = await call(body.session_id, "web_search", { query: "what the mail says" }, inFork);
  expect([sent.effect, sent.label.level]).toEqual(["deny", "internal"]);
  const state = (await gate.request("GET", `/v1/session/${body.session_id}`, undefined, inFork)).body;
  expect(state.private).toBe(true);
});

it("is refused with a task, an unknown key, a policy that could never match, and for another's session", async () => {
  const [parent, other] = [await open(), await open()];
  for (const body of [
    { task: "mine" },
    { inherit_policy: false },
    { tool_policy: { allowed: ["*"] } },
    { tool_policy: { denied_tools: ["mcp__mail"] } },
  ])
    expect((await fork(parent.session_id, body)).status).toBe(400);
  expect((await fork(parent.session_id, {}, bearer(other.session_token))).status).toBe(404);
  await gate.request("POST", `/v1/session/${parent.session_id}/reset`, {});
  expect((await fork(parent.session_id)).status).toBe(409);
});
