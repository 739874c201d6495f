/** The rows of the list: what is loaded, in the live or in the kept order. */
import { useCallback, useState } from "react";
import type { Schema } from "../api/client.ts";
import { shareItems } from "./share-items.ts";

export type SessionRow = Schema<"SessionSummary">;

interface Rows {
  readonly rows: readonly SessionRow[];
  /** How many are at another position by now; null in the live order. */
  readonly changed: number | null;
  readonly hold: () => void;
  readonly release: () => void;
}

const NONE: readonly SessionRow[] = Object.freeze([]);
const idOf = ({ session_id }: SessionRow): string => session_id;

/** `list` identifies the list: another one has another order. */
export function useRows(
  pages: readonly { readonly sessions: readonly SessionRow[] }[] | undefined,
  list: string,
): Rows {
  const live = useShared(pages);
  const [isHeld, setIsHeld] = useState(false);
  const [held, setHeld] = useState<(HeldOrder<SessionRow> & { readonly list: string }) | null>(null);
  const hold = useCallback(() => setIsHeld(true), []);
  const release = useCallback(() => setIsHeld(false), []);
  if (!isHeld) {
    if (held !== null) setHeld(null);
    return { rows: live, changed: null, hold, release };
  }
  const next = held?.list === list ? followRows(held, live) : holdOrder(live);
  if (next !== held) setHeld({ ...next, list });
  return { rows: next.rows, changed: next.changed, hold, release };
}

/** All pages' rows; an unchanged one is the same object as before. */
function useShared(
  pages: readonly { readonly sessions: readonly SessionRow[] }[] | undefined,
): readonly SessionRow[] {
  const [kept, setKept] = useState({ pages, rows: flatten(NONE, pages) });
  if (kept.pages === pages) return kept.rows;
  const rows = flatten(kept.rows, pages);
  setKept({ pages, rows });
  return rows;
}

const flatten = (
  before: readonly SessionRow[],
  pages: readonly { readonly sessions: readonly SessionRow[] }[] = [],
): readonly SessionRow[] =>
  shareItems(
    before,
    pages.flatMap(({ sessions }) => sessions),
    idOf,
  );

export interface Ordered {
  readonly session_id: string;
  readonly last_at: string;
}

interface HeldOrder<Row extends Ordered> {
  readonly rows: readonly Row[];
  /** How many are at another position in the live order. */
  readonly changed: number;
  /** When each session had last changed when its row was added. */
  readonly since: ReadonlyMap<string, string>;
}

/**
 * Keeps the present order of sessions while somebody uses the list, so that rows don't move under a pointer or with the
 * focus. Their content still changes.
 */
export function holdOrder<Row extends Ordered>(rows: readonly Row[]): HeldOrder<Row> {
  return { rows, changed: 0, since: new Map(rows.map((row) => [row.session_id, row.last_at])) };
}

/**
 * The kept rows with their present content, and rows at the end that were requested since. A row that is no longer
 * loaded stays unchanged. The same object if nothing differs.
 */
export function followRows<Row extends Ordered>(held: HeldOrder<Row>, live: readonly Row[]): HeldOrder<Row> {
  if (held.rows.length === 0) return live.length === 0 ? held : holdOrder(live);
  const now = new Map(live.map((row) => [row.session_id, row]));
  const added = addedAtEnd(held, live);
  const rows = [...held.rows.map((row) => now.get(row.session_id) ?? row), ...added];
  const since = added.length === 0 ? held.since : extend(held.since, added);
  const moved = rows.filter((row) => since.get(row.session_id) !== row.last_at).length;
  const changed = moved + live.filter((row) => !since.has(row.session_id)).length;
  const isSame =
    changed === held.changed && added.length === 0 && rows.every((row, at) => row === held.rows[at]);
  return isSame ? held : { rows, changed, since };
}

/** Unknown rows after all known ones: the next page. Those before are new, and wait. */
function addedAtEnd<Row extends Ordered>({ since }: HeldOrder<Row>, live: readonly Row[]): readonly Row[] {
  const last = live.findLastIndex((row) => since.has(row.session_id));
  return last < 0 ? [] : live.slice(last + 1);
}

const extend = (since: ReadonlyMap<string, string>, rows: readonly Ordered[]): ReadonlyMap<string, string> =>
  new Map([...since, ...rows.map((row) => [row.session_id, row.last_at] as const)]);
