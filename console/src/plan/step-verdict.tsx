/** The check of a step, by word and shape, not only by colour. */
import { Fragment, type ReactNode } from "react";
import { LabelChip } from "../text/label-chip.tsx";
import { Sentence } from "../text/sentence.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./plan.module.css";
import type { StepCheck } from "./read-check.ts";

const WORDS = { allow: "allowed", ask: "a person will be asked", deny: "would be denied" } as const;

export function StepVerdict({ check }: { readonly check: StepCheck }): ReactNode {
  const { effect, raisesTo, isWorst, shut, reasons, suggestions } = check;
  return (
    <div className={styles.check}>
      <p className={styles.effects}>
        <span className={styles.effect} data-effect={effect}>
          {WORDS[effect]}
        </span>
        {raisesTo && (
          <span className={styles.raises}>
            raises the session to <LabelChip label={raisesTo} />
          </span>
        )}
        {isWorst && <span>at the worst: it depends on its arguments</span>}
        {shut.length > 0 && (
          <span>
            shuts <Names names={shut} />
          </span>
        )}
      </p>
      {numbered(reasons).map(([at, reason]) => (
        <p key={at}>
          <Sentence>{reason}</Sentence>
        </p>
      ))}
      {numbered(suggestions).map(([at, suggestion]) => (
        <p key={at} className={styles.suggestion}>
          Instead: <Sentence>{suggestion}</Sentence>
        </p>
      ))}
    </div>
  );
}

/** Names listed under a step. */
const MAX_NAMED = 8;

function Names({ names }: { readonly names: readonly string[] }): ReactNode {
  const more = names.length - MAX_NAMED;
  return (
    <>
      {numbered(names.slice(0, MAX_NAMED)).map(([at, name]) => (
        <Fragment key={at}>
          {at > 0 && ", "}
          <code>
            <VisibleText>{name}</VisibleText>
          </code>
        </Fragment>
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  );
}

/** Texts may be equal; positions aren't. */
const numbered = (texts: readonly string[]): readonly (readonly [at: number, text: string])[] => [
  ...texts.entries(),
];
