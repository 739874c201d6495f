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
const PATIENCE_MS = 2000;

interface Place {
  readonly id: string;
  readonly arrived: Promise<void>;
  arrive(): void;
}

/** The calls of model steps, each step known by an object that all of its calls have. */
export class StepOrder {
  readonly #steps = new WeakMap<object, { readonly places: Place[]; begun: boolean }>();

  /** The model's next call of a step; called in the order in which the model gave them. */
  expect(step: object, id: string): void {
    const known = this.#steps.get(step);
    const { promise, resolve } = Promise.withResolvers<void>();
    const place = { id, arrived: promise, arrive: resolve };
    // Once a call has come the list is whole; what is expected then belongs to the next step.
    if (known && !known.begun) known.places.push(place);
    else this.#steps.set(step, { places: [place], begun: false });
  }

  /** Waits for the calls before this one, then does what has to be done in order, which is not awaited. */
  async inOrder<Value>(step: object, id: string, take: () => Value): Promise<Value> {
    const known = this.#steps.get(step);
    const index = known?.places.findIndex((one) => one.id === id) ?? -1;
    const place = known?.places[index];
    if (known === undefined || place === undefined) return take();
    known.begun = true;
    const before = known.places.slice(0, index);
    if (before.length > 0) await within(PATIENCE_MS, Promise.all(before.map(({ arrived }) => arrived)));
    try {
      return take();
    } finally {
      place.arrive();
    }
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
