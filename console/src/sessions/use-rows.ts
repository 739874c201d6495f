/** The rows of the list: what is loaded, in the live or in the kept order. */
import { useCallback, useState } from "react";
import type { Schema } from "../api/client.ts";
import { followRows, type HeldOrder, holdOrder } from "./held-order.ts";
import { shareItems } from "./share-items.ts";

export type SessionRow = Schema<"SessionSummary">;

export interface Rows {
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
