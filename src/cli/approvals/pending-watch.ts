/** Runs the live view: asks each second what waits, draws it, takes keys, sends answers. */
import { SluicegateError } from "../../errors/index.ts";
import { type Part, styled } from "../terminal/terminal.ts";
import { outcomeWords } from "./approval-words.ts";
import { type ApprovalsSource, isWaiting } from "./approvals-source.ts";
import type { WireApproval } from "./parse-approval.ts";
import { type Frame, frameOf } from "./pending-frame.ts";
import { type Effect, emptyView, type Key, step, type View, type ViewEvent } from "./pending-view.ts";
import { openScreen, type Screen, type ScreenStreams } from "./screen.ts";

const POLL_MS = 1000;
const steadyClock = (): number => performance.now();

/**
 * Shows what waits until the person leaves, or `ended` resolves. The terminal is given back in every case.
 * @throws SluicegateError where approvals can't be looked at any more.
 */
export async function watchPending(
  source: ApprovalsSource,
  streams: ScreenStreams,
  ended: Promise<unknown>,
  now: () => number = steadyClock,
): Promise<void> {
  const { promise: left, resolve, reject } = Promise.withResolvers<void>();
  const watch = new PendingWatch(source, streams, { leave: resolve, fail: reject, now });
  try {
    watch.start();
    await Promise.race([left, ended]);
  } finally {
    watch.stop();
  }
}

interface WatchContext {
  readonly leave: () => void;
  readonly fail: (cause: unknown) => void;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
}

class PendingWatch {
  readonly #source: ApprovalsSource;
  readonly #context: WatchContext;
  readonly #screen: Screen;
  #view: View = emptyView;
  #frame: Frame | null = null;
  #isDrawing = false;
  #timer: NodeJS.Timeout | undefined;
  #isOpen = true;

  constructor(source: ApprovalsSource, streams: ScreenStreams, context: WatchContext) {
    this.#source = source;
    this.#context = context;
    this.#screen = openScreen(streams, {
      key: (key) => this.#press(key),
      resized: () => this.#take({ kind: "resized" }),
      ended: context.leave,
    });
  }

  start(): void {
    this.#draw();
    this.#poll().catch(this.#context.fail);
  }

  stop(): void {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    this.#screen.close();
  }

  async #poll(): Promise<void> {
    await this.#list();
    if (this.#isOpen) this.#timer = setTimeout(() => void this.#poll().catch(this.#context.fail), POLL_MS);
  }

  async #list(): Promise<void> {
    try {
      this.#take({ kind: "listed", approvals: await this.#source.pending() });
    } catch (cause) {
      // What may pass is told, and tried again.
      if (!SluicegateError.isInstance(cause) || !MAY_PASS.has(cause.code)) throw cause;
      this.#take({ kind: "told", word: failed(cause) });
    }
  }

  #press(key: Key): void {
    if (this.#frame === null) return;
    this.#take({ kind: "key", key, now: this.#context.now(), page: this.#frame.page });
  }

  #take(event: ViewEvent): void {
    if (!this.#isOpen) return;
    const { view, effects } = step(this.#view, event);
    this.#view = view;
    for (const effect of effects) this.#carryOut(effect).catch(this.#context.fail);
    this.#draw();
  }

  /** Draws the view as it is; what changes meanwhile is drawn afterwards. */
  #draw(): void {
    if (this.#isDrawing || !this.#isOpen) return;
    this.#isDrawing = true;
    const drawn = this.#view;
    this.#drawOnce(drawn)
      .then(() => {
        this.#isDrawing = false;
        if (this.#view !== drawn) this.#draw();
      })
      .catch(this.#context.fail);
  }

  async #drawOnce(view: View): Promise<void> {
    const frame = frameOf(view, this.#source.place, this.#screen.size, new Date());
    this.#frame = frame;
    await this.#screen.draw(frame.lines);
    if (frame.revision === null) return;
    const { revision, isEnd } = frame;
    this.#view = step(this.#view, { kind: "drawn", revision, isEnd, now: this.#context.now() }).view;
  }

  async #carryOut(effect: Effect): Promise<void> {
    if (effect.kind === "leave") this.#context.leave();
    else if (effect.kind === "gone") await this.#tellOutcome(effect.approval);
    else await this.#answer(effect);
  }

  async #tellOutcome(approval: WireApproval): Promise<void> {
    const found = await this.#source.find(approval.id).catch((cause: unknown) => toError(cause));
    if (found instanceof SluicegateError) return this.#take({ kind: "told", word: failed(found) });
    const words = isWaiting(found) ? "it waits behind another one" : outcomeWords(found);
    this.#take({ kind: "told", word: styled("yellow", `${nameOf(approval)}: ${words}`) });
  }

  async #answer({ approval, answer, why }: Effect & { kind: "answer" }): Promise<void> {
    const { id } = approval;
    try {
      const outcome = await this.#source.answer(id, { answer, ...(why !== undefined && { why }) });
      // What has come to its place is shown next, from the same session where there is more of it.
      await this.#list();
      const tone = outcome.status === "approved" ? "green" : "red";
      this.#take({ kind: "answered", id, word: styled(tone, `${nameOf(approval)}: ${outcome.status}`) });
    } catch (cause) {
      const error = toError(cause);
      this.#take({ kind: "failed", id, word: failed(error) });
      await this.#list();
      if (error.code === "approval-settled") await this.#tellOutcome(approval);
    }
  }
}

/** What another moment may fix: a gateway that starts again, a store that is locked. */
const MAY_PASS: ReadonlySet<string> = new Set(["not-ready", "store-failed", "rate-limited", "internal"]);

const nameOf = ({ tool, principal }: WireApproval): string => `${tool} for ${principal}`;
const failed = (error: SluicegateError): Part => styled("red", `${error.message} ${error.why}`);

function toError(cause: unknown): SluicegateError {
  if (SluicegateError.isInstance(cause)) return cause;
  throw cause;
}
