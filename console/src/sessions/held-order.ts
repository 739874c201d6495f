/**
 * The order of sessions while somebody looks at them. Rows would move under a pointer or take the focus along, so
 * their order is held meanwhile; what stands in them goes on changing.
 */

export interface Ordered {
  readonly session_id: string;
  readonly last_at: string;
}

export interface HeldOrder<Row extends Ordered> {
  readonly rows: readonly Row[];
  /** How many would stand elsewhere by now. */
  readonly changed: number;
  /** When something had last happened in each row's session as it came under this hold. */
  readonly since: ReadonlyMap<string, string>;
}

/** Holds the order that there is. */
export function holdOrder<Row extends Ordered>(rows: readonly Row[]): HeldOrder<Row> {
  return { rows, changed: 0, since: new Map(rows.map((row) => [row.session_id, row.last_at])) };
}

/**
 * The held rows as they are now, with those at the end that have been asked for since. A row that others have pushed
 * out of what was loaded stays: nothing has happened in it. The same object where nothing differs.
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

/** Unknown rows behind all that are known: the next page. Those before are news, and wait. */
function addedAtEnd<Row extends Ordered>({ since }: HeldOrder<Row>, live: readonly Row[]): readonly Row[] {
  const last = live.findLastIndex((row) => since.has(row.session_id));
  return last < 0 ? [] : live.slice(last + 1);
}

const extend = (since: ReadonlyMap<string, string>, rows: readonly Ordered[]): ReadonlyMap<string, string> =>
  new Map([...since, ...rows.map((row) => [row.session_id, row.last_at] as const)]);
