/** A label in its colour, with bars for its height, so that colour isn't the only sign. */
import type { ReactNode } from "react";
import type { Schema } from "../api/client.ts";
import { useLattice, useLevels } from "../api/use-lattice.tsx";
import hues from "./hue.module.css";
import styles from "./label-chip.module.css";
import { VisibleText } from "./visible-text.tsx";

type Label = Schema<"Label">;

/** A level's position among the policy's; above all of them if it is unknown. */
export function heightOf(level: string, levels: readonly string[]): number {
  const at = levels.indexOf(level);
  return at < 0 ? levels.length : at;
}

/** A level by its name and bars. */
export function LevelChip({ level }: { readonly level: string }): ReactNode {
  const levels = useLevels();
  const height = heightOf(level, levels);
  const hue = hueOf(height, levels.length);
  return (
    <span className={`${styles.chip} ${hue}`}>
      <span className={styles.bars} aria-hidden="true">
        {levels.map((name, at) => (
          <i key={name} className={at <= height ? styles.full : styles.empty} />
        ))}
      </span>
      {level === "*" ? "above all" : <VisibleText>{level}</VisibleText>}
    </span>
  );
}

/** A whole label: its level, its categories, and whether its author is untrusted. */
export function LabelChip({ label }: { readonly label: Label }): ReactNode {
  return (
    <span className={styles.label}>
      <LevelChip level={label.level} />
      <LabelParts label={label} />
    </span>
  );
}

/** The parts of a label other than its level. */
export function LabelParts({ label }: { readonly label: Label }): ReactNode {
  const { trust } = useLattice();
  const lowered = trust.length > 0 && label.trust !== trust.at(-1);
  return (
    <>
      {label.categories.map((category) => (
        <span key={category} className={styles.part}>
          <VisibleText>{category === "*" ? "every category" : category}</VisibleText>
        </span>
      ))}
      {lowered && (
        <span className={styles.part}>
          <VisibleText>{label.trust}</VisibleText>
        </span>
      )}
    </>
  );
}

/** As many colours of levels as the styles have. */
const HUES = 4;

/** The class for a level's colour, by its height; above all levels, the last one. */
export function hueOf(height: number, levels: number): string {
  const place = height >= levels ? 1 : height / Math.max(1, levels - 1);
  return hues[`hue${Math.round(place * (HUES - 1))}`] ?? "";
}
