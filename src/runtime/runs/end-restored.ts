/**
 * Makes a restored store safe: nobody knows what happened after the backup. A session may have been raised, an
 * approval used, a standing approval revoked, something frozen. So all sessions are ended, all standing approvals
 * revoked, and everything is frozen until an operator has dealt with the agents.
 */
import { fromLimit, type SessionEvent, topLabel } from "../../core/index.ts";
import { GATEWAY_CHAIN, readGatewayChain, toGatewayAppend } from "../journal/gateway-chain.ts";
import { CHAIN_START } from "../journal/journal.ts";
import { Ledger, type LedgerOptions } from "../journal/ledger.ts";
import { Ledgers } from "../journal/ledgers.ts";
import { StoreClock, systemClock, toTimestamp } from "../ports/clock.ts";
import { createId, systemRandom } from "../ports/random.ts";
import type { JournalEntry, Store } from "../ports/store.ts";
import { proposeClosing } from "./close-session.ts";

interface EndOptions {
  readonly store: Store;
  readonly policy: ReturnType<LedgerOptions["policy"]>;
  /** Who restores the store. */
  readonly by: string;
}

export interface EndReport {
  /** How many sessions were ended. */
  readonly sessions: number;
  /** How many standing approvals were revoked. */
  readonly standing: number;
}

/** Only for a store that no gateway has open. @throws SluicegateError `store-damaged`, `store-failed` */
export async function endRestored(options: EndOptions): Promise<EndReport> {
  const { store, policy } = options;
  const clock = new StoreClock(store, systemClock);
  await clock.catchUp();
  const shared = { store, clock, policy: () => policy, ledgerOf: (id: string) => ledgers.of(id) };
  const ledgers: Ledgers = new Ledgers(MAX_IN_MEMORY, (session) => new Ledger({ ...shared, session }));
  let sessions = 0;
  // INVARIANT: listed before the first is ended, since ending one may open another.
  for (const session of await sessionsOf(store))
    if (await endSession(ledgers, session, options)) sessions += 1;
  return { sessions, standing: await freezeAndRevoke(options, toTimestamp(clock.now())) };
}

const PAGE = 250;
const MAX_IN_MEMORY = 1000;

async function sessionsOf(store: Store): Promise<readonly string[]> {
  const all: string[] = [];
  for (;;) {
    const heads = await store.heads(all.at(-1) ?? null, PAGE);
    if (heads.length === 0) return all.filter((session) => session !== GATEWAY_CHAIN);
    all.push(...heads.map(({ session }) => session));
  }
}

/** Ends an open session at the top label. False if it was closed already. */
async function endSession(
  ledgers: Ledgers,
  session: string,
  { store, policy }: EndOptions,
): Promise<boolean> {
  const ledger = ledgers.of(session);
  await ledger.refresh();
  if (ledger.state.closed) return false;
  const { principal } = ledger.state;
  if ((await store.sticky(principal)) === session) await replaceFallback(ledgers, ledger, { store, policy });
  const label = topLabel(policy.lattice);
  await ledger.commit((state, now) =>
    state.closed
      ? { events: [], value: undefined }
      : proposeClosing(session, state, now, { kind: "session-closed", reason: "restored", principal, label }),
  );
  return true;
}

/** A principal that falls back to this session gets a new one at the top label, not a clean one. */
async function replaceFallback(
  ledgers: Ledgers,
  ledger: Ledger,
  { store, policy }: Pick<EndOptions, "store" | "policy">,
): Promise<void> {
  const { principal, role, tools, limits, permissions } = ledger.state;
  const next = ledgers.of(createId("sess", systemRandom));
  const label = topLabel(policy.lattice);
  const opened: SessionEvent = {
    kind: "session-opened",
    ...{ principal, role, tools: tools && [...tools], task: false },
    ...(limits.length > 0 && { limits: limits.map(fromLimit) }),
    ...(permissions && { permissions }),
  };
  const by = { call: null, step: null, tool: null, dataset: "restored" };
  await next.commit(() => ({
    events: [opened, { kind: "label-raised", ...by, source: label, label }],
    value: undefined,
  }));
  await store.stick(principal, next.session, ledger.session);
}

type Known = ReadonlySet<string>;

async function freezeAndRevoke({ store, policy, by }: EndOptions, at: string): Promise<number> {
  const empty: Known = new Set();
  const from = { head: CHAIN_START, known: empty };
  const { head, known } = await readGatewayChain<Known>(from, { store, empty, follow: followStanding });
  const revoked = [...known].map((standing) => ({ kind: "standing-revoked", data: { standing, by } }));
  const why = "The store was restored from a backup.";
  const freeze = createId("frz", systemRandom);
  const frozen = { kind: "freeze-set", data: { freeze, target: {}, by, why } };
  const append = toGatewayAppend(head, [...revoked, frozen], { at, policy: policy.version });
  await store.append(append.session, append.expectedVersion, append.entries);
  return revoked.length;
}

function followStanding(before: Known, entries: readonly JournalEntry[]): Known {
  const known = new Set(before);
  for (const { kind, data } of entries) {
    if (typeof data.standing !== "string") continue;
    if (kind === "standing-given") known.add(data.standing);
    if (kind === "standing-revoked") known.delete(data.standing);
  }
  return known;
}
