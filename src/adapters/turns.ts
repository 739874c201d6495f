/**
 * The order of decisions: those of one session one after the other; those of one model step in the model's order,
 * even if an SDK starts the calls in another. A turn ends with the decision, not with the call.
 */

/** A turn in the queue of a session's decisions. */
interface Turn {
  /** Resolves when the turns before it are over. */
  readonly ready: Promise<unknown>;
  /** Lets the next one start. */
  end(): void;
}

/** The last turn of each session; shared by all adapters, so that their calls queue together. */
const last = new Map<string, Promise<unknown>>();

/** Takes the next turn of a session, at once. It must be ended. */
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
 * How long a call waits for those before it in its step. They may never come, since a host can stop them; then calls
 * are decided as they come, by the session's label at that moment.
 */
const TURN_TIMEOUT_MS = 500;

interface Place {
  readonly id: string;
  readonly gone: Promise<void>;
  go(): void;
}

/** The expected calls of model steps; each step, or run of steps, is identified by an object of its calls. */
export class StepOrder {
  readonly #places = new WeakMap<object, readonly Place[]>();

  /** Adds the model's next call of a step, in the model's order. */
  expect(step: object, id: string): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const place = { id, gone: promise, go: resolve };
    this.#places.set(step, [...(this.#places.get(step) ?? []), place]);
  }

  /** An expected call won't come. */
  leave(step: object, id: string): void {
    const places = this.#places.get(step) ?? [];
    this.#forget(
      step,
      places.filter((place) => place === places.find((one) => one.id === id)),
    );
  }

  /** Waits for the calls before this one, then runs `take` at once. */
  async inOrder<Value>(step: object, id: string, take: () => Value): Promise<Value> {
    const places = this.#places.get(step) ?? [];
    const index = places.findIndex((one) => one.id === id);
    const before = places.slice(0, Math.max(0, index));
    if (before.length > 0) await within(TURN_TIMEOUT_MS, Promise.all(before.map(({ gone }) => gone)));
    try {
      return take();
    } finally {
      // A client whose question timed out doesn't block another call.
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
