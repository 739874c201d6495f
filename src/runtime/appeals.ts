/**
 * Appeals: an agent's sentence about a refused call, which a person sees. It grants nothing. The sentence may contain
 * what the session has read, so it is stored beside the journal; the journal records only the appeal and the label.
 */
import type { Label, SessionState } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import { parseJson } from "../json/parse-json.ts";
import { toVisible } from "../json/visible-json.ts";
import type { SessionScope } from "./calls/raise-label.ts";
import { assertGiven } from "./option-shapes.ts";
import { toTimestamp } from "./ports/clock.ts";
import type { Store } from "./ports/store.ts";
import { closedSession } from "./runs/fork-session.ts";
import { IMPOSSIBLE_KEY } from "./seed-api/report-impossible.ts";

/** What an agent says about a refused call. */
export interface AppealGiven {
  /** The `callId` of the decision that refused it. */
  readonly callId: string;
  /** One sentence, of at most 500 characters. */
  readonly text: string;
}

/** An appeal as it is shown to people. */
export interface Appeal {
  readonly session: string;
  readonly labelHolder: string;
  readonly principal: string;
  readonly call: string;
  /** The identity of its tool. */
  readonly tool: string;
  /** The agent's own words. */
  readonly text: string;
  /** The session's label, which applies to the words too. */
  readonly label: Label;
  /** RFC 3339. */
  readonly at: string;
}

/** In characters. */
export const MAX_APPEAL_LENGTH = 500;
/** Of a session, and of a fork that shares its label. */
const MAX_APPEALS = 20;
const MAX_FORK_APPEALS = 2;

const KEY = "appeal:";

/** The keys under which a session's appeals are stored. They are deleted with the session. */
export const agentWordKeys = ({ refusals }: SessionState): readonly string[] => [
  IMPOSSIBLE_KEY,
  ...refusals.appealed.map((call) => KEY + call),
];

/** Records an appeal. Durable when it resolves. Throws as `Session.appeal` does. */
export async function appealRefusal(
  { ledger }: Pick<SessionScope, "ledger">,
  given: AppealGiven,
): Promise<void> {
  assertGiven("appeal", given);
  const text = toSentence(given.text);
  await ledger.refresh();
  await ledger.commit((state, now) => {
    const { call, tool } = findRefused(state, given.callId);
    const { session, labelHolder } = ledger;
    const { principal, label } = state;
    const at = toTimestamp(now);
    const appeal: Appeal = { session, labelHolder, principal, call, tool, text, label, at };
    return {
      events: [{ kind: "refusal-appealed", call, tool, label }],
      keep: [{ key: KEY + call, value: JSON.stringify(appeal) }],
      value: undefined,
    };
  });
}

function findRefused(state: SessionState, id: string): SessionState["refusals"]["open"][number] {
  const { refusals, closed, shares } = state;
  if (closed) throw closedSession();
  const most = shares === null ? MAX_APPEALS : MAX_FORK_APPEALS;
  if (refusals.appealed.includes(id)) throw appealed();
  const found = refusals.open.find(({ call }) => call === id);
  if (found === undefined) throw notRefused();
  if (refusals.appealed.length >= most) throw tooMany(most);
  return found;
}

/** One line of visible characters. */
function toSentence(text: string): string {
  const sentence = text.trim().replaceAll(/\s+/g, " ");
  if (sentence.length > 0 && sentence.length <= MAX_APPEAL_LENGTH && toVisible(sentence) === sentence)
    return sentence;
  throw new SluicegateError("invalid-request", "The appeal can't be recorded.", {
    why: `Its text must have 1 to ${MAX_APPEAL_LENGTH} characters, all of them visible.`,
    fix: "Say in one sentence why the call should run.",
  });
}

const appealed = (): SluicegateError =>
  new SluicegateError("invalid-request", "The appeal can't be recorded.", {
    why: "That refusal was appealed already.",
    fix: "Go on with what you can do; a person sees the appeal.",
  });

const notRefused = (): SluicegateError =>
  new SluicegateError("call-not-found", "There is no such refused call in this session.", {
    why: "The id is malformed, the call wasn't refused or was refused long ago, or it belongs to another session.",
    fix: "Use the `call_id` of a decision that refused a call lately.",
  });

const tooMany = (most: number): SluicegateError =>
  new SluicegateError("limit-reached", "The appeal can't be recorded.", {
    why: `A session may appeal ${most} times.`,
    fix: "Go on with what you can do; a person sees the appeals that there are.",
  });

/** How long an appeal is listed. */
const LISTED_MS = 24 * 60 * 60 * 1000;
const MAX_LISTED = 50;
/** Per label holder, so that no agent can hide another's appeals. */
const MAX_OF_ONE = 3;
const PAGE = 500;

/** The appeals in a store. */
export class Appeals {
  readonly #store: Store;
  /** Entries up to this position are too old to be listed. */
  #over = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Those of the last day, newest first, a few of each label holder. */
  async newest(now: Date): Promise<readonly Appeal[]> {
    const since = toTimestamp(new Date(now.getTime() - LISTED_MS));
    const found: Appeal[] = [];
    for (let after = this.#over; ; ) {
      const page = await this.#store.keptWith(KEY, PAGE, after);
      for (const { value, position } of page) {
        const appeal = parseJson<Appeal>(value);
        if (appeal.at >= since) found.push(appeal);
        else if (found.length === 0) this.#over = position;
        after = position;
      }
      if (page.length < PAGE) break;
    }
    const listed = new Map<string, number>();
    const few = found.reverse().filter(({ labelHolder }) => {
      const count = listed.get(labelHolder) ?? 0;
      listed.set(labelHolder, count + 1);
      return count < MAX_OF_ONE;
    });
    return few.slice(0, MAX_LISTED);
  }

  /** The words of one appeal; null if they were deleted with their session. */
  async words(session: string, call: string): Promise<string | null> {
    const value = await this.#store.kept(session, KEY + call);
    if (value === null) return null;
    const appeal = parseJson<Appeal>(value);
    return appeal.text;
  }
}
