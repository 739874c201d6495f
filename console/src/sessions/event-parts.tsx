/** Parts of an event's line: the session's level after it as a strip, and names of tools. */
import { Fragment, type ReactNode } from "react";
import { useLevels } from "../api/use-lattice.tsx";
import { heightOf, hueOf } from "../text/label-chip.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { keyedTexts } from "./keyed.ts";
import styles from "./water.module.css";

interface WaterProps {
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

/** Further ones are only counted. */
const MOST = 12;

/** Names of tools in a row, as text. */
export function Names({ names }: { readonly names: readonly string[] }): ReactNode {
  const shown = names.slice(0, MOST);
  const more = names.length - shown.length;
  return (
    <>
      {keyedTexts(shown).map(({ key, item }, at) => (
        <Fragment key={key}>
          {at > 0 && ", "}
          <VisibleText>{item}</VisibleText>
        </Fragment>
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  );
}
