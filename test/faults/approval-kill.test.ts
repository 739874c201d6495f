/** kill −9 of the real program around an approval: no answer is lost, and none admits a call twice. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { OFFICE_POLICY } from "../scenarios/running-gateway.ts";

const SLUICEGATE = resolve(import.meta.dirname, "../../bin/sluicegate");
const TOKEN = "operator-token-for-tests";
const POLICY = OFFICE_POLICY.replace("slack_post: { permissions: [connect], sink: public }", (declared) =>
  declared.replace(" }", ", approval: always }"),
);
const POST = { tool: "slack_post", arguments: { channel: "general", text: "Hello" } };

let folder: string;
let child: ChildProcess;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluicegate-"));
  writeFileSync(join(folder, "sluicegate.yaml"), POLICY);
});
afterEach(() => {
  child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the program and resolves with how to ask it, once it listens. */
async function start(): Promise<(path: string, body?: object) => Promise<any>> {
  const started = spawn(
    SLUICEGATE,
    ["serve", "--json", "--port", "0", "--config", join(folder, "sluicegate.yaml")],
    {
      env: { ...process.env, SLUICEGATE_TOKEN: TOKEN, OFFICE_STATE: join(folder, "state") },
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  child = started;
  let text = "";
  for await (const chunk of started.stdout) {
    text += chunk;
    const [, url] = /"url": "([^"]+)"[\s\S]*\}\s*$/.exec(text) ?? [];
    if (!url) continue;
    return async (path, body) => {
      const reply = await fetch(`${url}/v1${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return reply.json();
    };
  }
  throw new Error(`The gateway ended before it listened: ${text}`);
}

async function kill(): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

/** How many messages really arrived in the chat. */
const posted = (): number => {
  const file = join(folder, "state", "chat.jsonl");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;
};

it("finds the question again after a kill, and the answer after another, and runs the call once (X15-approvals, D6-binding)", async () => {
  let ask = await start();
  const { session_id } = await ask("/session", {});
  const { approval } = await ask(`/session/${session_id}/call`, POST);
  await kill();
  ask = await start();
  const { approvals } = await ask("/approvals");
  expect(approvals).toMatchObject([{ id: approval.id, arguments: POST.arguments }]);
  expect(await ask(`/session/${session_id}/call`, POST)).toMatchObject({
    effect: "ask",
    approval: { id: approval.id },
  });
  expect(await ask(`/approvals/${approval.id}/approve`, {})).toMatchObject({ status: "approved" });
  await kill();
  ask = await start();
  expect(posted()).toBe(0);
  expect(await ask(`/session/${session_id}/call`, POST)).toMatchObject({ effect: "allow" });
  await kill();
  ask = await start();
  expect((await ask(`/session/${session_id}/call`, POST)).effect).toBe("ask");
  expect(posted()).toBe(1);
  await kill();
  execFileSync(SLUICEGATE, ["journal", "verify", "--config", join(folder, "sluicegate.yaml")]);
});

it("runs an approved call at most once, whenever it is killed in the middle of ten that want to (X15-approvals, law-7)", async () => {
  for (let round = 0; round < 4; round += 1) {
    const before = posted();
    let ask = await start();
    const { session_id } = await ask("/session", {});
    const { approval } = await ask(`/session/${session_id}/call`, POST);
    await ask(`/approvals/${approval.id}/approve`, {});
    const answered = Promise.withResolvers<void>();
    const calls = Array.from({ length: 10 }, async (_, index) => {
      await ask(`/session/${session_id}/call`, POST).catch(() => null);
      if (index >= round * 3) answered.resolve();
    });
    await answered.promise;
    await kill();
    await Promise.allSettled(calls);
    ask = await start();
    await Promise.all(Array.from({ length: 3 }, () => ask(`/session/${session_id}/call`, POST)));
    expect(posted() - before).toBeLessThanOrEqual(1);
    await kill();
  }
});
