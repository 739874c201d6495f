/** `pending`, `approve` and `deny` as programs: over a gateway that runs, and over a store alone. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { OPERATOR_TOKEN, startGateway } from "../../../test/scenarios/running-gateway.ts";
import { BUNDLED_COMMAND, createFolder, isHarmless, sluicegate } from "../cli.test-kit.ts";
import { createWorkplace } from "./approvals.test-kit.ts";

const POLICY = `version: 1
tools:
  wire_transfer: { permissions: [write], approval: always }
`;
const UNKNOWN = `appr_${"0".repeat(32)}`;

it("lists, approves and denies at a gateway, and says who was first (D5-terminal, D7-data)", async () => {
  const gate = await startGateway({ policy: POLICY });
  try {
    const ask = (...args: readonly string[]) =>
      sluicegate([...args, "--url", gate.url], { env: { SLUICEGATE_TOKEN: OPERATOR_TOKEN } });
    const { session_id } = (await gate.request("POST", "/v1/session", { principal: "ada" })).body;
    const decide = async (amount: number) =>
      (
        await gate.request("POST", `/v1/session/${session_id}/decide`, {
          tool: "wire_transfer",
          arguments: { amount, note: "\u202eevil\u001b[2J" },
        })
      ).body;
    expect((await ask("pending")).out).toBe(`Approvals at ${gate.url}\nNothing waits for a person.\n`);
    const [first, second] = [await decide(1), await decide(2)];
    const listed = await ask("pending");
    expect([listed.status, isHarmless(listed.out)]).toEqual([0, true]);
    expect(listed.out).toContain("tool      wire_transfer\nfor       ada, session sess_");
    expect(listed.out).toContain('"note": "\\u202eevil\\u001b[2J"');
    expect(listed.out).toMatch(/expires in \d+ min {2}1 more of this session waits behind it\n/);
    expect((await ask("pending", "--json")).json()).toMatchObject({
      approvals: [{ id: first.approval.id, arguments: { amount: 1 }, waiting_behind: 1 }],
    });

    const approved = await ask("approve", first.approval.id);
    expect(approved).toMatchObject({ status: 0, err: "" });
    expect(approved.out).toContain('"amount": 1,');
    expect(approved.out).toContain("approved: that very call may run, once.\n");
    expect((await ask("approve", first.approval.id)).status).toBe(0);
    const late = await ask("deny", first.approval.id, "--why", "too late");
    expect([late.status, late.out]).toEqual([
      1,
      expect.stringMatching(/^over already: approved by operator, in a terminal, at 2/),
    ]);
    const denied = await ask("deny", second.approval.id, "--why", "wrong account", "--json");
    expect([denied.status, denied.json()]).toMatchObject([
      0,
      { status: "denied", answered_by: "operator", via: "terminal", approval: { arguments: { amount: 2 } } },
    ]);
    const third = (await decide(3)).approval.id;
    const racing = await Promise.all([ask("approve", third), ask("deny", third), ask("deny", third)]);
    const outcomes = racing.map(({ status }) => status).join();
    // The same answer by the same operator again is no other answer.
    expect(["0,1,1", "1,0,0"]).toContain(outcomes);
    const { events } = (await gate.request("GET", `/v1/session/${session_id}/journal`)).body;
    const answers = events.filter((event: any) => event.kind === "approval-answered");
    expect(answers).toHaveLength(3);
    expect(answers[1].data).toMatchObject({ answer: "denied", via: "terminal", why: "wrong account" });

    const [unknown, malformed, nameless, wordy] = await Promise.all([
      ask("approve", UNKNOWN),
      ask("deny", "../v1/session", "--json"),
      ask("approve"),
      ask("deny", UNKNOWN, "--why", "x".repeat(1001)),
    ]);
    expect([unknown, malformed, nameless, wordy].map(({ status }) => status)).toEqual([2, 2, 2, 2]);
    expect(malformed.json()).toMatchObject({ error: { code: "approval-not-found" } });
    const stranger = await sluicegate(["pending", "--url", gate.url], {
      env: { SLUICEGATE_TOKEN: "another-token-of-16" },
    });
    expect([stranger.status, stranger.err]).toEqual([2, expect.stringContaining("error: ")]);
  } finally {
    await gate.stop();
  }
});

it("lists a gateway's standing approvals with their uses, and revokes one (X19)", async () => {
  const gate = await startGateway({ policy: POLICY });
  try {
    const ask = (...args: readonly string[]) =>
      sluicegate([...args, "--url", gate.url], { env: { SLUICEGATE_TOKEN: OPERATOR_TOKEN } });
    const { session_id } = (await gate.request("POST", "/v1/session", { principal: "ada" })).body;
    const decide = async () =>
      (
        await gate.request("POST", `/v1/session/${session_id}/decide`, {
          tool: "wire_transfer",
          arguments: { amount: 1, note: "\u202eevil\u001b[2J" },
        })
      ).body;
    const { approval } = await decide();
    const given = await gate.request("POST", `/v1/approvals/${approval.id}/approve`, {
      standing: { count: 5 },
    });
    const id: string = given.body.standing;
    const listed = await ask("pending");
    expect([listed.status, isHarmless(listed.out)]).toEqual([0, true]);
    expect(listed.out).toContain("Standing approvals");
    expect(listed.out).toContain("0 of 5 calls used");
    expect(listed.out).toContain(`sluicegate pending revoke ${id}`);
    expect((await ask("pending", "--json")).json()).toMatchObject({
      standing_approvals: [{ id, used: 0, count: 5 }],
    });
    const revoked = await ask("pending", "revoke", id);
    expect(revoked).toMatchObject({ status: 0, err: "" });
    expect(revoked.out).toMatch(/^revoked: Calls of `wire_transfer` for session sess_/);
    expect((await ask("pending")).out).not.toContain("Standing approvals");
    const [again, malformed] = await Promise.all([
      ask("pending", "revoke", id, "--json"),
      ask("pending", "revoke", "../x"),
    ]);
    expect((await ask("pending", "clear", "--json")).json()).toEqual({ denied: [] });
    expect([again.status, malformed.status]).toEqual([2, 2]);
    expect((await ask("pending", "revoke")).status).toBe(2);
    expect(again.json()).toMatchObject({ error: { code: "approval-not-found" } });
  } finally {
    await gate.stop();
  }
});

it("revokes nothing where no gateway has a port, since the store is never changed beside one (X19)", async () => {
  await using place = await createWorkplace();
  const revoked = await sluicegate(["pending", "revoke", `stand_${"0".repeat(32)}`, "--json"], {
    cwd: place.path,
  });
  expect(revoked.status).toBe(2);
  expect(revoked.json()).toMatchObject({ error: { code: "not-ready" } });
  const listed = await sluicegate(["pending", "--json"], { cwd: place.path });
  expect(listed.json()).toMatchObject({ standing_approvals: null });
});

it("answers in the store where no gateway has a port, and the process that holds the call runs it (D5-terminal)", async () => {
  await using place = await createWorkplace();
  const ask = (...args: readonly string[]) => sluicegate(args, { cwd: place.path });
  const held = place.session.call({ tool: "wire_transfer", arguments: { amount: 12 } }, () => "sent", {
    waitSeconds: 60,
  });
  const waiting = async () =>
    ((await ask("pending", "--json")).json() as { approvals: { id: string }[] }).approvals;
  await expect.poll(async () => (await waiting()).length, { timeout: 20_000 }).toBe(1);
  const [one] = await waiting();
  expect((await ask("approve", one?.id ?? "")).status).toBe(0);
  expect(await held).toMatchObject({ effect: "allow", result: "sent" });
  const over = await ask("deny", one?.id ?? "", "--json");
  expect([over.status, over.json()]).toMatchObject([1, { status: "approved", approval: null }]);
  expect((await ask("journal", "verify")).status).toBe(0);
});

it("answers by the policy that asked, whatever its file says by now", async () => {
  await using place = await createWorkplace();
  const call = { tool: "wire_transfer", arguments: { amount: 12 } };
  const [asked] = await place.session.decide([call]);
  using other = createFolder({ "sluicegate.yaml": `${POLICY}  new_tool: { permissions: [read] }\n` });
  const store = `${place.path}/.sluicegate/sluicegate.db`;
  const answered = await sluicegate(["approve", asked?.approval?.id ?? "", "--store", store], {
    cwd: other.path,
  });
  expect(answered).toMatchObject({ status: 0, err: "" });
  const session = await place.gate.session(place.session.id);
  expect(await session?.decide([call])).toMatchObject([{ effect: "allow" }]);
});

it("leaves a way out that the policy leaves out, and needs a gateway or a store", async () => {
  await using place = await createWorkplace(`${POLICY}approvals: { via: [console] }\n`);
  const [asked] = await place.session.decide([{ tool: "wire_transfer", arguments: {} }]);
  const refused = await sluicegate(["approve", asked?.approval?.id ?? ""], { cwd: place.path });
  expect([refused.status, refused.err]).toEqual([
    2,
    expect.stringContaining("doesn't let a terminal answer"),
  ]);
  using empty = createFolder({ "sluicegate.yaml": POLICY });
  const nothing = await sluicegate(["pending"], { cwd: empty.path });
  expect([nothing.status, nothing.err]).toEqual([
    2,
    expect.stringContaining("neither a gateway nor a store"),
  ]);
  expect(existsSync(`${empty.path}/.sluicegate`)).toBe(false);
});

const SCRIPT = "/usr/bin/script";

it.skipIf(process.platform !== "linux" || !existsSync(SCRIPT))(
  "takes an answer on a real terminal, and ends at Ctrl+C and SIGTERM (D5-terminal) (needs `script`)",
  async () => {
    await using place = await createWorkplace();
    await place.session.decide([{ tool: "wire_transfer", arguments: { amount: 12 } }]);
    const start = () => {
      const child = spawn(
        SCRIPT,
        ["-qec", `stty rows 30 cols 100; echo pid=$$; exec '${BUNDLED_COMMAND}' pending`, "/dev/null"],
        {
          cwd: place.path,
          env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", TERM: "xterm" },
        },
      );
      let out = "";
      child.stdout.on("data", (chunk: Buffer) => {
        out += chunk.toString();
      });
      const shows = (text: string) => expect.poll(() => out, { timeout: 20_000 }).toContain(text);
      return { child, shows, out: () => out, ended: once(child, "close") };
    };
    const one = start();
    await one.shows("The number of the one to see");
    one.child.stdin.write("1\r");
    await one.shows("`approve` or `deny`");
    expect(one.out()).toContain('"amount": 12');
    one.child.stdin.write("approve\r");
    await one.shows("Why, for the journal?");
    one.child.stdin.write("\r");
    await one.shows("approved by operator, in a terminal");
    await one.shows("Nothing waits for a person.");
    one.child.stdin.write("\u0003");
    expect(await one.ended).toEqual([0, null]);

    const two = start();
    await two.shows("Nothing waits for a person.");
    process.kill(Number(/pid=(\d+)/.exec(two.out())?.[1]), "SIGTERM");
    expect(await two.ended).toEqual([0, null]);
  },
);
