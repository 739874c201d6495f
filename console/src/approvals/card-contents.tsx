/** The exact call: the files that it touches, its change, its arguments. */
import { type ReactNode, useId } from "react";
import type { Approval } from "../api/queries.ts";
import { Problem } from "../shell/states.tsx";
import { ArgumentTree } from "../text/argument-tree.tsx";
import { DiffView } from "../text/diff-view.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./card.module.css";
import { Opener, usePlaces } from "./folded-value.tsx";
import type { Folds } from "./use-folds.ts";

export interface CardContentsProps {
  readonly approval: Approval;
  readonly folds: Folds;
}

export function CardContents({ approval, folds }: CardContentsProps): ReactNode {
  const places = usePlaces(folds);
  const { targets, diff } = approval;
  const hasArguments = Object.keys(approval.arguments).length > 0 || places.size > 0;
  return (
    <section className={`${styles.part} ${styles.contents}`}>
      <h3>Exactly what</h3>
      {targets.length > 0 && <Targets paths={targets.map(({ path }) => path)} />}
      {diff !== null && <Changes diff={diff} folds={folds} />}
      {diff !== null && <h4 className={styles.sub}>Arguments</h4>}
      {hasArguments ? (
        <ArgumentTree value={approval.arguments} folds={places} />
      ) : (
        <p className={styles.quiet}>It has no arguments.</p>
      )}
      {folds.error && <Problem error={folds.error} onRetry={folds.retry} />}
    </section>
  );
}

function Targets({ paths }: { readonly paths: readonly string[] }): ReactNode {
  return (
    <dl className={styles.targets}>
      <dt>{paths.length === 1 ? "Path" : "Paths"}</dt>
      {[...new Set(paths)].map((path) => (
        <dd key={path}>
          <VisibleText>{path}</VisibleText>
        </dd>
      ))}
    </dl>
  );
}

interface ChangesProps {
  readonly diff: string;
  readonly folds: Folds;
}

function Changes({ diff, folds }: ChangesProps): ReactNode {
  const id = useId();
  const fold = folds.folds.find(({ part }) => part === "diff");
  const whole = fold?.state === "open" && typeof fold.whole === "string" ? fold.whole : null;
  return (
    <div className={styles.changes}>
      <h4 id={id} className={styles.sub}>
        {fold && whole === null ? "Changes, the beginning" : "Changes"}
      </h4>
      {fold && whole !== null ? (
        <DiffView
          key="whole"
          diff={whole}
          labelledBy={id}
          catchesFocus
          onShown={() => folds.onShown(fold.key)}
        />
      ) : (
        <DiffView key="beginning" diff={diff} labelledBy={id} isCut={fold !== undefined} />
      )}
      {fold && whole === null && <Opener fold={fold} onOpen={folds.open} />}
    </div>
  );
}
