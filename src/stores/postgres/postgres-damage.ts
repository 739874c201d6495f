/** Looks for damage in a PostgreSQL store, page by page: what only the store knows of its rows. */
import { SluicegateError } from "../../errors/index.ts";
import { rowProblem } from "../sealed-row.ts";
import type { Connections, Row } from "./connections.ts";
import { integer, text, toKept, toSealed, toSticky } from "./postgres-reads.ts";

const ROWS_PER_PAGE = 500;
/** After how many findings it stops: of a wrecked store no longer list is needed. */
const MAX_FINDINGS = 100;

interface Scan {
  readonly table: string;
  readonly keys: readonly string[];
  /** What is wrong with a row, as a sentence. May throw SluicegateError `store-damaged` instead. */
  problem(row: Row): string | null;
}

const SCANS: readonly Scan[] = [
  {
    table: `(
      SELECT heads.session, heads.version,
        (SELECT max(seq) FROM sluicegate.events WHERE events.session = heads.session) AS last,
        (SELECT count(*) FROM sluicegate.events WHERE events.session = heads.session) + coalesce((
          -- An archived session begins with the entry that says so; what came before is gone.
          SELECT CASE WHEN body LIKE '%"reason":"archived"%' AND body LIKE '%"kind":"session-closed"%'
            THEN seq - 1 ELSE 0 END
          FROM sluicegate.events WHERE events.session = heads.session ORDER BY seq LIMIT 1
        ), 0) AS counted
      FROM sluicegate.heads
    ) AS heads`,
    keys: ["session"],
    problem: ({ version, last, counted, ...row }) =>
      version === last && version === counted
        ? null
        : `The head of session ${named(row)} doesn't fit its journal.`,
  },
  {
    table: "sluicegate.events",
    keys: ["session", "seq"],
    problem: (row) => {
      const problem = rowProblem(toSealed(row));
      return problem && `Entry ${integer(row, "seq")} of session ${named(row)} was changed. ${problem}`;
    },
  },
  {
    table:
      "(SELECT DISTINCT session FROM sluicegate.events EXCEPT SELECT session FROM sluicegate.heads) AS lost",
    keys: ["session"],
    problem: (row) => `The session ${named(row)} has entries, but no head.`,
  },
  {
    table: "sluicegate.kept",
    keys: ["session", "key"],
    problem: (row) => {
      toKept(row);
      return null;
    },
  },
  {
    table: "sluicegate.sticky",
    keys: ["principal"],
    problem: (row) => {
      toSticky(row);
      return null;
    },
  },
];

/** Everything that is found broken, one sentence each. */
export async function findDamage({ read }: Connections): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { table, keys, problem } of SCANS) {
    let last: Row | undefined;
    do {
      const isAfter =
        last && `WHERE (${keys.join(", ")}) > (${keys.map((_, at) => `$${at + 1}`).join(", ")})`;
      const page = await read(
        `SELECT * FROM ${table} ${isAfter ?? ""} ORDER BY ${keys.join(", ")} LIMIT ${ROWS_PER_PAGE}`,
        last && keys.map((key) => last?.[key]),
      );
      found.push(...page.flatMap((row) => problemOf(() => problem(row)) ?? []));
      last = page.at(-1);
    } while (last !== undefined && found.length < MAX_FINDINGS);
  }
  return found;
}

function problemOf(look: () => string | null): string | null {
  try {
    return look();
  } catch (error) {
    if (SluicegateError.isInstance(error)) return `${error.message} ${error.why}`;
    throw error;
  }
}

/** A session's id for an operator's eyes: with escapes, and not without end. */
const named = (row: Row): string => JSON.stringify(text(row, "session").slice(0, 80));
