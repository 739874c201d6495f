/** If there is no safe order: the calls in the way, and the options. */
import { Fragment, type ReactNode } from "react";
import type { Schema } from "../api/client.ts";
import { Sentence } from "../text/sentence.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./plan.module.css";

export function WaysOut({ answer }: { readonly answer: Schema<"PlanAnswer"> }): ReactNode {
  const { valid, safe_ordering, in_the_way, ways_out } = answer;
  if (valid || (safe_ordering !== null && safe_ordering !== "undetermined")) return null;
  return (
    <div className={styles.waysOut}>
      {in_the_way.length > 0 && <h3>In the way</h3>}
      <p>
        {[...in_the_way.entries()].map(([at, name]) => (
          <Fragment key={at}>
            {at > 0 && ", "}
            <code>
              <VisibleText>{name}</VisibleText>
            </code>
          </Fragment>
        ))}
        {in_the_way.length > 0 && ". Without it, the rest has a safe order."}
      </p>
      <h3>Ways out</h3>
      <ul className={styles.ways}>
        {[...ways_out.entries()].map(([at, way]) => (
          <li key={at}>
            <Sentence>{way}</Sentence>
          </li>
        ))}
      </ul>
    </div>
  );
}
