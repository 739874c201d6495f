/** Playing a plan: the present step, and the end. */

export interface Playback {
  /** The step that was played last, from 0. */
  readonly at: number;
  readonly isRunning: boolean;
}

/** How long each step is shown. */
export const STEP_MS = 700;

/** The first step; null if there is none. */
export const begin = (steps: number): Playback | null => (steps === 0 ? null : { at: 0, isRunning: true });

/** The next step; the last one stays. */
export const advance = ({ at }: Playback, steps: number): Playback =>
  at + 1 < steps ? { at: at + 1, isRunning: true } : { at, isRunning: false };
