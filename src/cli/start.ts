#!/usr/bin/env node
/**
 * The `sluicegate` of an installed package; in a checkout, `bin/sluicegate` does this.
 * INVARIANT: it is read by whatever Node the machine has, so it imports nothing and its syntax is old.
 */
const MIN_MAJOR = 24;
const found = process.versions.node;
// Collect short-lived objects sooner: a busy gateway needs a third less memory, for one more start of Node.
const BOUND = "--max-semi-space-size";

if (Number(found.split(".")[0]) >= MIN_MAJOR) {
  const isGateway = process.argv[2] === "serve" || process.argv[2] === "mcp";
  if (isGateway) startBounded();
  import("./main.ts");
} else {
  process.exitCode = 2;
  process.stderr.write(
    `error: Node ${found} can't run \`sluicegate\`.
  why: It needs Node ${MIN_MAJOR} or later, and \`${process.execPath}\` is older.
  fix: Install Node ${MIN_MAJOR}, or put it first on the PATH.
`,
  );
}

/** Starts this program anew in this very process, with the bound; returns where it has one, or can't be given one. */
function startBounded(): void {
  const given = `${process.execArgv.join(" ")} ${process.env.NODE_OPTIONS}`;
  if (given.includes(BOUND) || process.platform === "win32" || process.execve === undefined) return;
  try {
    const args = [process.execPath, `${BOUND}=8`, ...process.execArgv, ...process.argv.slice(1)];
    process.execve(process.execPath, args, process.env);
  } catch {
    // It runs as well without.
  }
}
