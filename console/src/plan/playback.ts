/** A plan that is played: which step it has come to, and when it is over. */

export interface Playback {
  /** The step that has just run, from 0. */
  readonly at: number;
  readonly isRunning: boolean;
}

/** How long each step is shown. */
export const STEP_MS = 700;

/** From the first step; null where there is none. */
export const begin = (steps: number): Playback | null => (steps === 0 ? null : { at: 0, isRunning: true });

/** A step further; at the end it stays at the last. */
export const advance = ({ at }: Playback, steps: number): Playback =>
  at + 1 < steps ? { at: at + 1, isRunning: true } : { at, isRunning: false };
