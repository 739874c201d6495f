/** The current session, in the async context, so that it needn't be passed to tools. */
import { AsyncLocalStorage } from "node:async_hooks";
import { shape } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import type { CallContext } from "./calls/run-call.ts";
import type { Session } from "./session.ts";

const current = new AsyncLocalStorage<Session>();
const calls = new AsyncLocalStorage<CallContext>();

/**
 * Runs a function, and everything that it awaits, with this as the current session.
 * @throws SluicegateError `invalid-request` for anything but a session, which would otherwise count as a clean one.
 */
export function withSession<Result>(session: Session, run: () => Result): Result {
  assertSession(session, "There is no session to run in.");
  return current.run(session, run);
}

/** @throws SluicegateError `invalid-request` for anything but a session, such as a promise, an id or a gate. */
export function assertSession(given: unknown, message: string): asserts given is Session {
  if (isSession(given)) return;
  const has = (key: string): boolean => typeof given === "object" && given !== null && key in given;
  const [what, fix] = has("then")
    ? ["a promise", "Put `await` before what gives the session, such as `gate.open()`."]
    : has("answerApproval")
      ? ["a gate", "Open a session with `await gate.open()`, and give that."]
      : [shape.kindOf(given), "Give a session, such as that of `await gate.open()`."];
  throw new SluicegateError("invalid-request", message, {
    why: `Calls are decided in a session, and the one that was given is ${what}.`,
    fix,
  });
}

const isSession = (value: unknown): value is Session =>
  typeof value === "object" && value !== null && "call" in value && "preview" in value && "id" in value;

/**
 * The current session.
 * @throws SluicegateError `no-current-session` outside of one: a missing session never counts as a clean one.
 */
export function currentSession(): Session {
  const session = current.getStore();
  if (session) return session;
  throw new SluicegateError("no-current-session", "There is no current session here.", {
    why: "This code runs outside of `withSession`, `session.call` and `session.run`.",
    fix: "Wrap the agent's turn in `withSession(session, …)`.",
  });
}

/** Runs a tool, and everything that it awaits, as this call. */
export const withCall = <Result>(call: CallContext, run: () => Result): Result => calls.run(call, run);

/**
 * The current call, for tools that get only their arguments: to raise the session, or to report a failure. Null
 * outside of a call.
 */
export const currentCall = (): CallContext | null => calls.getStore() ?? null;
