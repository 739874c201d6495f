/** Resolves with the name of the first signal that asks the process to end. */
export function untilSignal(): Promise<string> {
  return new Promise((done) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => done(signal));
  });
}
