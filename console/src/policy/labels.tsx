/** What comes from a source, and what a sink may receive. */
import type { ReactNode } from "react";
import type { Schema } from "../api/client.ts";
import controls from "../styles/controls.module.css";
import { LabelChip } from "../text/label-chip.tsx";
import styles from "./policy.module.css";

type Label = Schema<"Label">;

export function Source({ label }: { readonly label: Label | null }): ReactNode {
  return label ? <LabelChip label={label} /> : <span className={controls.muted}>brings nothing in</span>;
}

/** Each by itself enough; in a clearance, trust is what it demands, and the lowest demands none. */
export function Clearances({ labels }: { readonly labels: readonly Label[] | null }): ReactNode {
  if (labels === null) return <span className={controls.muted}>sends nothing out</span>;
  if (labels.length === 0) return <span className={controls.muted}>may receive nothing</span>;
  return (
    <span className={styles.clearances}>
      {labels.map((label, at) => (
        <span key={JSON.stringify(label)} className={styles.clearance}>
          {at > 0 && <span className={controls.muted}>or</span>}
          <ClearanceChip label={label} />
        </span>
      ))}
    </span>
  );
}
