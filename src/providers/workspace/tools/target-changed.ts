import { SluicegateError } from "../../../errors/index.ts";

/** What a person said yes to isn't there any more as it was shown. */
export const targetChanged = (why: string, cause?: unknown): SluicegateError =>
  new SluicegateError("target-changed", "What the call aims at has changed since it was examined.", {
    why,
    fix: "Call the tool again, so that it is examined afresh.",
    ...(cause === undefined ? {} : { cause }),
  });
