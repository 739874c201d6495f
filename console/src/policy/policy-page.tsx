/** The policy in force, read only: policies are files. */
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { pinsQuery, policyQuery } from "../api/queries.ts";
import { FreezeButton } from "../shell/freezes.tsx";
import { useConnection } from "../shell/live-provider.tsx";
import controls from "../styles/controls.module.css";
import { Hash } from "./hash.tsx";
import styles from "./policy.module.css";

export function PolicyPage(): ReactNode {
  const { kind } = useConnection();
  return (
    <div className={styles.page}>
      <header className={styles.title}>
        <h1>Policy</h1>
        <Version />
        <FreezeButton what="all sessions" />
      </header>
      <Navigation />
      {kind === "lost" && (
        <p className={styles.old}>This is the policy as it was when the connection was lost.</p>
      )}
      <Outlet />
    </div>
  );
}

function Version(): ReactNode {
  const { data } = useQuery(policyQuery());
  return (
    <p className={controls.muted}>
      Read only: policies live in files, and change there.
      {data && (
        <>
          {" In force: version "}
          <Hash hash={data.version} />
        </>
      )}
    </p>
  );
}

const ACTIVE = {
  activeProps: { className: `${styles.link} ${styles.active}`, "aria-current": "page" },
  activeOptions: { exact: true, includeSearch: false },
} as const;

function Navigation(): ReactNode {
  const { data } = useQuery(pinsQuery());
  const changed = data?.tools.filter(({ status }) => status === "changed").length ?? 0;
  return (
    <nav aria-label="Policy" className={styles.navigation}>
      <Link to="/policy" className={styles.link} {...ACTIVE}>
        Tools
      </Link>
      <Link to="/policy/flows" className={styles.link} {...ACTIVE}>
        Flows
      </Link>
      <Link to="/policy/pins" className={styles.link} {...ACTIVE}>
        Pins
        {changed > 0 && (
          <span className={styles.count}>
            {changed}
            <span className={controls.hidden}> changed</span>
          </span>
        )}
      </Link>
      <Link to="/policy/roles" className={styles.link} {...ACTIVE}>
        Roles
      </Link>
    </nav>
  );
}
