/**
 * A store as it is after a while: sessions of several people and roles, with calls that were admitted, refused, asked
 * about and answered. Made by a real gate on SQLite; the same seed makes the same sessions.
 */
import { join } from "node:path";
import { parseConfig } from "../../src/policy-file/index.ts";
import { createGate, type Gate, type Session } from "../../src/runtime/index.ts";
import { openSqliteStore } from "../../src/stores/index.ts";
import { seededRandom } from "../fixtures/seeded-random.ts";

export interface Seeding {
  readonly folder: string;
  readonly policy: string;
  /** Keys the journal's digests, as the gateway does that goes on with the store. */
  readonly key: Uint8Array;
  readonly sessions: number;
  /** Journal entries in all, at least. */
  readonly entries: number;
}

const PRINCIPALS = ["ada", "grace", "linus", "margaret", "ken", "barbara", "donald", "radia"];
const ROLES = [undefined, "analyst", "clerk"];
const CALLS = [
  "search_email",
  "search_docs",
  "web_search",
  "slack_post",
  "github_create_pr",
  "wire_transfer",
];
/** Sessions that write at once: their appends are committed together. */
const AT_ONCE = 100;

/** Fills `sluicegate.db` in a folder. Returns how many entries it has then. */
export async function seedStore({ folder, policy, key, sessions, entries }: Seeding): Promise<number> {
  const { policy: compiled } = await parseConfig(policy, {
    file: join(folder, "sluicegate.yaml"),
    environment: {},
  });
  const gate = createGate({
    policy: compiled,
    store: openSqliteStore(join(folder, "sluicegate.db")),
    digestKey: key,
  });
  let written = 0;
  const stop = gate.watch((fed) => {
    written += fed.length;
  });
  const each = Math.ceil(entries / sessions);
  for (let from = 0; from < sessions; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, sessions - from) }, (_, at) => from + at);
    await Promise.all(numbers.map((number) => fillSession(gate, number, each)));
  }
  stop();
  await gate.close();
  return written;
}

/** One session, until so many entries of it are written. */
async function fillSession(gate: Gate, number: number, entries: number): Promise<void> {
  const random = seededRandom(number + 1);
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[random(items.length)];
  const role = pick(ROLES);
  const session = await gate.open({
    principal: `${pick(PRINCIPALS)}-${number}`,
    ...(role !== undefined && { role }),
  });
  // The opening, and for each call one entry or two.
  for (let left = entries - 1; left > 0; ) left -= await makeCall(session, pick(CALLS) ?? "", random);
  if (random(10) === 0) await gate.reset(session.id);
}

async function makeCall(session: Session, tool: string, random: (below: number) => number): Promise<number> {
  const args = tool === "wire_transfer" ? { amount: 10 + random(900) } : { query: `item ${random(1000)}` };
  const { effect } = await session.call({ tool, arguments: args }, () => "done");
  return effect === "allow" ? 2 : 1;
}
