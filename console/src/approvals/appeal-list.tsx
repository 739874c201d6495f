/** Recent appeals of agents. Their words are untrusted, and grant nothing. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type Appeal, appealsQuery } from "../api/queries.ts";
import { Time } from "../text/time.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./approvals-page.module.css";
import { CallLine } from "./call-line.tsx";

export function AppealList(): ReactNode {
  const { data: appeals = [] } = useQuery(appealsQuery());
  if (appeals.length === 0) return null;
  return (
    <section className={styles.decided} aria-labelledby="appeals">
      <h2 id="appeals">Appeals against refusals</h2>
      <ul>
        {appeals.map((appeal) => (
          <Row key={appeal.call_id} appeal={appeal} />
        ))}
      </ul>
    </section>
  );
}

function Row({ appeal }: { readonly appeal: Appeal }): ReactNode {
  const { name, principal, session_id: session, text, at } = appeal;
  return (
    <li className={styles.row}>
      <CallLine tool={name} principal={principal} session={session} />
      <p>
        The agent says: “<VisibleText>{text}</VisibleText>” <Time at={at} />
      </p>
    </li>
  );
}
