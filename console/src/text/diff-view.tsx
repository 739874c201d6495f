/** What a write would change: line numbers on both sides, signs, and both versions. */
import { memo, type ReactNode, useMemo } from "react";
import styles from "./diff-view.module.css";
import { Gradual, type RegionProps } from "./folded-text.tsx";
import { type DiffRow, parseDiff, type RowBlock, toRowBlocks } from "./parse-diff.ts";
import { ShownText } from "./shown-text.tsx";
import { VisibleText } from "./visible-text.tsx";

interface DiffViewProps extends RegionProps {
  readonly diff: string;
  /** If it is only the beginning, its lines aren't counted. */
  readonly isCut?: boolean;
}

export function DiffView({ diff, isCut = false, ...region }: DiffViewProps): ReactNode {
  const parsed = useMemo(() => parseDiff(diff), [diff]);
  const blocks = useMemo(() => toRowBlocks(parsed.rows), [parsed]);
  const { from, to, added, removed } = parsed;
  return (
    <div className={styles.diff}>
      {to !== null && (
        <p className={styles.file}>
          <FileName from={from} to={to} />
          {!isCut && (
            <span className={styles.counts}>
              {removed} {removed === 1 ? "line" : "lines"} removed, {added} added
            </span>
          )}
        </p>
      )}
      <Gradual {...region} blocks={blocks}>
        {(block) => <Rows key={block.at} block={block} />}
      </Gradual>
    </div>
  );
}

const NO_FILE = "/dev/null";

function FileName({ from, to }: { readonly from: string | null; readonly to: string }): ReactNode {
  if (from === NO_FILE)
    return (
      <span>
        New file <VisibleText>{to}</VisibleText>
      </span>
    );
  if (to === NO_FILE)
    return (
      <span>
        Deletes <VisibleText>{from ?? ""}</VisibleText>
      </span>
    );
  return (
    <span>
      {from !== null && from !== to && (
        <>
          <VisibleText>{from}</VisibleText> becomes{" "}
        </>
      )}
      <VisibleText>{to}</VisibleText>
    </span>
  );
}

const Rows = memo(function Rows({ block }: { readonly block: RowBlock }): ReactNode {
  return (
    <div>
      {block.rows.map((row) => (
        <Row key={row.at} row={row} />
      ))}
    </div>
  );
});

const SIGN = { added: "+", removed: "−", context: " " } as const;

function Row({ row }: { readonly row: DiffRow }): ReactNode {
  if (row.kind === "hunk" || row.kind === "note")
    return (
      <div className={row.kind === "hunk" ? styles.hunk : styles.note}>
        <ShownText>{row.text}</ShownText>
      </div>
    );
  const Line = row.kind === "added" ? "ins" : row.kind === "removed" ? "del" : "span";
  return (
    <div className={`${styles.row} ${styles[row.kind]}`}>
      <span className={styles.number} data-number={row.before ?? ""} />
      <span className={styles.number} data-number={row.after ?? ""} />
      <span className={styles.sign}>{SIGN[row.kind]}</span>
      <Line className={styles.line}>
        <ShownText>{row.text}</ShownText>
        {"\n"}
      </Line>
    </div>
  );
}
