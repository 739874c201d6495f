/**
 * Keeps the order of sessions while somebody uses the list, so that rows don't move under a pointer or with the
 * focus. Their content still changes.
 */

export interface Ordered {
  readonly session_id: string;
  readonly last_at: string;
}

export interface HeldOrder<Row extends Ordered> {
  readonly rows: readonly Row[];
  /** How many are at another position in the live order. */
  readonly changed: number;
  /** When each session had last changed when its row was added. */
  readonly since: ReadonlyMap<string, string>;
}

/** Keeps the present order. */
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
