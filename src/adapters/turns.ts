/**
 * The order in which calls are decided: of one session one after the other, as they came; of one model step as the
 * model gave them, where an SDK starts them in another order. A turn ends with the decision, not with the call.
 */

/** A place in the queue of a session's decisions. */
export interface Turn {
  /** Resolves when those before it are over. */
  readonly ready: Promise<unknown>;
  /** Lets the next one go. */
  end(): void;
}

/** The last turn of each session that has any; shared by all adapters, so that their calls queue together. */
const last = new Map<string, Promise<unknown>>();

/** Takes the next turn of a session, in this very moment. It must be ended. */
export function takeTurn(session: string): Turn {
  const ready = last.get(session) ?? Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const over = ready.then(() => promise);
  last.set(session, over);
  over.then(() => {
    if (last.get(session) === over) last.delete(session);
  });
  return { ready, end: resolve };
}

/**
 * How long a call waits for those before it in its step. They may never come, since a host can stop them; the calls
 * are then decided as they come, each on what the session holds by then.
 */
const TURN_TIMEOUT_MS = 500;

interface Place {
  readonly id: string;
  readonly gone: Promise<void>;
  go(): void;
}

/** The calls of model steps that haven't come yet; each step, or run of steps, is known by an object of its calls. */
export class StepOrder {
  readonly #places = new WeakMap<object, readonly Place[]>();

  /** The model's next call of a step; called in the order in which the model gave them. */
  expect(step: object, id: string): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const place = { id, gone: promise, go: resolve };
    this.#places.set(step, [...(this.#places.get(step) ?? []), place]);
  }

  /** A call that was expected won't come now. */
  leave(step: object, id: string): void {
    const places = this.#places.get(step) ?? [];
    this.#forget(
      step,
      places.filter((place) => place === places.find((one) => one.id === id)),
    );
  }

  /** Waits for the calls before this one, then does at once what has to be done in order. */
  async inOrder<Value>(step: object, id: string, take: () => Value): Promise<Value> {
    const places = this.#places.get(step) ?? [];
    const index = places.findIndex((one) => one.id === id);
    const before = places.slice(0, Math.max(0, index));
    if (before.length > 0) await within(TURN_TIMEOUT_MS, Promise.all(before.map(({ gone }) => gone)));
    try {
      return take();
    } finally {
      // A client that let a question time out doesn't block another call.
      this.#forget(step, places.slice(0, index + 1));
    }
  }

  #forget(step: object, gone: readonly Place[]): void {
    const left = (this.#places.get(step) ?? []).filter((place) => !gone.includes(place));
    this.#places.set(step, left);
    for (const place of gone) place.go();
  }
}

async function within(milliseconds: number, awaited: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  try {
    await Promise.race([awaited, promise]);
  } finally {
    clearTimeout(timer);
  }
}
