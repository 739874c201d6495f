/** The current session, carried by async context, so that tools needn't be handed it. */
import { AsyncLocalStorage } from "node:async_hooks";
import { SluicegateError } from "../errors/index.ts";
import type { CallContext } from "./run-call.ts";
import type { Session } from "./session.ts";

const current = new AsyncLocalStorage<Session>();
const calls = new AsyncLocalStorage<CallContext>();

/** Runs a function, and all that it awaits, with this session as the current one. */
export const withSession = <Result>(session: Session, run: () => Result): Result => current.run(session, run);

/**
 * The current session.
 * @throws SluicegateError `no-current-session` outside of one: a missing session is never taken for a clean one.
 */
export function currentSession(): Session {
  const session = current.getStore();
  if (session) return session;
  throw new SluicegateError("no-current-session", "There is no current session here.", {
    why: "This code runs outside of `withSession`, `session.call` and `session.run`.",
    fix: "Wrap the agent's turn in `withSession(session, …)`.",
  });
}

/** Runs a tool, and all that it awaits, as this call. */
export const withCall = <Result>(call: CallContext, run: () => Result): Result => calls.run(call, run);

/**
 * The call that runs here, for tools that are handed nothing but their arguments: to raise the session by what they
 * find, or to say that they failed. Null outside of a call.
 */
export const currentCall = (): CallContext | null => calls.getStore() ?? null;
