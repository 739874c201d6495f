/**
 * Calls that span several requests of a client, because their server asks something before it returns a result
 * (`input_required`, revision 2026-07-28; clients of older revisions are asked directly). The running call stays
 * here; the client gets its number and returns it with the answers.
 * THREAT: the state that a client returns may be forged. It is a random number that works once, for the session and
 * the exact request for which it was issued.
 */
import { SluicegateError } from "../../../errors/index.ts";
import { createId, type Random } from "../../../runtime/index.ts";
import type { Answers, ClientLink, Questions } from "../../../runtime/internal.ts";

/** The outcome of a request: its result, or questions that the client must answer in a further request. */
export type RoundResult<Result> =
  | { readonly kind: "result"; readonly result: Result }
  | { readonly kind: "questions"; readonly questions: Questions; readonly state: string };

export interface Round {
  readonly session: string;
  /** The exact request, so that a state works for no other one. */
  readonly binding: string;
  readonly link: Omit<ClientLink, "ask">;
  /** The state from the client; undefined in a first request. */
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

  /** Starts a call, or continues the one of the returned state. Rejects with the call's error. */
  async next<Result>(
    round: Round,
    begin: (link: ClientLink) => Promise<Result>,
  ): Promise<RoundResult<Result>> {
    const conversation = round.state === undefined ? new Conversation() : this.#take(round);
    const turn = conversation.next(round);
    if (round.state === undefined) conversation.begin(begin);
    const outcome = await turn;
    // INVARIANT: only its own request can continue a call, so this result belongs to it.
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

/** One call, and the present request of its client. */
class Conversation {
  readonly #end = new AbortController();
  #link: Omit<ClientLink, "ask"> | null = null;
  /** Answers that came before their questions; they serve the first questions, if they answer all of them. */
  #ready: Answers = {};
  #turn = Promise.withResolvers<Outcome>();
  #answer: PromiseWithResolvers<Answers> | null = null;
  /** The final outcome, even if no request was waiting for it. */
  #final: Promise<Outcome> | null = null;
  /** Questions are asked one after the other. */
  #asked: Promise<unknown> = Promise.resolve();

  /** Continues with the client's next request; resolves with the outcome of that. */
  next({ link, answers }: Round): Promise<Outcome> {
    if (this.#final !== null) return this.#final;
    this.#turn = Promise.withResolvers();
    this.#link = link;
    const leave = (): void => {
      // A client that got questions hasn't left, nor has one that got its result.
      if (this.#link === link && this.#final === null) this.end("The client has gone.");
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
