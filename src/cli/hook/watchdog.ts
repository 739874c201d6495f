/**
 * Ends this process if it takes too long, also while its own thread is busy. Claude Code takes a hook that is late for a
 * yes, and one that ends with an error for a no, since the installed command ends with `|| exit 2`.
 */
import { Worker } from "node:worker_threads";

const PROGRAM = `const { workerData } = require("node:worker_threads");
setTimeout(() => process.kill(process.pid, "SIGKILL"), workerData);`;

/** Returns how to call it off. */
export function endAfter(seconds: number): () => void {
  const watchdog = new Worker(PROGRAM, {
    eval: true,
    workerData: seconds * 1000,
    env: {},
    execArgv: [],
  });
  watchdog.unref();
  return () => void watchdog.terminate();
}
