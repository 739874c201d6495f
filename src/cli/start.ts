#!/usr/bin/env node
/**
 * The `sluicegate` of an installed package; in a checkout, `bin/sluicegate` does this.
 * INVARIANT: it is read by whatever Node the machine has, so it imports nothing and its syntax is old.
 */
const LEAST = 24;
const found = process.versions.node;

if (Number(found.split(".")[0]) >= LEAST) {
  import("./main.ts");
} else {
  process.exitCode = 2;
  process.stderr.write(
    `error: Node ${found} can't run \`sluicegate\`.
  why: It needs Node ${LEAST} or later, and \`${process.execPath}\` is older.
  fix: Install Node ${LEAST}, or put it first on the PATH.
`,
  );
}
