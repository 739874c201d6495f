/** The gauge as a logo: a channel with water, a shut gate and an open one. */
import type { ReactNode } from "react";
import styles from "./logo.module.css";

export function Logo({ size = 24 }: { readonly size?: number }): ReactNode {
  return (
    <svg className={styles.logo} width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <rect className={styles.water} x="2" y="12.5" width="20" height="8.5" />
      <path className={styles.wall} d="M2 4v17h20V4" />
      <rect className={styles.shut} x="6" y="9.5" width="5" height="8" rx="1" />
      <rect className={styles.open} x="13.75" y="3.75" width="4.5" height="5.5" rx="1" />
    </svg>
  );
}
