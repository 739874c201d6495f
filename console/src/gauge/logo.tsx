/** The gauge as a mark: a channel, its water, a gate that is shut and one that is open. */
import type { ReactNode } from "react";
import styles from "./logo.module.css";

export function Logo({ size = 24 }: { readonly size?: number }): ReactNode {
  return (
    <svg className={styles.logo} width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <rect className={styles.water} x="3" y="12" width="18" height="8" />
      <path className={styles.wall} d="M3 4v16h18V4" />
      <rect className={styles.shut} x="6.5" y="10.5" width="4.5" height="7" rx="1" />
      <rect className={styles.open} x="13.5" y="4.5" width="4" height="5" rx="1" />
    </svg>
  );
}
