/** Plays a plan, a step after the other. */
import { useCallback, useEffect, useState } from "react";
import { advance, begin, type Playback, STEP_MS } from "./playback.ts";

export interface Player {
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
