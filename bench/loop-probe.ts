/**
 * Loaded into a process before its program: measures how much CPU time its main thread takes between two looks at the
 * timers, which is how long everybody else waits. Whoever connects to its socket gets the most so far, in milliseconds,
 * and it begins anew. CPU time, so that a busy machine doesn't count.
 */
import { createServer } from "node:net";
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  const socket = new URL(import.meta.url).searchParams.get("socket") ?? "";
  let worst = 0;
  let before = process.threadCpuUsage();
  const look = (): void => {
    const now = process.threadCpuUsage();
    worst = Math.max(worst, (now.user + now.system - before.user - before.system) / 1000);
    before = now;
  };
  setInterval(look, 1).unref();
  createServer((connection) => {
    look();
    connection.end(String(worst));
    worst = 0;
    before = process.threadCpuUsage();
  })
    // A process that this one starts finds the socket taken, and measures nothing.
    .on("error", () => {})
    .listen(socket)
    .unref();
}
