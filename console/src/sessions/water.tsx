/** The gauge of one event: the session's level after it, as a strip. */
import type { ReactNode } from "react";
import { useLevels } from "../api/use-lattice.ts";
import { heightOf, hueOf } from "../text/label-chip.tsx";
import styles from "./water.module.css";

export interface WaterProps {
  /** The session's level after the event. */
  readonly level: string;
  /** Whether it is higher than before. */
  readonly isRise: boolean;
}

/** Hidden from screen readers, which get the text beside it. */
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
