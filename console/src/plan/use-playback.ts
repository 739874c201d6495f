/** Plays a plan, a step after the other. */
import { useCallback, useEffect, useState } from "react";

interface Player {
  /** Null if the present state is shown. */
  readonly playback: Playback | null;
  /** From the first step, even if it is playing already. */
  readonly play: () => void;
  /** Back to the present state. */
  readonly stop: () => void;
}

export function usePlayback(steps: number, onEnd: () => void): Player {
  const [playback, setPlayback] = useState<Playback | null>(null);
  useEffect(() => {
    if (!playback?.isRunning) return;
    const timer = setTimeout(() => {
      const next = advance(playback, steps);
      setPlayback(next);
      if (!next.isRunning) onEnd();
    }, STEP_MS);
    return () => clearTimeout(timer);
  }, [playback, steps, onEnd]);
  const play = useCallback(() => setPlayback(begin(steps)), [steps]);
  const stop = useCallback(() => setPlayback(null), []);
  return { playback, play, stop };
}

export interface Playback {
  /** The step that was played last, from 0. */
  readonly at: number;
  readonly isRunning: boolean;
}

/** How long each step is shown. */
const STEP_MS = 700;

/** The first step; null if there is none. */
export const begin = (steps: number): Playback | null => (steps === 0 ? null : { at: 0, isRunning: true });

/** The next step; the last one stays. */
export const advance = ({ at }: Playback, steps: number): Playback =>
  at + 1 < steps ? { at: at + 1, isRunning: true } : { at, isRunning: false };
