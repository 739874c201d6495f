/** The queue of approvals over REST: its order, the ways to answer it, releases, and how each part of it ends. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OFFICE_POLICY, type RunningGateway, startGateway } from "./running-gateway.ts";

const POLICY = `${OFFICE_POLICY.replace(
  "github_create_pr: { permissions: [write, connect], sink: internal }",
  "github_create_pr: { permissions: [write, connect], sink: internal, approval: always }",
).replace(
  "slack_post: { permissions: [connect], sink: public }",
  "slack_post: { permissions: [connect], sink: public, on_violation: ask }",
)}
approvals: { via: [console] }
`;

const PULL_REQUEST = { repository: "acme/site", body: "A fix", branch: "fix" };

let gate: RunningGateway;
beforeAll(async () => {
  gate = await startGateway({ policy: POLICY });
});
afterAll(() => gate.stop());

const open = async (): Promise<string> => (await gate.request("POST", "/v1/session", {})).body.session_id;
const call = async (session: string, tool: string, args: object) =>
  (await gate.request("POST", `/v1/session/${session}/call`, { tool, arguments: args })).body;
const ask = async (session: string, title: string): Promise<string> =>
  (await call(session, "github_create_pr", { ...PULL_REQUEST, title })).approval.id;
const answer = (id: string, verb: "approve" | "deny", body: object = {}) =>
  gate.request("POST", `/v1/approvals/${id}/${verb}`, body);
const list = async (query: string, session: string) =>
  (await gate.request("GET", `/v1/approvals${query}`)).body.approvals.filter(
    (approval: any) => approval.session_id === session,
  );
const read = async (id: string, query = "") =>
  (await gate.request("GET", `/v1/approvals/${id}${query}`)).body;
const entries = async (session: string) =>
  (await gate.request("GET", `/v1/session/${session}/journal`)).body.events;
const shown = async (session: string) =>
  (await entries(session))
    .filter((entry: any) => entry.kind === "approval-shown")
    .map(({ data }: any) => [data.approval, data.via]);

/** The lines that really arrived at a server of the office. */
const arrived = (file: string, text: string): number => {
  const path = join(gate.folder, "state", file);
  return existsSync(path) ? readFileSync(path, "utf8").split(text).length - 1 : 0;
};

describe("the queue over REST", () => {
  it("shows one of a session at a time, and the next once it is answered (D5-queue)", async () => {
    const session = await open();
    const ids = [await ask(session, "One"), await ask(session, "Two"), await ask(session, "Three")];
    expect(await list("", session)).toMatchObject([{ id: ids[0], status: "pending", waiting_behind: 2 }]);
    expect(await list("?status=queued", session)).toMatchObject([
      { id: ids[1], status: "queued", waiting_behind: 1 },
      { id: ids[2], status: "queued", waiting_behind: 0 },
    ]);
    expect((await list("?status=all", session)).map(({ id }: any) => id)).toEqual(ids);
    expect(await read(`${ids[1]}`)).toMatchObject({ status: "queued" });
    await answer(`${ids[0]}`, "deny");
    expect(await list("", session)).toMatchObject([{ id: ids[1], status: "pending", waiting_behind: 1 }]);
    await answer(`${ids[1]}`, "approve");
    expect((await list("", session)).map(({ id }: any) => id)).toEqual([ids[2]]);
    expect(arrived("forge.jsonl", '"Two"')).toBe(0);
  });

  it("records once that an approval was shown, by which way, and nothing of those behind it (D5-queue)", async () => {
    const session = await open();
    const [first, second] = [await ask(session, "Shown"), await ask(session, "Behind")];
    await list("?status=all&via=console", session);
    await list("?via=terminal", session);
    await read(second);
    await read(first, "?via=terminal");
    expect(await shown(session)).toEqual([[first, "console"]]);
    await answer(first, "deny");
    await read(second);
    expect(await shown(session)).toEqual([
      [first, "console"],
      [second, "api"],
    ]);
  });

  it("has all that a person needs to judge it (D7-data)", async () => {
    const session = await open();
    const id = await ask(session, "Judged");
    expect(await read(id)).toEqual({
      id,
      status: "pending",
      session_id: session,
      principal: "operator",
      approvers: 1,
      approved_by: [],
      call_id: expect.stringMatching(/^call_/),
      tool: "mcp__outside__github_create_pr",
      what: "`operator`'s agent wants to write and send data outside with `github_create_pr` of the server `outside`, which may receive internal data at most.",
      facts: {
        tool: "mcp__outside__github_create_pr",
        name: "github_create_pr",
        server: "outside",
        permissions: ["write", "connect"],
        source: null,
        clearances: [{ level: "internal", categories: [], trust: "untrusted" }],
        height: 1,
        releasable: false,
        approval: "always",
        when: null,
        tags: [],
        classified: true,
        sensitivity: "external",
      },
      arguments: { ...PULL_REQUEST, title: "Judged" },
      folded: [],
      held: [],
      gauge: {
        level: 0,
        gates: [
          { height: 0, shut: false, releasable: false, tools: 1, names: ["web_search"] },
          { height: 0, shut: false, releasable: true, tools: 1, names: ["slack_post"] },
          { height: 1, shut: false, releasable: false, tools: 1, names: ["github_create_pr"] },
        ],
      },
      reasons: [
        {
          code: "approval-required",
          message: expect.stringContaining("waits for a person"),
          caused_by: [],
        },
      ],
      why: [expect.stringContaining("asks for an approval of each call")],
      release: false,
      targets: [],
      diff: null,
      label: { level: "public", categories: [], trust: "trusted" },
      requested_at: expect.any(String),
      expires_at: expect.any(String),
      waiting_behind: 0,
      caller_waits: false,
      caller_gone: false,
      alike: 0,
      proposal: null,
      editable: true,
      more_held: 0,
      session_label: { level: "public", categories: [], trust: "trusted" },
    });
  });
});

describe("the ways to answer", () => {
  it("are those that the policy names; by another one nothing is answered (D6-binding)", async () => {
    const session = await open();
    const id = await ask(session, "Ways");
    for (const verb of ["approve", "deny"] as const) {
      expect(await answer(id, verb, { via: "terminal" })).toMatchObject({
        status: 403,
        body: { error: { code: "forbidden", why: expect.stringContaining("terminal") } },
      });
    }
    expect((await answer(id, "approve", { via: "client" })).status).toBe(400);
    expect(await list("", session)).toHaveLength(1);
    expect(await answer(id, "approve", { via: "console" })).toMatchObject({
      status: 200,
      body: { status: "approved", via: "console" },
    });
    expect(await read(id)).toMatchObject({ id, status: "approved", via: "console", answered_by: "operator" });
  });

  it("tell afterwards how an approval ended, and keep nothing of its call", async () => {
    const session = await open();
    const [denied, left] = [await ask(session, "Denied"), await ask(session, "Left over")];
    await answer(denied, "deny", { why: "no" });
    expect(await read(denied)).toMatchObject({ status: "denied", session_id: session });
    await gate.request("POST", `/v1/session/${session}/reset`, {});
    expect(await read(left)).toMatchObject({ status: "cancelled", answered_by: null });
    expect(JSON.stringify([await read(denied), await read(left)])).not.toContain("acme");
    expect((await answer(left, "approve")).status).toBe(409);
  });
});

describe("a release over REST", () => {
  it("is asked for as one, reaches the server once, and stands as one in the journal (law-7, D6-binding)", async () => {
    const session = await open();
    const message = { channel: "general", text: "Released" };
    await call(session, "search_email", { query: "invoice" });
    const asked = await call(session, "slack_post", message);
    expect(asked).toMatchObject({ effect: "ask", label: { level: "internal" } });
    expect(asked.reasons.map(({ code }: any) => code)).toEqual(["flow-blocked", "approval-required"]);
    expect(await read(asked.approval.id)).toMatchObject({ release: true, label: { level: "internal" } });
    await answer(asked.approval.id, "approve", { via: "console" });
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, async () => (await call(session, "slack_post", message)).effect),
    );
    expect(outcomes.filter((effect) => effect === "allow")).toHaveLength(1);
    expect(arrived("chat.jsonl", "Released")).toBe(1);
    const used = (await entries(session)).find(
      (entry: any) => entry.data.approval === asked.approval.id && entry.kind === "call-admitted",
    );
    expect(used.data).toMatchObject({ release: true });
  });
});
