/** One step of a plan, with its buttons and its check. */
import { Fragment, type ReactNode } from "react";
import controls from "../styles/controls.module.css";
import { LabelChip } from "../text/label-chip.tsx";
import { Sentence } from "../text/sentence.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./plan.module.css";
import type { StepCheck } from "./read-check.ts";
import type { Step } from "./steps.ts";

interface StepRowProps {
  readonly step: Step;
  /** From 0. */
  readonly place: number;
  readonly count: number;
  readonly check: StepCheck | null;
  readonly isCurrent: boolean;
  readonly isHeld: boolean;
  readonly onMove: (by: number) => void;
  readonly onRemove: () => void;
}

const ICONS = {
  up: "M8 12.5v-9M4 7.5l4-4 4 4",
  down: "M8 3.5v9M4 8.5l4 4 4-4",
  remove: "M4 4l8 8M12 4l-8 8",
} as const;

export function StepRow({ step, place, count, check, isCurrent, isHeld, ...on }: StepRowProps): ReactNode {
  const name = <VisibleText>{step.tool}</VisibleText>;
  return (
    <li
      className={styles.step}
      data-step={step.id}
      data-held={isHeld}
      data-refused={check?.effect === "deny"}
      tabIndex={-1}
      aria-current={isCurrent ? "step" : undefined}
    >
      <div className={styles.head} data-head>
        <span className={styles.name}>
          <Handle />
          <span className={styles.number}>{place + 1}</span>
          <span className={styles.tool}>{name}</span>
        </span>
        <span className={styles.moves}>
          <IconButton icon="up" isOff={place === 0} onPress={() => on.onMove(-1)}>
            Move {name} up
          </IconButton>
          <IconButton icon="down" isOff={place === count - 1} onPress={() => on.onMove(1)}>
            Move {name} down
          </IconButton>
          <IconButton icon="remove" isOff={false} onPress={on.onRemove}>
            Remove {name}
          </IconButton>
        </span>
      </div>
      {check && <StepVerdict check={check} />}
    </li>
  );
}

function Handle(): ReactNode {
  return (
    <span className={styles.handle} data-handle aria-hidden="true">
      <svg width="10" height="16" viewBox="0 0 10 16" aria-hidden="true">
        {[3, 8, 13].map((y) => (
          <g key={y}>
            <circle cx="2" cy={y} r="1.4" />
            <circle cx="8" cy={y} r="1.4" />
          </g>
        ))}
      </svg>
    </span>
  );
}

interface IconButtonProps {
  readonly icon: keyof typeof ICONS;
  readonly isOff: boolean;
  readonly onPress: () => void;
  readonly children: ReactNode;
}

/** `aria-disabled`, because a disabled button would lose the focus. */
function IconButton({ icon, isOff, onPress, children }: IconButtonProps): ReactNode {
  return (
    <button type="button" className={styles.icon} aria-disabled={isOff} onClick={isOff ? undefined : onPress}>
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
        <path d={ICONS[icon]} />
      </svg>
      <span className={controls.hidden}>{children}</span>
    </button>
  );
}

const WORDS = { allow: "allowed", ask: "a person will be asked", deny: "would be denied" } as const;

/** The check of a step, by word and shape, not only by colour. */
function StepVerdict({ check }: { readonly check: StepCheck }): ReactNode {
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
