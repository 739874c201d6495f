/**
 * A store that lives as long as its process. It keeps text as the durable stores do, so that nothing which was
 * appended changes when the caller's objects do.
 */
import type { AppendResult, ChainHead, FeedEntry, Keep, KeptValue, Store } from "../runtime/index.ts";
import {
  type AppendRequest,
  assertArchived,
  follows,
  toAppendRequest,
  toAppendRequests,
  toCount,
  toText,
} from "./append-request.ts";
import { fromSealedRow, type SealedRow } from "./sealed-row.ts";
import { closedStore } from "./store-errors.ts";
import { createWatchers, type Watchers } from "./watchers.ts";

interface Chain {
  /** The place of its session in the order in which sessions were opened, from 0. */
  readonly opened: number;
  readonly rows: SealedRow[];
  head: ChainHead;
}

interface Content {
  readonly chains: Map<string, Chain>;
  readonly opened: Chain[];
  /** At its position less 1; a hole where an entry was pruned. */
  readonly feed: ({ readonly session: string; readonly row: SealedRow } | null)[];
  readonly kept: Map<string, KeptValue>;
  lastKept: number;
  readonly sticky: Map<string, string>;
}

/** Opens an empty store in memory. It is as durable as its process, and never answers `store-damaged`. */
export function createMemoryStore(): Store {
  const content: Content = {
    chains: new Map(),
    opened: [],
    feed: [],
    kept: new Map(),
    lastKept: 0,
    sticky: new Map(),
  };
  const watchers = createWatchers();
  let open = true;
  const whileOpen = async <T>(work: () => T): Promise<T> => {
    if (!open) {
      throw closedStore();
    }
    return work();
  };
  return {
    append: (session, expectedVersion, entries, keep = [], options = {}) =>
      whileOpen(() => {
        const own = toAppendRequest(session, expectedVersion, entries, keep);
        return append(content, watchers, toAppendRequests(own, options));
      }),
    prune: (session, before) => whileOpen(() => prune(content, toText(session), toCount(before))),
    read: (session, after, limit) => {
      const rows = () => {
        const all = content.chains.get(toText(session))?.rows ?? [];
        return page(all, Math.max(0, toCount(after) - ((all[0]?.seq ?? 1) - 1)), limit);
      };
      return whileOpen(() => rows().map((row) => fromSealedRow(session, row)));
    },
    head: (session) => whileOpen(() => content.chains.get(toText(session))?.head ?? null),
    heads: (after, limit) => whileOpen(() => headsAfter(content, after, limit)),
    kept: (session, key) =>
      whileOpen(() => content.kept.get(keptId(toText(session), toText(key)))?.value ?? null),
    keptWith: (prefix, limit, after = 0) =>
      whileOpen(() => keptWith(content, toText(prefix), { limit, after: toCount(after) })),
    sticky: (principal) => whileOpen(() => content.sticky.get(toText(principal)) ?? null),
    stick: (principal, session, previous) =>
      whileOpen(() => stick(content, toText(principal), toText(session), previous)),
    feed: (after, limit) => whileOpen(() => feedAfter(content, after, limit)),
    newest: () =>
      whileOpen(() => {
        const last = content.feed.at(-1);
        // The newest is never pruned: the entry that archives its session comes after it.
        return last == null ? null : fromSealedRow(last.session, last.row).at;
      }),
    watch: (listener) => {
      if (!open) {
        throw closedStore();
      }
      return watchers.add(listener);
    },
    damage: () => whileOpen(() => []),
    close: async () => {
      open = false;
    },
  };
}

function append(content: Content, watchers: Watchers, requests: readonly AppendRequest[]): AppendResult {
  const headOf = ({ session }: AppendRequest): ChainHead | null => content.chains.get(session)?.head ?? null;
  if (!requests.every((request) => follows(request, headOf(request)))) {
    return { status: "conflict" };
  }
  watchers.tell(requests.flatMap((request) => appendOne(content, request)));
  return { status: "appended" };
}

function appendOne(content: Content, { session, additions, keep }: AppendRequest): readonly FeedEntry[] {
  const before = content.feed.length;
  const last = additions.at(-1)?.row;
  if (last !== undefined) {
    const head = { session, version: last.seq, hash: last.hash };
    const grown = content.chains.get(session) ?? openChain(content, head);
    grown.head = head;
    for (const { row } of additions) {
      grown.rows.push(row);
      content.feed.push({ session, row });
    }
  }
  for (const value of keep) {
    keepValue(content, session, value);
  }
  return additions.map(({ entry }, index) => ({ position: before + index + 1, session, entry }));
}

function openChain(content: Content, head: ChainHead): Chain {
  const chain: Chain = { opened: content.opened.length, rows: [], head };
  content.chains.set(head.session, chain);
  content.opened.push(chain);
  return chain;
}

function keepValue(content: Content, session: string, { key, value }: Keep): void {
  if (value === null) {
    content.kept.delete(keptId(session, key));
  } else {
    const position = content.kept.get(keptId(session, key))?.position ?? ++content.lastKept;
    content.kept.set(keptId(session, key), { position, session, key, value });
  }
}

function headsAfter(content: Content, after: string | null, limit: number): readonly ChainHead[] {
  const last = after === null ? -1 : content.chains.get(toText(after))?.opened;
  return last === undefined ? [] : page(content.opened, last + 1, limit).map((chain) => chain.head);
}

function keptWith(
  content: Content,
  prefix: string,
  { limit, after }: { limit: number; after: number },
): readonly KeptValue[] {
  const found = content.kept
    .values()
    .filter(({ key, position }) => position > after && key.startsWith(prefix));
  return [...found.take(toCount(limit))];
}

function stick(content: Content, principal: string, session: string, previous: string | null): boolean {
  if ((content.sticky.get(principal) ?? null) !== previous) {
    return false;
  }
  content.sticky.set(principal, session);
  return true;
}

function feedAfter(content: Content, after: number, limit: number): readonly FeedEntry[] {
  const found: FeedEntry[] = [];
  const most = toCount(limit);
  for (let at = toCount(after); at < content.feed.length && found.length < most; at += 1) {
    const one = content.feed[at];
    if (one)
      found.push({ position: at + 1, session: one.session, entry: fromSealedRow(one.session, one.row) });
  }
  return found;
}

function prune(content: Content, session: string, before: number): void {
  const chain = content.chains.get(session);
  const at = chain?.rows.findIndex(({ seq }) => seq === before) ?? -1;
  const row = chain?.rows[at];
  assertArchived(row && fromSealedRow(session, row));
  const gone = new Set(chain?.rows.splice(0, at));
  content.feed.forEach((one, at) => {
    if (one !== null && gone.has(one.row)) content.feed[at] = null;
  });
  for (const [id, kept] of content.kept) if (kept.session === session) content.kept.delete(id);
}

function page<T>(all: readonly T[], after: number, limit: number): readonly T[] {
  return all.slice(toCount(after), toCount(after) + toCount(limit));
}

const keptId = (session: string, key: string): string => JSON.stringify([session, key]);
