/** Whether the page is connected to the gateway. */
import type { ReactNode } from "react";
import controls from "../styles/controls.module.css";
import { toDuration, useNow } from "../text/time.tsx";
import { useConnection, useReconnect } from "./live-provider.tsx";
import styles from "./shell.module.css";

const WORDS = { connecting: "Connecting", live: "Live", lost: "Connection lost" } as const;

/** A word in the page's head. */
export function ConnectionSign(): ReactNode {
  const { kind } = useConnection();
  return (
    <span role="status" aria-label="Connection" className={styles.connection} data-kind={kind}>
      <i aria-hidden="true" />
      {WORDS[kind]}
    </span>
  );
}

/** A banner while the connection is lost: the content may be outdated. */
export function ConnectionBanner(): ReactNode {
  const connection = useConnection();
  return connection.kind === "lost" ? <LostBanner since={connection.since} /> : null;
}

function LostBanner({ since }: { readonly since: number }): ReactNode {
  const reconnect = useReconnect();
  useNow();
  return (
    <div className={styles.banner}>
      <p>
        <strong>Connection lost.</strong> What you see is {toDuration(Date.now() - since)} old, and can't be
        answered. Trying again by itself.
      </p>
      <button type="button" className={controls.button} onClick={reconnect}>
        Try now
      </button>
    </div>
  );
}
