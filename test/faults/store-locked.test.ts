/** A store that another program has locked for a while: only what must be written waits. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { definePolicy } from "../../src/core/index.ts";
import { createGateway, listen } from "../../src/gateway/index.ts";
import { openSqliteStore } from "../../src/stores/index.ts";
import { temporaryFolder } from "../fixtures/temporary-folder.ts";

const HELD_MS = 2500;
// Whoever waited for the lock would be as late as it is held.
const MAX_LATE_MS = 800;
const HEADERS = { authorization: "Bearer operator-token-for-tests", "content-type": "application/json" };

const { path } = temporaryFolder();
const file = path();
const gateway = createGateway({
  policy: definePolicy({ tools: { read_mail: { permissions: ["read"], source: { level: "internal" } } } }),
  store: openSqliteStore(file),
  providers: [],
  operatorToken: "operator-token-for-tests",
  key: Buffer.alloc(32, 7),
  version: "0.0.0-test",
});
const doors = await listen(gateway, { port: 0 });

afterAll(async () => {
  await doors.close();
  await gateway.close();
});

/** Holds the lock from another process; resolves once it has it, with a promise that it was let go. */
async function holdLock(): Promise<{ readonly released: Promise<unknown> }> {
  const script = join(import.meta.dirname, "../fixtures/lock-holder.ts");
  const holder = spawn(process.execPath, [script, file, String(HELD_MS)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const released = once(holder, "exit");
  await once(holder.stdout, "data");
  return { released };
}

const decide = (session: string): Promise<Response> =>
  fetch(`${doors.url}/v1/session/${session}/decide`, {
    method: "POST",
    headers: HEADERS,
    body: JSON.stringify({ tool: "read_mail", arguments: {} }),
  });

it("answers health checks and other sessions while another program holds the store, and writes each call once afterwards (X15-sqlite)", async () => {
  const [idle, ...sessions] = await Promise.all([1, 2, 3].map(() => gateway.gate.open()));
  const { released } = await holdLock();
  let isHeld = true;
  void released.then(() => {
    isHeld = false;
  });
  const answers = sessions.map(({ id }) => decide(id));
  const late: number[] = [];
  while (isHeld) {
    const asked = performance.now();
    const health = await fetch(`${doors.url}/healthz`);
    expect(health.status).toBe(200);
    const journal = await fetch(`${doors.url}/v1/session/${idle?.id}/journal`, { headers: HEADERS });
    expect(journal.status).toBe(200);
    late.push(performance.now() - asked);
  }
  // The lock was held while these were asked: nobody had to wait for it.
  expect(late.length).toBeGreaterThan(HELD_MS / MAX_LATE_MS);
  expect(Math.max(...late)).toBeLessThan(MAX_LATE_MS);
  for (const answer of await Promise.all(answers)) {
    expect(await answer.json()).toMatchObject({ effect: "allow" });
  }
  for (const { id } of sessions) {
    const journal = await fetch(`${doors.url}/v1/session/${id}/journal`, { headers: HEADERS });
    const { events } = (await journal.json()) as { events: { kind: string }[] };
    expect(events.map(({ kind }) => kind)).toEqual(["session-opened", "call-admitted"]);
  }
  expect(await gateway.gate.verify()).toMatchObject({ ok: true, sessions: 3, entries: 5 });
});
