/**
 * kill −9 of the real program at random moments of many calls, again and again on one store: nothing was released
 * that the durable label doesn't cover, nothing reached the server that wasn't admitted before, nothing was sent
 * twice, no approval was lost or used twice, and no label ever fell. Sixteen clients use sessions, forks that share
 * their labels, forks of those, and the session that the operator falls back to. After every second kill, a power loss
 * undoes what nobody waited for.
 *
 * `SLUICEGATE_KILLS=300 vitest run --project system test/faults/gateway-kill-random.test.ts` for a long run;
 * `SLUICEGATE_SEED` plays a run again, as far as timing allows.
 */
import { on } from "node:events";
import { rmSync } from "node:fs";
import { watch } from "node:fs/promises";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  apply,
  bottomLabel,
  DEFAULT_LATTICE,
  flowsTo,
  initialState,
  join,
  type Label,
} from "../../src/core/index.ts";
import { fromEntry, verifyStore } from "../../src/runtime/index.ts";
import { openSqliteStore } from "../../src/stores/index.ts";
import { createAdmissionReader } from "../fixtures/admission-reader.ts";
import { createKillableGateway, type KillableGateway } from "../fixtures/killable-gateway.ts";
import { losePower } from "../fixtures/power-loss.ts";
import { hasLabelledBytes, type Load, type LoadCall, send, startLoad } from "../fixtures/recorded-load.ts";
import { readAll } from "../fixtures/sealed-events.ts";
import { seededRandom } from "../fixtures/seeded-random.ts";
import {
  type RecordedCall,
  type RecordingUpstream,
  startRecordingUpstream,
} from "../fixtures/upstream-recording.ts";

const SEED = Number(process.env.SLUICEGATE_SEED) || Math.floor(Math.random() * 2 ** 31);
const ROUNDS = Number(process.env.SLUICEGATE_KILLS) || 8;
const NEW_FAMILIES = 4;
const CLIENTS = 16;
/** Sessions of earlier rounds that are looked at after a kill, beside those of its own round. */
const LOOKED_AT = 40;
/** The whole store is verified after every so many kills; what is looked at is verified as it is loaded. */
const VERIFY_EVERY = 5;

const PUBLIC = bottomLabel(DEFAULT_LATTICE);
const SOURCES: ReadonlyMap<string, Label> = new Map([
  ["read_mail", { level: "internal", categories: [], trust: "untrusted" }],
  ["read_file", { level: "confidential", categories: ["legal"], trust: "trusted" }],
]);
const policy = (url: string): string => `
version: 1
categories: { legal: {} }
servers:
  outside:
    url: "${url}"
    tools:
      read_mail: { permissions: [read], source: { level: internal, trust: untrusted } }
      read_file: { permissions: [read], source: { level: confidential, categories: [legal] } }
      post_note: { permissions: [connect], sink: internal }
      search_web: { permissions: [connect], sink: public }
      pay: { permissions: [write], approval: always }
`;

let upstream: RecordingUpstream;
let gateway: KillableGateway;
beforeAll(async () => {
  upstream = await startRecordingUpstream(["read_mail", "read_file", "post_note", "search_web", "pay"]);
  gateway = createKillableGateway(policy(upstream.url));
});
afterAll(async () => {
  await gateway.remove();
  await upstream.close();
});

/** Something that happens again and again while a load runs; the kill comes with one of them. */
type Happening = (load: Load, signal: AbortSignal) => AsyncIterable<unknown>;

const HAPPENINGS: ReadonlyMap<string, Happening> = new Map<string, Happening>([
  ["before the decision", (load, signal) => on(load.events, "sent", { signal })],
  // Whatever changes the database's log: a decision was made, and is being written just then.
  ["while the store is written", (_, signal) => watch(`${gateway.storeFile}-wal`, { signal })],
  ["after the append", (_, signal) => admissions(signal)],
  ["after dispatch", (_, signal) => on(upstream.events, "call", { signal })],
  ["after the server's first chunk", (_, signal) => on(upstream.events, "chunk", { signal })],
  ["after the answer", (_, signal) => on(upstream.events, "answered", { signal })],
  ["after the first chunk to the client", (load, signal) => on(load.events, "chunk", { signal })],
  ["while approvals wait", (load, signal) => on(load.events, "asked", { signal })],
  ["while a yes is on its way", (load, signal) => on(load.events, "approving", { signal })],
  ["after a yes", (load, signal) => on(load.events, "approved", { signal })],
]);

/** Resolves when it has happened so many times, or when it can't any more. */
async function happened(times: number, happenings: AsyncIterable<unknown>): Promise<void> {
  let seen = 0;
  try {
    for await (const _ of happenings) {
      seen += 1;
      if (seen === times) return;
    }
  } catch {
    // The round is over, and with it the gateway.
  }
}

/** Each admission that the gateway itself says is durable. */
async function* admissions(signal: AbortSignal): AsyncIterable<void> {
  const { headers } = gateway;
  const { body } = await fetch(`${gateway.url()}/v1/events?after=${journal.position()}`, { headers, signal });
  for await (const chunk of body ?? []) {
    const admitted = Buffer.from(chunk).toString().split("event: call-admitted").length - 1;
    for (let each = 0; each < admitted; each += 1) yield;
  }
}

const journal = createAdmissionReader(() => gateway.storeFile);

/** Calls that reached the server without an admission that was durable by then. */
const early: RecordedCall[] = [];
const lookUp = (call: RecordedCall): void => {
  if (journal.admissionsOf(call.arguments).length === 0) early.push(call);
};

/** Each session, with the one that holds its label. */
const families = new Map<string, string>();
const familyOf = (session: string): string => families.get(session) ?? session;
/** What the labels of a family must cover from now on. */
const owed = new Map<string, Label>();
const owe = (session: string, label: Label): void => {
  const family = familyOf(session);
  owed.set(family, join(DEFAULT_LATTICE, owed.get(family) ?? label, label));
};
const isOwed = (session: string): boolean =>
  !flowsTo(DEFAULT_LATTICE, owed.get(familyOf(session)) ?? PUBLIC, PUBLIC);

/** What the clients saw is owed: labels that they were told, and labelled bytes that they got. */
function collect(calls: readonly LoadCall[]): void {
  for (const call of calls) {
    for (const { label } of call.answers) if (label) owe(call.session, label);
    const source = SOURCES.get(call.tool);
    if (source && hasLabelledBytes(call)) owe(call.session, source);
  }
}

/** A session that its agent forks, the first one's fork too. */
async function openFamily(_: unknown, number: number): Promise<readonly string[]> {
  const opened = await gateway.request("POST", "/v1/session", {});
  const fork = await forkBy(opened);
  const grandchild = number === 0 ? [(await forkBy(fork)).session_id] : [];
  const sessions = [opened.session_id, fork.session_id, ...grandchild];
  for (const session of sessions) families.set(session, opened.session_id);
  return sessions;
}

const forkBy = (of: { readonly session_id: string; readonly session_token: string }) =>
  gateway.request(
    "POST",
    `/v1/session/${of.session_id}/fork`,
    {},
    { authorization: `Bearer ${of.session_token}` },
  );

let searches = 0;

/** A search by a client that names no session, and the session that it came to; null where it wasn't admitted. */
async function searchUnnamed(): Promise<string | null> {
  searches += 1;
  const args = { id: `unnamed-${searches}`, manner: "at-once", after: 0, size: 1 };
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const name = "search_web";
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, _meta } };
  await gateway.request("POST", "/mcp", body, {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": name,
  });
  unnamed.add(args.id);
  return journal.admissionsOf(args)[0]?.session ?? null;
}
const unnamed = new Set<string>();

describe("a gateway that is killed at random moments", () => {
  it(
    `keeps I1 to I4 over ${ROUNDS} kills on one store, with the seed ${SEED} (X15-sqlite, X15-approvals, law-3, law-7, law-8)`,
    async () => {
      const random = seededRandom(SEED);
      const all: LoadCall[] = [];
      const names = [...HAPPENINGS.keys()];
      const offset = random(names.length);
      let known: string[] = [];
      upstream.events.on("call", lookUp);
      await gateway.start();
      const sticky = (await searchUnnamed()) ?? expect.fail("the first search was refused");
      for (let round = 0; round < ROUNDS; round += 1) {
        const name = names[(round + offset) % names.length] ?? "";
        const told = `round ${round}, ${name}, seed ${SEED}`;
        const fresh = (await Promise.all(Array.from({ length: NEW_FAMILIES }, openFamily))).flat();
        const old = [...known].sort(() => random(3) - 1).slice(0, CLIENTS - 1 - fresh.length);
        known = [...known, ...fresh];
        const sessions = [...fresh, sticky, ...old];
        const over = new AbortController();
        const load = startLoad(gateway, { sessions, name: `r${round}`, random, gone: over.signal });
        const happenings = HAPPENINGS.get(name)?.(load, over.signal);
        const times = 1 + random(/yes|approvals|client/.test(name) ? 4 : 10);
        if (happenings) await Promise.race([happened(times, happenings), load.over]);
        await pause(random(3) === 0 ? 0 : random(4000));
        await gateway.kill();
        over.abort();
        await load.over;
        all.push(...load.calls);
        collect(load.calls);
        await upstream.left();
        const reached = upstream.calls.length;
        if (round % 2 === 1) await losePower(gateway.storeFile, random);
        const last = round === ROUNDS - 1;
        await Promise.all([assertCovered(sessions, told, round % VERIFY_EVERY === 0), gateway.start()]);
        if (last) expect(await gateway.verifyCopy(), told).toMatchObject({ status: 0 });
        const looked = last ? known : [...known].sort(() => random(3) - 1).slice(0, LOOKED_AT);
        await assertKept(told, [...new Set([...sessions, ...looked])], all);
        // Nothing was sent by the restarted program of its own accord.
        expect(upstream.calls.slice(reached), told).toEqual([]);
        await sendAgain(load.calls, told);
        await assertShut(fresh, told);
        await denyEarlier(load.calls);
        expect(await searchUnnamed(), told).toBe(isOwed(sticky) ? null : sticky);
      }
      await gateway.kill();
      assertOnceAndAdmitted(all);
    },
    Math.max(120_000, ROUNDS * 30_000),
  );
});

/** In the store as it lies there, no fork holds more than the session that holds its label. */
async function assertCovered(sessions: readonly string[], told: string, whole: boolean): Promise<void> {
  const copy = gateway.copyStore();
  const store = openSqliteStore(copy, { mustExist: true });
  const levels = new Map<string, Label>();
  for (const session of new Set(sessions.flatMap((one) => [one, familyOf(one)]))) {
    const entries = await readAll(store, session);
    const state = entries.reduce(
      (before, entry) => apply(before, fromEntry(DEFAULT_LATTICE, entry), entry.at),
      initialState(DEFAULT_LATTICE),
    );
    levels.set(session, state.label);
  }
  if (whole) expect((await verifyStore(store)).problems, told).toEqual([]);
  await store.close();
  rmSync(dirname(copy), { recursive: true });
  const above = [...levels].filter(
    ([session, label]) => !flowsTo(DEFAULT_LATTICE, label, levels.get(familyOf(session)) ?? PUBLIC),
  );
  expect(above, told).toEqual([]);
}

/** What a fork reads again shuts its session's way out, whatever the kill has left of them. */
async function assertShut(sessions: readonly string[], told: string): Promise<void> {
  const call = async (session: string, tool: string): Promise<LoadCall> => {
    searches += 1;
    const args = { id: `again-${searches}`, manner: "at-once", after: 0, size: 1 } as const;
    const made: LoadCall = {
      session,
      tool,
      arguments: args,
      received: "",
      answers: [],
      approval: null,
      yes: "none",
    };
    unnamed.add(args.id);
    await send(gateway, made, {});
    return made;
  };
  const forks = sessions.filter((session) => familyOf(session) !== session);
  const touched = forks.filter((session) => isOwed(session));
  collect(await Promise.all(touched.map((fork) => call(fork, "read_mail"))));
  const searched = await Promise.all(touched.map((fork) => call(familyOf(fork), "search_web")));
  expect(
    searched.map(({ answers }) => answers[0]?.effect),
    told,
  ).toEqual(touched.map(() => "deny"));
}

/** I1 and I4: a label covers all that was ever owed to its family; and what waits for a person still does. */
async function assertKept(
  told: string,
  sessions: readonly string[],
  all: readonly LoadCall[],
): Promise<void> {
  const states = await Promise.all(
    sessions.map((session) => gateway.request("GET", `/v1/session/${session}`)),
  );
  for (const { session_id, label } of states) {
    const least = owed.get(familyOf(session_id)) ?? label;
    // As data may flow to a clearance, so a label is covered by one that is as high in all its parts.
    expect([told, session_id, least, label, flowsTo(DEFAULT_LATTICE, least, label)]).toEqual([
      told,
      session_id,
      least,
      label,
      true,
    ]);
    owe(session_id, label);
  }
  const { approvals } = await gateway.request("GET", "/v1/approvals?status=all");
  const listed = new Set(approvals.map(({ id }: { id: string }) => id));
  const waiting = all.filter(
    ({ approval, yes }) => approval !== null && yes === "none" && !denied.has(approval),
  );
  expect(
    waiting.filter(({ approval }) => !listed.has(approval)),
    told,
  ).toEqual([]);
}

const denied = new Set<string>();

/** What waits from earlier rounds has outlived a kill, and makes room for more: a session may have a hundred. */
async function denyEarlier(calls: readonly LoadCall[]): Promise<void> {
  const own = new Set(calls.map(({ approval }) => approval));
  const { approvals } = await gateway.request("GET", "/v1/approvals?status=all");
  const earlier: readonly { readonly id: string }[] = approvals.filter(
    ({ id }: { id: string }) => !own.has(id),
  );
  for (const { id } of earlier) {
    denied.add(id);
    await gateway.request("POST", `/v1/approvals/${id}/deny`, {});
  }
}

/**
 * I3: each call of the last round that a person was asked about is sent again, unchanged. One whose yes was
 * acknowledged runs now, unless it had been admitted before the kill; one that nobody said yes to asks again.
 */
async function sendAgain(calls: readonly LoadCall[], told: string): Promise<void> {
  for (const call of calls.filter(({ tool }) => tool === "pay")) {
    const admitted = journal.admissionsOf(call.arguments).length;
    await send(gateway, call, {});
    const { effect, faults } = call.answers.at(-1);
    // A session that everybody falls back to may have as many waiting as it can.
    if (faults.some(({ code }: { code: string }) => code === "approvals")) continue;
    const runs = call.yes === "acknowledged" && admitted === 0;
    if (call.yes !== "said") expect([told, call, effect]).toEqual([told, call, runs ? "allow" : "ask"]);
    expect(journal.admissionsOf(call.arguments).length, told).toBe(admitted + (effect === "allow" ? 1 : 0));
    expect(journal.admissionsOf(call.arguments).length, told).toBeLessThanOrEqual(
      call.yes === "none" ? 0 : 1,
    );
  }
}

/** I2 and I3: each call that came was admitted before, once and under its own tool, and came once. */
function assertOnceAndAdmitted(all: readonly LoadCall[]): void {
  const seed = `seed ${SEED}`;
  expect(early, seed).toEqual([]);
  const ids = upstream.calls.map(({ arguments: args }) => String(args.id));
  expect(
    ids.filter((id, at) => ids.indexOf(id) !== at),
    seed,
  ).toEqual([]);
  const sent = new Map(all.map((call) => [call.arguments.id, call]));
  for (const { tool, arguments: args } of upstream.calls) {
    // Calls between the rounds were looked at when they were made.
    if (unnamed.has(String(args.id))) continue;
    const call = sent.get(String(args.id));
    const admission = { session: call?.session, tool: `mcp__outside__${tool}` };
    expect(journal.admissionsOf(args), seed).toEqual([admission]);
    expect(args, seed).toEqual(call?.arguments);
  }
  const refused = all.filter(({ answers }) => answers.every(({ effect }) => effect !== "allow"));
  const answered = refused.filter(({ answers, yes }) => answers.length > 0 && yes === "none");
  expect(
    answered.filter(({ arguments: { id } }) => ids.includes(id)),
    seed,
  ).toEqual([]);
  // The run is worth something only where calls of all kinds were on their way.
  const isApproved = ({ yes }: LoadCall): boolean => yes === "acknowledged";
  expect([all.some(hasLabelledBytes), all.some(isApproved)], seed).toEqual([true, true]);
  expect([answered.length > 0, ids.length > ROUNDS], seed).toEqual([true, true]);
}

/** A pause of so many microseconds: the kill comes a little after what it waited for. */
async function pause(microseconds: number): Promise<void> {
  const end = performance.now() + microseconds / 1000;
  while (performance.now() < end) await new Promise(setImmediate);
}
