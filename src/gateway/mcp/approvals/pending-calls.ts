/**
 * Calls that go on over several requests of a client, since their server asks something before it gives a result
 * (`input_required`, revision 2026-07-28; clients of older revisions are asked directly). What goes on stays here;
 * the client gets the number of its place and brings it back with the answers.
 *
 * THREAT: the state that a client brings back is hostile. It is a random number that is good once, for the session
 * and the very request that it was given for; there is nothing in it to forge.
 */
import { SluicegateError } from "../../../errors/index.ts";
import { createId, type Random } from "../../../runtime/index.ts";
import type { Answers, ClientLink, Questions } from "../../../runtime/internal.ts";

/** What a request comes to: its result, or questions that the client is to answer and ask again. */
export type RoundResult<Result> =
  | { readonly kind: "result"; readonly result: Result }
  | { readonly kind: "questions"; readonly questions: Questions; readonly state: string };

export interface Round {
  readonly session: string;
  /** What exactly was asked, so that a state serves no other request. */
  readonly binding: string;
  readonly link: Omit<ClientLink, "ask">;
  /** What the client brought back; undefined for a first request. */
  readonly state: string | undefined;
  readonly answers: Answers;
}

const MAX_PER_SESSION = 64;
/** How long a client may take to answer. */
export const CLIENT_ANSWER_TIMEOUT_MS = 10 * 60 * 1000;

interface Waiting {
  readonly conversation: Conversation;
  readonly session: string;
  readonly binding: string;
  readonly timer: NodeJS.Timeout;
}

export class PendingCalls {
  readonly #waiting = new Map<string, Waiting>();
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Begins a call, or goes on with the one whose state was brought back. Rejects with what the call throws. */
  async next<Result>(
    round: Round,
    begin: (link: ClientLink) => Promise<Result>,
  ): Promise<RoundResult<Result>> {
    const conversation = round.state === undefined ? new Conversation() : this.#take(round);
    const turn = conversation.next(round);
    if (round.state === undefined) conversation.begin(begin);
    const outcome = await turn;
    // INVARIANT: a conversation is taken up only by the request that it was begun for, so this is its own result.
    if (outcome.kind === "result") return { kind: "result", result: outcome.result as Result };
    return { ...outcome, state: this.#keep(round, conversation) };
  }

  close(): void {
    for (const { conversation, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      conversation.end("The gateway is closing.");
    }
    this.#waiting.clear();
  }

  #take({ state = "", session, binding }: Round): Conversation {
    const waiting = this.#waiting.get(state);
    if (waiting === undefined || waiting.session !== session || waiting.binding !== binding)
      throw unknownState();
    this.#waiting.delete(state);
    clearTimeout(waiting.timer);
    return waiting.conversation;
  }

  #keep({ session, binding }: Round, conversation: Conversation): string {
    const held = [...this.#waiting].filter(([, waiting]) => waiting.session === session);
    const [oldest] = held.length >= MAX_PER_SESSION ? held : [];
    if (oldest) this.#drop(oldest[0], "Too many questions of this session wait for an answer.");
    const state = createId("state", this.#random);
    const timer = setTimeout(
      () => this.#drop(state, "Its question wasn't answered in time."),
      CLIENT_ANSWER_TIMEOUT_MS,
    );
    timer.unref();
    this.#waiting.set(state, { conversation, session, binding, timer });
    return state;
  }

  #drop(state: string, why: string): void {
    const waiting = this.#waiting.get(state);
    this.#waiting.delete(state);
    if (waiting) clearTimeout(waiting.timer);
    waiting?.conversation.end(why);
  }
}

type Outcome =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "questions"; readonly questions: Questions };

/** One call, and the request of its client that is open at the moment. */
class Conversation {
  readonly #end = new AbortController();
  #link: Omit<ClientLink, "ask"> | null = null;
  /** What the client answered before it was asked; it serves the first questions, where it answers them all. */
  #ready: Answers = {};
  #turn = Promise.withResolvers<Outcome>();
  #answer: PromiseWithResolvers<Answers> | null = null;
  /** What it came to in the end, also where that was while nobody waited. */
  #final: Promise<Outcome> | null = null;
  /** Questions are put one after the other. */
  #asked: Promise<unknown> = Promise.resolve();

  /** Takes up the next request of the client; resolves with what it comes to. */
  next({ link, answers }: Round): Promise<Outcome> {
    if (this.#final !== null) return this.#final;
    this.#turn = Promise.withResolvers();
    this.#link = link;
    const leave = (): void => {
      // A client that only got its questions has not left.
      if (this.#link === link) this.end("The client has gone.");
    };
    link.signal.addEventListener("abort", leave, { once: true });
    if (link.signal.aborted) leave();
    if (this.#answer === null) this.#ready = answers;
    this.#answer?.resolve(answers);
    this.#answer = null;
    return this.#turn.promise;
  }

  begin(run: (link: ClientLink) => Promise<unknown>): void {
    const first = this.#link;
    if (first === null) return;
    const link: ClientLink = {
      ...first,
      signal: this.#end.signal,
      notify: (notice) => this.#link?.notify(notice),
      ask: (questions) => this.#ask(questions),
    };
    const final = run(link).then((result): Outcome => ({ kind: "result", result }));
    const settle = (): void => {
      this.#final = final;
      this.#turn.resolve(final);
    };
    final.then(settle, settle);
  }

  end(why: string): void {
    const reason = new Error(why);
    this.#end.abort(reason);
    this.#answer?.reject(reason);
    this.#answer = null;
  }

  #ask(questions: Questions): Promise<Answers> {
    const asked = this.#asked.then(() => {
      this.#end.signal.throwIfAborted();
      const ready = this.#ready;
      this.#ready = {};
      const keys = Object.keys(questions);
      if (keys.length > 0 && keys.every((key) => Object.hasOwn(ready, key))) return ready;
      const answer = Promise.withResolvers<Answers>();
      this.#answer = answer;
      this.#link = null;
      this.#turn.resolve({ kind: "questions", questions });
      return answer.promise;
    });
    this.#asked = asked.catch(() => {});
    return asked;
  }
}

export const unknownState = (): SluicegateError =>
  new SluicegateError("invalid-request", "The request's state can't be used.", {
    why: "It is unknown, used up or expired, or was given for another request or session.",
    fix: "Send the request again without `requestState` and `inputResponses`.",
  });
