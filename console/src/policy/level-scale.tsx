/** The policy's levels as a scale, lowest first: each a step higher, in its colour. */
import type { ReactNode } from "react";
import { hueOf } from "../text/hue.ts";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./level-scale.module.css";

export interface LevelScaleProps {
  readonly levels: readonly string[];
  readonly trust: readonly string[];
}

/** Height of the lowest step, and of all steps together. */
const [LEAST, MOST] = [10, 40];

/** A custom property, which is a width on a narrow screen. */
const cssOf = (rise: number): React.CSSProperties & Record<"--rise", string> => ({ "--rise": `${rise}px` });

export function LevelScale({ levels, trust }: LevelScaleProps): ReactNode {
  const rise = (MOST - LEAST) / Math.max(1, levels.length - 1);
  return (
    <section className={styles.scale} aria-labelledby="levels-title">
      <h2 id="levels-title">Levels</h2>
      <ol className={styles.levels} aria-label="Levels, lowest first">
        {levels.map((level, at) => (
          <li key={level}>
            <i className={hueOf(at, levels.length)} style={cssOf(LEAST + rise * at)} aria-hidden="true" />
            <VisibleText>{level}</VisibleText>
          </li>
        ))}
      </ol>
      <p className={styles.trust}>
        Trust, lowest first: <VisibleText>{trust.join(" < ")}</VisibleText>. Data flows up a level, never down
        one.
      </p>
    </section>
  );
}
