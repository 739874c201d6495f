/** Recent decisions, one line each, without their arguments, which are deleted. */
import { memo, type ReactNode } from "react";
import type { RecentApproval } from "../api/queries.ts";
import styles from "./approvals-page.module.css";
import { CallLine } from "./call-line.tsx";
import { OutcomeLine } from "./outcome-line.tsx";

const MOST = 20;

export function DecidedList({ decided }: { readonly decided: readonly RecentApproval[] }): ReactNode {
  return (
    <section className={styles.decided} aria-labelledby="decided">
      <h2 id="decided">Decided lately</h2>
      <ul>
        {decided.slice(0, MOST).map((approval) => (
          <Row key={approval.id} approval={approval} />
        ))}
      </ul>
    </section>
  );
}

const Row = memo(function Row({ approval }: { readonly approval: RecentApproval }): ReactNode {
  const { name, principal, session_id: session } = approval;
  return (
    <li className={styles.row}>
      <CallLine tool={name} principal={principal} session={session} />
      <OutcomeLine outcome={approval} />
    </li>
  );
});
