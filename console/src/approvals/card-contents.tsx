/** The exact call: the files that it touches, its change, its arguments. */
import { type ReactNode, useEffect, useId, useMemo, useRef } from "react";
import type { Approval } from "../api/queries.ts";
import { Loading, Problem } from "../shell/states.tsx";
import controls from "../styles/controls.module.css";
import { depthOf, isContainer, toJsonText } from "../text/argument-members.ts";
import { ArgumentTree, type FoldedPlace, type FoldedPlaces } from "../text/argument-tree.tsx";
import { DiffView } from "../text/diff-view.tsx";
import { LongText } from "../text/folded-text.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./card.module.css";
import type { FoldState, Folds } from "./use-folds.ts";

interface CardContentsProps {
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

/** A larger or deeper list or object is shown as JSON. */
const MAX_IN_TREE = 20_000;
const MAX_LEVELS = 12;

/** For the tree of arguments: the content of each collapsed place. */
function usePlaces({ folds, open, onShown }: Folds): FoldedPlaces {
  return useMemo(
    () =>
      new Map(
        folds
          .filter(({ part }) => part === "arguments")
          .map((fold) => [fold.pointer, toPlace(fold, open, onShown)]),
      ),
    [folds, open, onShown],
  );
}

const toPlace = (fold: FoldState, open: Folds["open"], onShown: Folds["onShown"]): FoldedPlace => ({
  beginning: fold.beginning,
  opener: <Opener fold={fold} onOpen={open} />,
  whole: fold.state === "open" ? <WholeValue fold={fold} onShown={onShown} /> : null,
});

interface OpenerProps {
  readonly fold: FoldState;
  readonly onOpen: (key: string) => void;
}

function Opener({ fold, onOpen }: OpenerProps): ReactNode {
  const { key, name, size, state } = fold;
  const isLoading = state === "loading";
  return (
    <div className={styles.opener}>
      <button
        type="button"
        className={controls.button}
        aria-disabled={isLoading}
        onClick={() => isLoading || onOpen(key)}
      >
        <span>
          Open <VisibleText>{name}</VisibleText>, {size}
        </span>
      </button>
      {isLoading && <Loading what="all of it" />}
    </div>
  );
}

interface WholeValueProps {
  readonly fold: FoldState;
  readonly onShown: (key: string) => void;
}

function WholeValue({ fold, onShown }: WholeValueProps): ReactNode {
  const { key, whole } = fold;
  const id = useId();
  const tree = useRef<HTMLDivElement>(null);
  const json = useMemo(() => asJson(whole), [whole]);
  const text = typeof whole === "string" ? whole : json;
  const isTree = text === null;
  useEffect(() => {
    if (!isTree) return;
    onShown(key);
    // The focused button is gone.
    if (document.activeElement === document.body) tree.current?.focus({ preventScroll: true });
  }, [isTree, key, onShown]);
  return (
    <div className={styles.whole} ref={tree} tabIndex={-1}>
      <p id={id} className={styles.wholeTitle}>
        All of <VisibleText>{fold.name}</VisibleText>, {fold.size}
        {json !== null && ", as JSON"}
      </p>
      {text === null ? (
        <ArgumentTree value={whole} />
      ) : (
        <LongText text={text} labelledBy={id} catchesFocus onShown={() => onShown(key)} />
      )}
    </div>
  );
}

/** Null for a text, and for what a tree can show. */
function asJson(whole: unknown): string | null {
  if (!isContainer(whole)) return typeof whole === "string" ? null : String(whole);
  const isSmall = JSON.stringify(whole).length <= MAX_IN_TREE;
  return isSmall && depthOf(whole, MAX_LEVELS + 1) <= MAX_LEVELS ? null : toJsonText(whole);
}
