/**
 * Moves sessions that nobody has used for long out of a store. Each is closed by an entry; then its whole chain is
 * saved; only then the store deletes what came before that entry. An interruption loses nothing: the next run
 * continues with the sessions that are closed and not yet deleted.
 */
import { apply, initialState, type Lattice, type SessionState, waitingAt } from "../../core/index.ts";
import { standingGivers } from "../approvals/standing-approvals.ts";
import { toTimestamp } from "../ports/clock.ts";
import type { ChainHead, JournalEntry, SessionAppend, Store } from "../ports/store.ts";
import { GATEWAY_CHAIN } from "./gateway-chain.ts";
import { isArchived, sealEntries } from "./journal.ts";
import { fromEntry, toEntryData } from "./stored-event.ts";

export interface ArchiveOptions {
  readonly store: Store;
  /** Sessions that ended later stay, and open ones with later entries. */
  readonly before: Date;
  /** Leaves sessions that are still open, and those with a fork that is. */
  readonly endedOnly?: boolean;
  readonly now: Date;
  readonly policy: { readonly lattice: Lattice; readonly version: string };
  /** Saves the whole chains of the sessions; durable when it resolves. Not called if there are none. */
  readonly save: (sessions: readonly ArchivedSession[]) => Promise<void>;
}

/** A session that was closed for the archive, and the entry that closed it. */
export interface ArchivedSession {
  readonly session: string;
  readonly seq: number;
}

export interface ArchiveReport {
  readonly archived: readonly ArchivedSession[];
  /**
   * How many old sessions stay because one of their family is in use: it has open calls or runs, a principal falls
   * back to it, or a standing approval that was given in it is in force.
   */
  readonly inUse: number;
}

/** A session that is still complete in the store. */
interface Found {
  readonly head: ChainHead;
  /** Null for a session with recent entries, and for an open one that must stay. */
  readonly state: SessionState | null;
  /** When its last entry was written (RFC 3339). */
  readonly at: string;
  /** The sessions from which it was forked. */
  readonly parents: readonly string[];
  readonly archived: ArchivedSession | null;
}

/**
 * Archives the sessions that may be archived. @throws SluicegateError `store-damaged`, `store-failed`, and what
 * `save` throws
 */
export async function archiveSessions(options: ArchiveOptions): Promise<ArchiveReport> {
  const { store, save } = options;
  const found = await findSessions(options);
  const givers = await standingGivers(store, toTimestamp(options.now));
  const archived = found.flatMap((one) => one.archived ?? []);
  let inUse = 0;
  let closing: Promise<void>[] = [];
  for (const family of familiesOf(found.filter((one) => one.archived === null))) {
    closing.push(
      closeFamily(family, { ...options, givers }).then((closed) => {
        if (closed === null) inUse += family.filter(({ state }) => state !== null).length;
        else archived.push(...closed);
      }),
    );
    if (closing.length < AT_ONCE) continue;
    await Promise.all(closing);
    closing = [];
  }
  await Promise.all(closing);
  if (archived.length > 0) await save(archived);
  // INVARIANT: nothing is deleted before all of it is saved.
  for (const { session, seq } of archived) await store.prune(session, seq);
  return { archived, inUse };
}

const PAGE = 250;
/** Families that share a commit, if the store groups them. */
const AT_ONCE = 64;

async function findSessions(options: ArchiveOptions): Promise<readonly Found[]> {
  const found: Found[] = [];
  let after: string | null = null;
  for (;;) {
    const heads = await options.store.heads(after, PAGE);
    const last = heads.at(-1);
    if (last === undefined) return found;
    for (const head of heads)
      if (head.session !== GATEWAY_CHAIN) found.push(...(await findSession(head, options)));
    after = last.session;
  }
}

/** Nothing for a session whose entries were deleted already. */
async function findSession(head: ChainHead, options: ArchiveOptions): Promise<readonly Found[]> {
  const { store, before, policy, endedOnly = false } = options;
  const { session, version } = head;
  const [[first], [last]] = [await store.read(session, 0, 1), await store.read(session, version - 1, 1)];
  if (first === undefined || last === undefined || first.seq > 1) return [];
  const { parent, shares } = first.data;
  const parents = [parent, shares].filter((one) => typeof one === "string");
  const found = { head, at: last.at, parents };
  // A session that was closed may have refusals after that entry.
  const mayBeClosed = isArchived(last) || last.kind === "call-refused";
  const mayBeTaken = last.at < toTimestamp(before);
  if (!mayBeTaken && !mayBeClosed) return [{ ...found, state: null, archived: null }];
  const { state, closed, endedAt = last.at } = await readChain(store, session, policy.lattice);
  // Calls that an agent still attempts keep no ended session.
  const isOld = endedAt < toTimestamp(before);
  const archived = closed ? { session, seq: closed.seq } : null;
  return [{ ...found, state: isOld && (state.closed || !endedOnly) ? state : null, archived }];
}

/** The session's state, the entry that closed it for the archive, and when it ended. */
async function readChain(store: Store, session: string, lattice: Lattice) {
  let state = initialState(lattice);
  let closed: JournalEntry | undefined;
  let endedAt: string | undefined;
  for await (const entry of entriesOf(store, session)) {
    state = apply(state, fromEntry(lattice, entry), entry.at);
    if (isArchived(entry)) closed = entry;
    if (entry.kind === "session-closed") endedAt ??= entry.at;
  }
  return { state, closed, endedAt };
}

/** A session with its forks and theirs: all are archived, or none. */
function familiesOf(found: readonly Found[]): Iterable<readonly Found[]> {
  const nodes = new Map(found.map((one) => [one.head.session, [one]]));
  for (const { head, parents } of found)
    for (const parent of parents) {
      const [own, other] = [nodes.get(head.session), nodes.get(parent)];
      if (own === undefined || other === undefined || own === other) continue;
      const [less, more] = own.length < other.length ? [own, other] : [other, own];
      more.push(...less);
      for (const { head: moved } of less) nodes.set(moved.session, more);
    }
  return new Set(nodes.values());
}

/** Closes a family in one append; null if it stays. */
async function closeFamily(
  family: readonly Found[],
  { store, now, policy, givers }: ArchiveOptions & { readonly givers: ReadonlySet<string> },
): Promise<readonly ArchivedSession[] | null> {
  const appends: SessionAppend[] = [];
  for (const { head, state, at } of family) {
    if (state === null || givers.has(head.session) || (await isInUse(store, head.session, { state, now })))
      return null;
    const { principal, label } = state;
    const closing = toEntryData({ kind: "session-closed", reason: "archived", principal, label });
    // INVARIANT: a session's time never goes back.
    const moment = at > toTimestamp(now) ? at : toTimestamp(now);
    const entries = sealEntries(head, [{ ...closing, at: moment, policy: policy.version }]);
    appends.push({ session: head.session, expectedVersion: head.version, entries });
  }
  const [own, ...also] = appends;
  if (own === undefined) return null;
  const { status } = await store.append(own.session, own.expectedVersion, own.entries, [], { also });
  if (status === "conflict") return null;
  return family.map(({ head }) => ({ session: head.session, seq: head.version + 1 }));
}

/** Whether a session has something pending or running, or its principal falls back to it. */
async function isInUse(
  store: Store,
  session: string,
  { state, now }: { readonly state: SessionState; readonly now: Date },
): Promise<boolean> {
  if (state.closed) return false;
  const at = toTimestamp(now);
  const isBusy =
    state.running.size > 0 ||
    waitingAt(state, at).length > 0 ||
    state.pausedRuns.some(({ expires }) => expires > at);
  return isBusy || (await store.sticky(state.principal)) === session;
}

/** The entries of a session in the store, oldest first. */
export async function* entriesOf(store: Store, session: string): AsyncGenerator<JournalEntry> {
  for (let after = 0; ; ) {
    const page = await store.read(session, after, PAGE);
    const last = page.at(-1);
    if (last === undefined) return;
    yield* page;
    after = last.seq;
  }
}
