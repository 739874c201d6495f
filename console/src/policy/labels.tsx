/** The label of a source, and the clearances of a sink. */
import type { ReactNode } from "react";
import type { Schema } from "../api/client.ts";
import { useLattice } from "../api/use-lattice.tsx";
import controls from "../styles/controls.module.css";
import { LabelChip } from "../text/label-chip.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { receivesAnything } from "./describe-labels.ts";
import styles from "./labels.module.css";

type Label = Schema<"Label">;

export function Source({ label }: { readonly label: Label | null }): ReactNode {
  return label ? <LabelChip label={label} /> : <span className={controls.muted}>brings nothing in</span>;
}

/** Any one of them is enough. */
export function Clearances({ labels }: { readonly labels: readonly Label[] | null }): ReactNode {
  if (labels === null) return <span className={controls.muted}>sends nothing out</span>;
  if (labels.length === 0) return <span className={controls.muted}>may receive nothing</span>;
  return (
    <span className={styles.clearances}>
      {labels.map((label, at) => (
        <span key={JSON.stringify(label)} className={styles.clearance}>
          {at > 0 && <span className={controls.muted}>or</span>}
          <Clearance label={label} />
        </span>
      ))}
    </span>
  );
}

/** In a clearance, trust is what it requires: the lowest requires nothing. */
function Clearance({ label }: { readonly label: Label }): ReactNode {
  const lattice = useLattice();
  const { trust } = lattice;
  if (receivesAnything(label, lattice)) return <span>anything</span>;
  return (
    <>
      <LabelChip label={{ ...label, trust: trust.at(-1) ?? label.trust }} />
      {trust.length > 0 && label.trust !== trust[0] && (
        <span className={styles.demand}>
          only <VisibleText>{label.trust}</VisibleText>
        </span>
      )}
    </>
  );
}
