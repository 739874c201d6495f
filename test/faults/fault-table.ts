/** The faults that must be survived, with the tests that inject them and the invariants that these check. */

export interface FaultEntry {
  readonly fault: string;
  readonly invariants: string;
  /** Files below the project's root, each with a part of its tests' titles; an empty part stands for all of them. */
  readonly tests: readonly (readonly [file: string, title: string])[];
}

const KILLS = "test/faults/gateway-kill-random.test.ts";
const UPSTREAM = "test/faults/upstream-faults.test.ts";
const APPROVALS = "src/runtime/approvals.test.ts";

const entry = (fault: string, invariants: string, ...tests: FaultEntry["tests"]): FaultEntry => ({
  fault,
  invariants,
  tests,
});

export const FAULT_TABLE: readonly FaultEntry[] = Object.freeze([
  entry(
    "kill −9, SQLite",
    "I1–I4",
    [KILLS, "one SQLite file"],
    ["test/faults/gateway-kill.test.ts", ""],
    ["test/faults/store-kill.test.ts", ""],
    ["test/faults/store-lost-writes.test.ts", ""],
  ),
  entry(
    "kill −9, two gateways on PostgreSQL",
    "I1–I4",
    [KILLS, "PostgreSQL with another gateway"],
    ["test/faults/postgres-faults.test.ts", "kills of who writes"],
  ),
  entry(
    "kill −9 around an approval",
    "I3",
    ["test/faults/approval-kill.test.ts", ""],
    ["test/faults/workspace-approval-kill.test.ts", ""],
  ),
  entry("clocks ten minutes apart", "I1–I4", [KILLS, "ten minutes ahead"]),
  entry(
    "the n-th write fails",
    "I1–I4",
    ["test/faults/failing-operations.test.ts", ""],
    ["test/faults/postgres-faults.test.ts", "failing operations"],
    ["test/faults/approval-writes.test.ts", ""],
    ["test/faults/shared-label-writes.test.ts", ""],
  ),
  entry("disk full, SQLite", "I4, I5", ["test/faults/store-disk-full.test.ts", ""]),
  entry("disk full, PostgreSQL", "I1–I5", ["test/faults/postgres-disk-full.test.ts", ""]),
  entry(
    "store that is slow, SQLite",
    "I4, I5",
    ["test/faults/store-failed-sync.test.ts", ""],
    ["test/faults/store-locked.test.ts", ""],
  ),
  entry("store that is slow or stalls, PostgreSQL", "I1–I5", ["test/faults/postgres-slow.test.ts", ""]),
  entry(
    "store that is down or dies during a commit",
    "I1–I5",
    ["test/faults/postgres-faults.test.ts", "server"],
    ["src/stores/postgres/postgres.test.ts", "while its database is stopped"],
  ),
  entry("PostgreSQL fails over", "I1–I5", ["test/faults/postgres-failover", ""]),
  entry("an older store in its place, PostgreSQL", "I4", ["test/faults/postgres-restore.test.ts", ""]),
  entry(
    "a damaged database file",
    "I4",
    ["test/faults/store-damage.test.ts", ""],
    ["test/faults/store-damaged-file.test.ts", ""],
  ),
  entry(
    "two gateways and one session at once",
    "I3, I4",
    ["test/faults/two-writers.test.ts", ""],
    ["test/faults/postgres-faults.test.ts", "two gates at once"],
    ["test/faults/standing-two-gates.test.ts", ""],
  ),
  entry("different policies during a roll-out", "I3, I5", ["src/runtime/two-policies.test.ts", ""]),
  entry("servers that die, hang, flood or answer wrongly", "I5–I7", [UPSTREAM, "with a server that"]),
  entry("SIGTERM during a call", "I2", ["test/faults/gateway-stop.test.ts", ""]),
  entry("requests that never end", "I7", ["test/faults/slow-requests.test.ts", ""]),
  entry("a client that leaves", "I3", ["src/runtime/session.test.ts", "whose caller has left"]),
  entry(
    "two approvers, a double click, a late answer, a replay",
    "I3",
    [APPROVALS, "two gates answer at once"],
    [APPROVALS, "double click"],
    [APPROVALS, "a late answer is refused"],
    [APPROVALS, "another policy"],
    ["test/scenarios/approvals.test.ts", "asks anew for a replay"],
  ),
]);

export interface TestOutcome {
  readonly file: string;
  readonly title: string;
  readonly state: string;
}

export interface FaultRow {
  readonly fault: string;
  readonly invariants: string;
  readonly files: readonly string[];
  /** Kills, failing operations and the like that the titles name; a test that names none counts once. */
  readonly runs: number;
  readonly skipped: number;
  /** Tests that failed. Null where no test ran. */
  readonly violations: number | null;
}

const COUNTED = /(\d[\d,]*) (?:kills|failing operations|raises)/;

export function toFaultRows(outcomes: readonly TestOutcome[]): readonly FaultRow[] {
  return FAULT_TABLE.map(({ fault, invariants, tests }) => {
    const own = outcomes.filter(({ file, title }) =>
      tests.some(([name, part]) => file.startsWith(name) && title.includes(part)),
    );
    const ran = own.filter(({ state }) => state === "passed" || state === "failed");
    const countOf = (title: string): number => Number(COUNTED.exec(title)?.[1]?.replaceAll(",", "") ?? 1);
    return {
      fault,
      invariants,
      files: [...new Set(own.map(({ file }) => file))],
      runs: ran.reduce((sum, { title }) => sum + countOf(title), 0),
      skipped: own.length - ran.length,
      violations: ran.length === 0 ? null : ran.filter(({ state }) => state === "failed").length,
    };
  });
}
