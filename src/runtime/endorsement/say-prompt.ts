/** The prompt with which a host starts a run, as the user's words of its session. */
import { SluicegateError } from "../../errors/index.ts";
import { currentCall } from "../current-session.ts";
import type { Session } from "../session.ts";

/** Adds the prompt to the user's words. A prompt with too many words still runs, and endorses nothing. */
export async function sayPrompt(session: Session, prompt: string): Promise<void> {
  const { closed, parent } = session.state;
  // THREAT: an agent wrote the words of a run that a tool starts, or that starts in a fork.
  if (prompt.trim() === "" || closed || parent !== null || currentCall() !== null) return;
  try {
    await session.say(prompt);
  } catch (cause) {
    if (!(cause instanceof SluicegateError && cause.code === "limit-reached")) throw cause;
  }
}
