/** Tools that an SDK, its provider or a client runs itself, which can't be guarded. */
import { listNames } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";

/** @throws SluicegateError `invalid-tool` for those not named in `ungoverned`. */
export function assertGoverned(elsewhere: readonly string[], ungoverned: readonly string[] = []): void {
  const found = elsewhere.filter((name) => !ungoverned.includes(name));
  if (found.length === 0) return;
  const [tool, it, runs] = found.length === 1 ? ["Tool", "it", "runs"] : ["Tools", "them", "run"];
  throw new SluicegateError("invalid-tool", `${tool} ${listNames(found)} can't be guarded.`, {
    why: `The SDK, its provider or a client ${runs} ${it} without asking this program, so nothing can be decided first.`,
    fix: "Give the agent a tool with a function of your own, or name what may run undecided in `ungoverned`.",
    details: { tools: found },
  });
}
