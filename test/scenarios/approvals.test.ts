/** A person's yes and no over REST, with a real server behind the gateway that tells what really arrived. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OFFICE_POLICY, type RunningGateway, startGateway } from "./running-gateway.ts";

const POLICY = OFFICE_POLICY.replace(
  "github_create_pr: { permissions: [write, connect], sink: internal }",
  "github_create_pr: { permissions: [write, connect], sink: internal, approval: always }",
);
const PULL_REQUEST = { repository: "acme/site", title: "Fix", body: "A fix", branch: "fix" };

let gate: RunningGateway;
beforeAll(async () => {
  gate = await startGateway({ policy: POLICY });
});
afterAll(() => gate.stop());

const open = async () => (await gate.request("POST", "/v1/session", { principal: "ada" })).body;
const call = async (session: string, args: object, wait?: number) =>
  (
    await gate.request("POST", `/v1/session/${session}/call`, {
      tool: "github_create_pr",
      arguments: args,
      ...(wait !== undefined && { wait }),
    })
  ).body;
const answer = (id: string, verb: "approve" | "deny", body: object = {}) =>
  gate.request("POST", `/v1/approvals/${id}/${verb}`, body);
const waiting = async (session: string) =>
  (await gate.request("GET", "/v1/approvals")).body.approvals.filter(
    (approval: any) => approval.session_id === session,
  );

/** The pull requests that really arrived with this title. */
const arrived = (title: string): number => {
  const file = join(gate.folder, "state", "forge.jsonl");
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  return lines.filter((line) => JSON.parse(line).title === title).length;
};

/** Asks until something waits in a session; each time it is asked is an answer of the gateway. */
const untilWaiting = async (session: string): Promise<any> => {
  for (;;) {
    const [first] = await waiting(session);
    if (first) return first;
  }
};

describe("approvals over REST", () => {
  it("takes a standing approval, lists it with its uses, and revokes it (X19)", async () => {
    const { session_id } = await open();
    const args = { ...PULL_REQUEST, title: "Like this 1" };
    const { approval } = await call(session_id, args);
    const standing = {
      arguments: { title: { one_of: ["Like this 1", "Like this 2"] }, body: { any: true } },
    };
    const given = await answer(approval.id, "approve", { standing });
    expect(given.status).toBe(200);
    await call(session_id, args);
    expect(await call(session_id, { ...args, title: "Like this 2" })).toMatchObject({ effect: "allow" });
    expect(await call(session_id, { ...args, title: "Unlike" })).toMatchObject({ effect: "ask" });
    const listed = await gate.request("GET", "/v1/standing-approvals");
    expect(listed.body.standing_approvals).toMatchObject([
      { id: given.body.standing, used: 1, uses: [{ session_id }], arguments: standing.arguments },
    ]);
    const path = `/v1/standing-approvals/${given.body.standing}`;
    expect((await gate.request("DELETE", path)).status).toBe(200);
    expect((await gate.request("DELETE", path)).status).toBe(404);
    expect(await call(session_id, args)).toMatchObject({ effect: "ask" });
  });

  it("takes no standing approval and no edit by an agent's token, nor a rule without a content (X19, X20)", async () => {
    const { session_id, session_token } = await open();
    const { approval } = await call(session_id, { ...PULL_REQUEST, title: "Agent's own" });
    const agent = { authorization: `Bearer ${session_token}` };
    const path = `/v1/approvals/${approval.id}/approve`;
    const standing = { arguments: { title: { any: true } } };
    for (const [method, to, body] of [
      ["POST", path, { standing }],
      ["POST", path, { arguments: PULL_REQUEST }],
      ["GET", "/v1/standing-approvals"],
      ["DELETE", `/v1/standing-approvals/stand_${"0".repeat(32)}`],
    ] as const)
      expect([method, to, (await gate.request(method, to, body, agent)).status]).toEqual([method, to, 403]);
    for (const title of [
      {},
      { prefix: "a", any: true },
      { any: false },
      { at_most: "5" },
      { one_of: [] },
      null,
    ])
      expect([
        title,
        (await answer(approval.id, "approve", { standing: { arguments: { title } } })).status,
      ]).toEqual([title, expect.toSatisfy((status) => status === 400 || status === 409)]);
    expect(await waiting(session_id)).toMatchObject([{ id: approval.id }]);
  });

  it("runs the call as the operator changed it, and tells the agent what was changed; an argument that the tool doesn't have is refused (X20)", async () => {
    const { session_id } = await open();
    const args = { ...PULL_REQUEST, title: "As asked" };
    const { approval } = await call(session_id, args);
    const refused = await answer(approval.id, "approve", { arguments: { ...args, titel: "As changed" } });
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "edit-refused" } } });
    const changed = { ...args, title: "As changed" };
    expect((await answer(approval.id, "approve", { arguments: changed })).body.changed).toEqual(["title"]);
    expect(await call(session_id, args)).toMatchObject({
      effect: "allow",
      edited: { by: "operator", changed: [{ argument: "title" }] },
    });
    expect([arrived("As asked"), arrived("As changed")]).toEqual([0, 1]);
  });

  it("shows the call to the operator, runs it once after a yes, and asks anew for a replay (law-7, D6-binding)", async () => {
    const { session_id } = await open();
    const args = { ...PULL_REQUEST, title: "Once" };
    const asked = await call(session_id, args);
    expect(asked).toMatchObject({ effect: "ask", reasons: [{ code: "approval-required" }], raises: null });
    expect(await waiting(session_id)).toMatchObject([
      { id: asked.approval.id, tool: "mcp__outside__github_create_pr", arguments: args, principal: "ada" },
    ]);
    const approved = await answer(asked.approval.id, "approve");
    expect(approved).toMatchObject({
      status: 200,
      body: { id: asked.approval.id, status: "approved", session_id, answered_by: "operator" },
    });
    expect(await waiting(session_id)).toEqual([]);
    expect((await call(session_id, { ...args, body: "Another fix" })).effect).toBe("ask");
    expect(arrived("Once")).toBe(0);
    expect(await call(session_id, args)).toMatchObject({ effect: "allow", approval: null });
    expect(arrived("Once")).toBe(1);
    expect((await call(session_id, args)).effect).toBe("ask");
    expect(arrived("Once")).toBe(1);
    expect((await answer(asked.approval.id, "approve")).body).toEqual(approved.body);
    const late = await answer(asked.approval.id, "deny", { why: "too late" });
    expect(late).toMatchObject({ status: 409, body: { error: { code: "approval-settled" } } });
    expect(late.body.error.why).toContain("It was approved by `operator` at ");
  });

  it("tells the agent of a no, and keeps the person's words in the journal alone", async () => {
    const { session_id } = await open();
    const { approval } = await call(session_id, { ...PULL_REQUEST, title: "Never" });
    expect((await answer(approval.id, "deny", { why: "not that branch" })).body.status).toBe("denied");
    const refused = await call(session_id, { ...PULL_REQUEST, title: "Never" });
    expect(refused).toMatchObject({ effect: "deny", reasons: [{ code: "approval-denied" }] });
    expect(JSON.stringify(refused)).not.toContain("not that branch");
    const { events } = (await gate.request("GET", `/v1/session/${session_id}/journal`)).body;
    expect(events.find((event: any) => event.kind === "approval-answered").data).toMatchObject({
      answer: "denied",
      by: "operator",
      why: "not that branch",
    });
    expect(arrived("Never")).toBe(0);
  });

  it("holds a call until it is answered, and runs nothing for a caller that left", async () => {
    const { session_id } = await open();
    const held = call(session_id, { ...PULL_REQUEST, title: "Held" }, 60);
    await answer((await untilWaiting(session_id)).id, "approve");
    const outcome = await held;
    expect(outcome).toMatchObject({ effect: "allow" });
    expect(outcome.result.isError ?? false).toBe(false);
    expect(arrived("Held")).toBe(1);

    const other = await open();
    const caller = new AbortController();
    const left = fetch(`${gate.url}/v1/session/${other.session_id}/call`, {
      method: "POST",
      headers: { authorization: `Bearer ${other.session_token}`, "content-type": "application/json" },
      body: JSON.stringify({
        tool: "github_create_pr",
        arguments: { ...PULL_REQUEST, title: "Left" },
        wait: 60,
      }),
      signal: caller.signal,
    });
    const { id } = await untilWaiting(other.session_id);
    caller.abort();
    await expect(left).rejects.toThrow();
    await left.catch(() => undefined);
    await gate.request("GET", "/healthz");
    await answer(id, "approve");
    const { events } = (await gate.request("GET", `/v1/session/${other.session_id}/journal`)).body;
    expect(events.map((event: any) => event.kind)).toEqual([
      "session-opened",
      "approval-requested",
      "approval-shown",
      "approval-answered",
    ]);
    expect(arrived("Left")).toBe(0);
  });

  it("holds a decision for a tool that the agent runs itself", async () => {
    const { session_id } = await open();
    const held = gate.request("POST", `/v1/session/${session_id}/decide`, {
      tool: "wire_transfer",
      arguments: { amount: 5 },
      wait: 60,
    });
    await answer((await untilWaiting(session_id)).id, "deny");
    expect((await held).body).toMatchObject({ effect: "deny", reasons: [{ code: "approval-denied" }] });
  });

  it("lets no agent answer, and knows no made-up approval", async () => {
    const { session_id, session_token } = await open();
    const { approval } = await call(session_id, { ...PULL_REQUEST, title: "Mine" });
    const path = `/v1/approvals/${approval.id}/approve`;
    const agent = { authorization: `Bearer ${session_token}` };
    expect((await gate.request("POST", path, {}, agent)).status).toBe(403);
    expect((await gate.request("POST", path, {}, { authorization: "" })).status).toBe(401);
    for (const id of [`appr_${"0".repeat(32)}`, "appr_", "..%2f..", approval.id.slice(0, -1)]) {
      expect((await answer(id, "approve")).status).toBe(404);
    }
    expect((await answer(approval.id, "approve", { by: "somebody" })).status).toBe(400);
    expect((await answer(approval.id, "deny", { why: "x".repeat(1001) })).status).toBe(400);
    for (const wait of [-1, 3601, "1"]) {
      const body = { tool: "github_create_pr", arguments: {}, wait };
      expect((await gate.request("POST", `/v1/session/${session_id}/call`, body)).status).toBe(400);
    }
    expect(await waiting(session_id)).toHaveLength(1);
  });

  it("has one winner of two that answer at once, and one run of ten that call (law-7)", async () => {
    const { session_id } = await open();
    const args = { ...PULL_REQUEST, title: "Race" };
    const { approval } = await call(session_id, args);
    const answers = await Promise.all([
      answer(approval.id, "approve"),
      answer(approval.id, "deny"),
      answer(approval.id, "approve"),
    ]);
    const won = answers.find(({ status }) => status === 200)?.body.status;
    for (const { status, body } of answers) {
      expect(status).toBe(body.status === won ? 200 : 409);
    }
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => call(session_id, args)));
    const ran = outcomes.filter(({ effect }) => effect === "allow").length;
    expect(ran).toBe(won === "approved" ? 1 : 0);
    expect(arrived("Race")).toBe(ran);
  });
});
