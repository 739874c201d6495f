/**
 * Resolves with the name of the first signal that asks the process to end. SIGHUP does where the process has a terminal,
 * which is gone then; a service is told by it to read its configuration again, and `onHangUp` is called each time.
 */
export function untilSignal(onHangUp?: () => void): Promise<string> {
  return new Promise((done) => {
    const hasTerminal = process.stdin.isTTY || process.stdout.isTTY;
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => done(signal));
    if (onHangUp && !hasTerminal) process.on("SIGHUP", onHangUp);
    else process.once("SIGHUP", () => done("SIGHUP"));
  });
}
