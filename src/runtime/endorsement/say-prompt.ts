/** The prompt that an agent's host begins a run with, as the user's words of its session. */
import { SluicegateError } from "../../errors/index.ts";
import { currentCall } from "../current-session.ts";
import type { Session } from "../session.ts";

/**
 * Adds the prompt to the user's words where it is the user's. A prompt of more words than a session keeps runs all the
 * same, and endorses nothing.
 */
export async function sayPrompt(session: Session, prompt: string): Promise<void> {
  const { closed, parent } = session.state;
  // THREAT: what a tool begins, and what is begun in a fork, has words that an agent wrote.
  if (prompt.trim() === "" || closed || parent !== null || currentCall() !== null) return;
  try {
    await session.say(prompt);
  } catch (cause) {
    if (!(cause instanceof SluicegateError && cause.code === "limit-reached")) throw cause;
  }
}
