/** What is written to a PostgreSQL store: each append is one call of one function, each fallback one statement. */
import type { FeedEntry } from "../../runtime/index.ts";
import { type AppendRequest, follows } from "../append-request.ts";
import { keptChecksum, stickyChecksum } from "../sealed-row.ts";
import type { StorePoint } from "../store-mark.ts";
import type { Connections, Row } from "./connections.ts";
import { isConflict, isWentBack, toPostgresError } from "./postgres-errors.ts";
import { toSticky } from "./postgres-reads.ts";
import { toStored, toStoredName } from "./stored-text.ts";

const TYPES = [
  ...["text[]", "bigint[]", "text[]", "bigint[]", "text[]"],
  ...["int[]", "bigint[]", "text[]", "text[]"],
  ...["text", "text[]", "text[]", "text[]"],
  ...["bigint", "text"],
];
const APPEND = `SELECT sluicegate.append_1(${TYPES.map((type, at) => `$${at + 1}::${type}`).join(", ")}) AS positions`;

/** An append in the form of the function's parameters. */
interface PreparedAppend {
  readonly requests: readonly AppendRequest[];
  readonly values: readonly unknown[];
}

/** Throws SluicegateError `unsupported-value` for a session or key that is too long. */
export function prepareAppend(requests: readonly AppendRequest[]): PreparedAppend {
  // INVARIANT: every writer locks heads in the same order, so that none waits for another in a circle.
  const sorted = requests
    .map((request) => ({ request, session: toStoredName(request.session) }))
    .sort((one, other) => (one.session < other.session ? -1 : 1));
  const entries = requests.flatMap((request) =>
    request.additions.map(({ row }) => ({
      owner: 1 + sorted.findIndex((one) => one.request === request),
      row,
    })),
  );
  const lastOf = ({ additions }: AppendRequest) => additions.at(-1)?.row;
  const own = requests[0];
  const keep = (own?.keep ?? []).map(({ key, value }) => ({
    key: toStoredName(key),
    value: value === null ? null : toStored(value),
    checksum: value === null ? null : keptChecksum(null, own?.session ?? "", key, value),
  }));
  const values = [
    sorted.map(({ session }) => session),
    sorted.map(({ request }) => request.expectedVersion),
    sorted.map(({ request }) => request.additions[0]?.entry.prev ?? ""),
    sorted.map(({ request }) => lastOf(request)?.seq ?? request.expectedVersion),
    sorted.map(({ request }) => lastOf(request)?.hash ?? ""),
    entries.map(({ owner }) => owner),
    entries.map(({ row }) => row.seq),
    entries.map(({ row }) => row.body),
    entries.map(({ row }) => row.hash),
    toStoredName(own?.session ?? ""),
    keep.map(({ key }) => key),
    keep.map(({ value }) => value),
    keep.map(({ checksum }) => checksum),
  ];
  return { requests, values };
}

/**
 * Makes all of an append in one round trip. Gives its entries with their positions; null for a conflict.
 * @param known an entry that was acknowledged; where the database doesn't have it, it went back
 */
export async function append(
  connections: Connections,
  { requests, values }: PreparedAppend,
  known: StorePoint | null,
): Promise<readonly FeedEntry[] | null> {
  // A session that isn't there yet has one hash to be linked to.
  if (requests.some((request) => request.expectedVersion === 0 && !follows(request, null))) return null;
  let rows: readonly Row[];
  try {
    rows = await connections.write(APPEND, [...values, known?.position ?? null, known?.hash ?? null]);
  } catch (error) {
    if (isConflict(error)) return null;
    if (known !== null && isWentBack(error) && (await wasPruned(connections, known)))
      return append(connections, { requests, values }, null);
    throw toPostgresError(error, "append");
  }
  const positions = rows[0]?.positions;
  if (!Array.isArray(positions)) return null;
  const entries = requests.flatMap(({ session, additions }) =>
    additions.map(({ entry }) => ({ session, entry })),
  );
  return entries.map((one, at) => ({ position: Number(positions[at]), ...one }));
}

/** Deletes what an archived session had before an entry, and remembers which entries those were. */
export async function prune({ write }: Connections, session: string, before: number): Promise<void> {
  await write(
    `WITH gone AS (DELETE FROM sluicegate.events WHERE session = $1 AND seq < $2 RETURNING position, hash),
      forgotten AS (DELETE FROM sluicegate.kept WHERE session = $1)
    INSERT INTO sluicegate.pruned
      SELECT $1, array_agg(position), array_agg(left(hash, ${PREFIX})) FROM gone HAVING count(*) > 0
    ON CONFLICT (session) DO UPDATE SET
      positions = pruned.positions || excluded.positions, hashes = pruned.hashes || excluded.hashes`,
    [toStoredName(session), before],
  );
}

const PREFIX = 16;

/** Whether an acknowledged entry is missing because its session was archived. */
export async function wasPruned({ read }: Connections, { position, hash }: StorePoint): Promise<boolean> {
  const rows = await read(
    `SELECT FROM sluicegate.pruned, unnest(positions, hashes) AS entry (position, hash)
     WHERE positions @> ARRAY[$1]::bigint[] AND entry.position = $1 AND entry.hash = $2`,
    [position, hash.slice(0, PREFIX)],
  );
  return rows.length > 0;
}

/** Sets a fallback if it is `previous` now. */
export async function stick(
  { write, read }: Connections,
  { principal, session, previous }: { principal: string; session: string; previous: string | null },
): Promise<boolean> {
  const name = toStoredName(principal);
  const next = [name, toStoredName(session), stickyChecksum(principal, session)];
  const made = await (previous === null
    ? write("INSERT INTO sluicegate.sticky VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1", next)
    : write(
        `UPDATE sluicegate.sticky SET session = $2, checksum = $3
         WHERE principal = $1 AND session = $4 AND checksum = $5 RETURNING 1`,
        [...next, toStoredName(previous), stickyChecksum(principal, previous)],
      ));
  if (made.length > 0) return true;
  // It is another one, unless the row was changed.
  for (const row of await read("SELECT * FROM sluicegate.sticky WHERE principal = $1", [name])) toSticky(row);
  return false;
}
