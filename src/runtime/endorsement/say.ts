/** The user's own words, as the journal stores them. They come from the host or an operator, never from an agent. */
import type { Policy, SessionEvent, SessionState, Utterance } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { SessionScope } from "../calls/raise-label.ts";
import { currentCall } from "../current-session.ts";
import type { Session } from "../session.ts";
import type { WordTokens } from "./words.ts";

/** Words and quotes of a session that count; this limits memory. */
const MAX_WORDS = 50_000;

type SaidEvent = Extract<SessionEvent, { readonly kind: "words-said" }>;

/** The event for a text: nothing if the policy compares no call with the user's words. */
export function wordsSaid({ endorsement }: Policy, tokens: WordTokens, text: string): readonly SaidEvent[] {
  const utterances = endorsement.isUsed ? tokens.utterances(text) : [];
  return utterances.length === 0 ? [] : [{ kind: "words-said", utterances }];
}

/**
 * Adds what the user said to a session. Durable when it resolves.
 * @throws SluicegateError `session-closed`; `invalid-request` for a fork, whose user speaks in its first session;
 *   `limit-reached` for too many words.
 */
export async function sayWords({ gate, ledger }: SessionScope, text: string): Promise<void> {
  const events = wordsSaid(gate.policy(), gate.admission.words, text);
  if (events.length === 0) return assertTakesWords(ledger.state);
  await ledger.commit((state) => {
    assertTakesWords(state);
    return { events: unsaid(state, events), value: undefined };
  });
}

/** Removes what the user has said already: a host may send the same text with each request. */
function unsaid({ words }: SessionState, events: readonly SaidEvent[]): readonly SaidEvent[] {
  const known = new Set(words.utterances.map(toKey));
  return events.flatMap((event) => {
    const utterances = event.utterances.filter((utterance) => !known.has(toKey(utterance)));
    return utterances.length === 0 ? [] : [{ ...event, utterances }];
  });
}

const toKey = (utterance: Utterance): string => utterance.map((forms) => forms.join("|")).join(" ");

function assertTakesWords({ closed: isClosed, parent, words }: SessionState): void {
  if (isClosed) throw closed();
  if (parent !== null) throw noUser();
  const count = words.utterances.reduce((sum, { length }) => sum + length, 0);
  if (count > MAX_WORDS) throw tooMany();
}

const closed = (): SluicegateError =>
  new SluicegateError("session-closed", "This session is closed.", {
    why: "Its operator has reset or ended it.",
    fix: "Use the session that a reset opened, or open a new one.",
  });

const noUser = (): SluicegateError =>
  new SluicegateError("invalid-request", "The words can't be added.", {
    why: "The session is a fork: whatever is said to it comes from an agent.",
    fix: "Say them to the session that was opened for the user.",
  });

const tooMany = (): SluicegateError =>
  new SluicegateError("limit-reached", "The words can't be added.", {
    why: `A session keeps ${MAX_WORDS} words of its user.`,
    fix: "Open another session for another task.",
  });

/**
 * Adds the prompt with which a host starts a run to the user's words of its session. One with too many words still runs,
 * and endorses nothing.
 */
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
