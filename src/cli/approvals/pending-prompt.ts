/** Lists on a terminal what waits, shows the one that a person chooses, and takes the answer, until the person leaves. */
import { createInterface, type Interface } from "node:readline/promises";
import { setInterval } from "node:timers/promises";
import { SluicegateError } from "../../errors/index.ts";
import { printLines, styled } from "../terminal/terminal.ts";
import type { Line } from "../terminal/wrap-line.ts";
import { settle } from "./answer.ts";
import {
  appealLines,
  approvalLines,
  behindWords,
  callerWords,
  clearedWords,
  expiryWords,
  outcomeWords,
  standingLines,
} from "./approval-words.ts";
import { type ApprovalsSource, isWaiting, MAX_WHY_LENGTH, type TerminalAnswer } from "./approvals-source.ts";
import type { WireAppeal, WireApproval, WireOutcome, WireStanding } from "./parse-approval.ts";

export interface TerminalStreams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

const POLL_MS = 1000;
/** What another moment may fix: a gateway that starts again, a store that is locked. */
const MAY_PASS: ReadonlySet<string> = new Set(["not-ready", "store-failed", "rate-limited", "internal"]);

/**
 * Asks about what waits until the person leaves, or `ended` resolves.
 * @throws SluicegateError where approvals can't be examined any more.
 */
export async function promptPending(
  source: ApprovalsSource,
  streams: TerminalStreams,
  ended: Promise<unknown>,
): Promise<void> {
  const terminal = createInterface(streams);
  const left = new AbortController();
  terminal.once("close", () => left.abort());
  ended.then(() => left.abort()).catch(() => {});
  const prompt = new PendingPrompt(source, terminal, streams.output, left.signal);
  try {
    while (!left.signal.aborted) if (!(await prompt.askOnce())) break;
  } catch (cause) {
    if (!left.signal.aborted) throw cause;
  } finally {
    terminal.close();
  }
}

/** What waits, or why that can't be said just now. */
interface Listing {
  readonly approvals: readonly WireApproval[];
  readonly appeals: readonly WireAppeal[];
  readonly standing: readonly WireStanding[] | null;
  readonly problem: string | null;
}

class PendingPrompt {
  readonly #source: ApprovalsSource;
  readonly #terminal: Interface;
  readonly #output: NodeJS.WriteStream;
  readonly #left: AbortSignal;

  constructor(source: ApprovalsSource, terminal: Interface, output: NodeJS.WriteStream, left: AbortSignal) {
    this.#source = source;
    this.#terminal = terminal;
    this.#output = output;
    this.#left = left;
  }

  /** Lists what waits and takes one choice; false where the person leaves. */
  async askOnce(): Promise<boolean> {
    const listing = await this.#list();
    this.#print(listLines(this.#source.place, listing));
    const { approvals } = listing;
    const hasGone = approvals.some((one) => one.caller_gone);
    const clears = hasGone ? "`clear` denies all whose caller has gone; " : "";
    const question =
      approvals.length === 0 ? "q leaves: " : `The number of the one to see; ${clears}q leaves: `;
    const typed = await this.#ask(question, (now) => contentOf(now) !== contentOf(listing));
    if (typed === "q") return false;
    if (typed === "clear" && hasGone) await this.#clear();
    const chosen = approvals[Number(typed) - 1];
    if (chosen !== undefined) await this.#judge(chosen);
    return true;
  }

  async #clear(): Promise<void> {
    const denied = await this.#attempt(() => this.#source.denyDeparted());
    if (denied !== null) this.#print([[clearedWords(denied.length)]]);
  }

  async #judge({ id, alike }: WireApproval): Promise<void> {
    const found = await this.#attempt(() => this.#source.find(id));
    if (found === null || !isWaiting(found)) return this.#tellEnded(found);
    this.#print([[], ...approvalLines(found), [styled("yellow", expiryWords(found.expires_at, new Date()))]]);
    const isOver = ({ approvals, problem }: Listing): boolean =>
      problem === null && approvals.every((one) => one.id !== id);
    const { proposal } = found;
    const typed = await this.#ask(questionOf(proposal !== null, alike), isOver);
    if (typed === "together" && alike > 0) return this.#judgeTogether(id);
    const such = typed === "approve such" ? (proposal?.standing ?? null) : null;
    const answer = answerOf(typed, such === null ? "approve" : "approve such", "deny");
    if (typed !== null && answer === null) return;
    const why = typed && (await this.#ask("Why, for the journal? Enter leaves it out: ", isOver));
    if (answer === null || why === null)
      return this.#tellEnded(await this.#attempt(() => this.#source.find(id)));
    const given = { ...toGiven(answer, why), ...(such && { standing: such }) };
    this.#tellEnded(await this.#attempt(() => settle(this.#source, id, given)));
  }

  /** Shows each of those that are alike, and answers them one after another. */
  async #judgeTogether(id: string): Promise<void> {
    const all = await this.#attempt(() => this.#source.alike(id));
    if (all === null) return;
    const ids = new Set(all.map((one) => one.id));
    this.#print(
      all.flatMap((one, at) => [
        [],
        [styled("bold", `${at + 1} of ${all.length}`)],
        ...approvalLines(one),
        [styled("yellow", expiryWords(one.expires_at, new Date()))],
      ]),
    );
    const isOver = ({ approvals, problem }: Listing): boolean =>
      problem === null && approvals.every((one) => !ids.has(one.id));
    const typed = await this.#ask(
      `\`approve all\` ${all.length} or \`deny all\`; anything else goes back: `,
      isOver,
    );
    const answer = answerOf(typed, "approve all", "deny all");
    if (answer === null) return;
    const why = await this.#ask("Why, for the journal? Enter leaves it out: ", isOver);
    if (why === null) return;
    for (const one of ids) {
      const outcome = await this.#attempt(() => settle(this.#source, one, toGiven(answer, why)));
      // After a failure the others may fail too; they are listed again.
      if (outcome === null) return;
      this.#tellEnded(outcome);
    }
  }

  #tellEnded(found: WireApproval | WireOutcome | null): void {
    if (found === null) return;
    if (isWaiting(found)) this.#print([[styled("yellow", "It waits behind another one of its session.")]]);
    else this.#print([[styled(found.status === "approved" ? "green" : "red", outcomeWords(found))]]);
  }

  /** What was typed; null where `isStale` says that it is asked about what is no more. */
  async #ask(question: string, isStale: (listing: Listing) => boolean): Promise<string | null> {
    const stale = new AbortController();
    const signal = AbortSignal.any([this.#left, stale.signal]);
    const watching = this.#untilStale(isStale, signal).finally(() => stale.abort());
    try {
      return (await this.#terminal.question(question, { signal })).trim();
    } catch (cause) {
      if (!stale.signal.aborted || this.#left.aborted) throw cause;
      this.#output.write("\n");
      return null;
    } finally {
      stale.abort();
      await watching;
    }
  }

  /** Looks again each second, and disturbs nobody who types. */
  async #untilStale(isStale: (listing: Listing) => boolean, signal: AbortSignal): Promise<void> {
    try {
      for await (const _ of setInterval(POLL_MS, null, { signal }))
        if (this.#terminal.line === "" && isStale(await this.#list())) return;
    } catch (cause) {
      if (!signal.aborted) throw cause;
    }
  }

  async #list(): Promise<Listing> {
    try {
      const [approvals, standing, appeals] = await Promise.all([
        this.#source.pending(),
        this.#source.standing(),
        this.#source.appeals(),
      ]);
      return { approvals, standing, appeals, problem: null };
    } catch (cause) {
      if (!SluicegateError.isInstance(cause) || !MAY_PASS.has(cause.code)) throw cause;
      return { approvals: [], standing: null, appeals: [], problem: wordsOf(cause) };
    }
  }

  /** What came of it; null where it failed, once that was said. */
  async #attempt<Done>(act: () => Promise<Done>): Promise<Done | null> {
    try {
      return await act();
    } catch (cause) {
      if (!SluicegateError.isInstance(cause)) throw cause;
      this.#print([[styled("red", wordsOf(cause))]]);
      return null;
    }
  }

  #print(lines: readonly Line[]): void {
    printLines(lines, this.#output);
  }
}

function listLines(place: string, { approvals, standing, appeals, problem }: Listing): readonly Line[] {
  const head: Line = [styled("bold", "Approvals"), ` at ${place}`];
  if (problem !== null) return [[], head, [styled("red", problem)]];
  const waiting = approvals.length === 0 ? [["Nothing waits for a person."]] : approvals.map(choiceLine);
  return [[], head, ...waiting, ...standingLines(standing, new Date()), ...appealLines(appeals)];
}

const answerOf = (typed: string | null, yes: string, no: string): TerminalAnswer["answer"] | null =>
  typed === yes ? "approved" : typed === no ? "denied" : null;

const toGiven = (answer: TerminalAnswer["answer"], why: string): TerminalAnswer => ({
  answer,
  ...(why !== "" && { why: why.slice(0, MAX_WHY_LENGTH) }),
});

/** What may be answered to the approval that was shown. */
function questionOf(hasProposal: boolean, alike: number): string {
  const such = hasProposal ? ", `approve such` as proposed," : "";
  const together = alike > 0 ? `, \`together\` shows it with the ${alike} like it` : "";
  return `\`approve\`${such} or \`deny\`${together}; anything else goes back: `;
}

const choiceLine = (approval: WireApproval, index: number): Line => [
  `${String(index + 1).padStart(3)}  `,
  ...(approval.release ? [styled("red", "RELEASE  ")] : []),
  styled("bold", approval.tool),
  `  for ${approval.principal}  `,
  styled("yellow", expiryWords(approval.expires_at, new Date())),
  `  ${[behindWords(approval), callerWords(approval)].filter(Boolean).join("  ")}`,
];

/** The parts of a list whose change is worth printing it again. */
const contentOf = ({ approvals, standing, appeals, problem }: Listing): string =>
  JSON.stringify([
    approvals.map(({ id, waiting_behind, caller_gone }) => [id, waiting_behind, caller_gone]),
    standing?.map(({ id, used }) => [id, used]),
    appeals.map(({ call_id }) => call_id),
    problem,
  ]);

const wordsOf = ({ message, why }: SluicegateError): string => `${message} ${why}`;
