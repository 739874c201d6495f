/** The gauge of one event: how high the session stood after it, as a strip beside it. */
import type { ReactNode } from "react";
import { useLevels } from "../api/use-lattice.ts";
import { hueOf } from "../text/hue.ts";
import { heightOf } from "../text/label-chip.tsx";
import styles from "./water.module.css";

export interface WaterProps {
  /** The session's, after the event. */
  readonly level: string;
  /** Whether it stands higher than before. */
  readonly isRise: boolean;
}

/** Read by eye alone: what it shows is said beside it. */
export function Water({ level, isRise }: WaterProps): ReactNode {
  const levels = useLevels();
  const height = heightOf(level, levels);
  const share = ((Math.min(height, levels.length) + 0.5) / (levels.length + 1)) * 100;
  const hue = hueOf(height, levels.length);
  return (
    <span className={`${styles.column} ${isRise ? styles.rise : ""}`} aria-hidden="true">
      <i className={hue} style={{ height: `${share}%` }} />
    </span>
  );
}
