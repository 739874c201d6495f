/** The session's gauge: at present, or after the step that is being played. */
import type { ReactNode } from "react";
import type { Schema } from "../api/client.ts";
import { useLattice } from "../api/use-lattice.ts";
import { Gauge } from "../gauge/gauge.tsx";
import controls from "../styles/controls.module.css";
import { LabelChip } from "../text/label-chip.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { gaugeAt } from "./gauge-at.ts";
import styles from "./plan.module.css";
import type { Playback } from "./playback.ts";
import type { Step } from "./steps.ts";
import type { Checked } from "./use-plan.ts";

export interface BenchGaugeProps {
  readonly session: Schema<"SessionTools">;
  readonly steps: readonly Step[];
  readonly checked: Checked | null;
  readonly playback: Playback | null;
}

export function BenchGauge({ session, steps, checked, playback }: BenchGaugeProps): ReactNode {
  const lattice = useLattice();
  const at = playback?.at ?? -1;
  const label = checked?.answer.steps[at]?.label;
  const step = steps[at];
  const isPlayed = label !== undefined && step !== undefined && lattice.levels.length > 0;
  const gauge = isPlayed ? gaugeAt(lattice, session.tools, label) : session.gauge;
  return (
    <section className={styles.gauge} aria-label="Gauge" data-playing={playback?.isRunning === true}>
      <p className={styles.caption}>
        {isPlayed ? (
          <>
            <strong>
              After step {at + 1} of {steps.length}
            </strong>
            <span className={styles.played}>
              <VisibleText>{step.tool}</VisibleText>
            </span>
          </>
        ) : (
          <>
            <strong>Now</strong>
            <span className={controls.muted}>the session stands at</span>
          </>
        )}
        <LabelChip label={isPlayed ? label : session.label} />
      </p>
      <Gauge gauge={gauge} />
    </section>
  );
}
