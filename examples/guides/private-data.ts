/** Private data from its sources to the block, on a real database and a real API. Checks itself; run it with Node 24. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createGate, definePolicy } from "sluicegate";
import { loadConfig } from "sluicegate/config";
import { openConnectors } from "sluicegate/connectors";
import {
  addPrivateDataset,
  callProvider,
  examineCalls,
  sessionHasPrivateData,
  withSession,
} from "sluicegate/session";

await markByHand();

const folder = mkdtempSync(join(tmpdir(), "sluicegate-guide-"));
fillDatabases(folder);
const api = createServer((request, reply) => reply.end(JSON.stringify({ asked: request.url })));
await once(api.listen(0, "127.0.0.1"), "listening");
const address = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;

// `dbs.yaml` and `apis.yaml` say how sensitive each source is; what says nothing is public.
const environment = { GUIDE_DATA: folder, GUIDE_DESK: `${address}/desk`, GUIDE_NEWS: `${address}/news` };
const config = await loadConfig(join(import.meta.dirname, "sluicegate.yaml"), { environment });
const providers = openConnectors(config);
await Promise.all(providers.map(({ settled }) => settled));
const gate = createGate({ policy: config.policy, facts: examineCalls(providers) });
const session = await gate.open({ principal: "ada" });
const call = (tool: string, args: Record<string, unknown>) =>
  callProvider(session, providers, { tool, arguments: args });

// A public database leaves the session clean, and the way out open.
await call("mcp__press__query", { sql: "SELECT title FROM articles" });
assert.equal(session.private, false);
assert.equal((await call("searchNews", { q: "hotels" })).effect, "allow");

// A query of the confidential one marks the session by itself, before a row comes.
const rows = await call("mcp__bookings__query", { sql: "SELECT guest FROM bookings" });
assert.equal(rows.effect, "allow");
console.log(session.datasets); // [ { id: "bookings", sensitivity: "confidential", at: "…", call: "call_…" } ]

// What connects outside is refused now; the API that may receive such data can still be read.
const outside = await call("searchNews", { q: "Grace Hopper" });
if (outside.effect !== "allow") console.log(outside.reasons[0]?.message);
assert.equal(outside.effect, "deny");
assert.equal((await call("getGuest", { id: 7 })).effect, "allow");

await Promise.all(providers.map((provider) => provider.close()));
await gate.close();
api.close();
rmSync(folder, { recursive: true });
console.log("ok");

/** Marks by hand: the label is the join of what was added, and nothing lowers it. */
async function markByHand(): Promise<void> {
  const gate = createGate({ policy: definePolicy({}) });
  const session = await gate.open({ principal: "ada" });
  await withSession(session, async () => {
    assert.equal(sessionHasPrivateData(), false);
    await addPrivateDataset("staff-directory", "internal");
    assert.equal(session.label.level, "internal");
    await addPrivateDataset("payroll", "secret");
    await addPrivateDataset("handbook", "internal");
    assert.equal(session.label.level, "secret");
    assert.equal(session.datasets.length, 3);
  });
  await gate.close();
}

function fillDatabases(folder: string): void {
  const press = new DatabaseSync(join(folder, "press.db"));
  press.exec(
    "CREATE TABLE articles (id INTEGER PRIMARY KEY, title TEXT); INSERT INTO articles VALUES (1, 'Opening')",
  );
  press.close();
  const bookings = new DatabaseSync(join(folder, "bookings.db"));
  bookings.exec(
    "CREATE TABLE bookings (id INTEGER PRIMARY KEY, guest TEXT); INSERT INTO bookings VALUES (7, 'Grace Hopper')",
  );
  bookings.close();
}
