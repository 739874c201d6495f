/** Tools' definitions: which are as accepted, and the differences in the others. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { pinsQuery } from "../api/queries.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { Empty, Loading, Problem } from "../shell/states.tsx";
import controls from "../styles/controls.module.css";
import { VisibleText } from "../text/visible-text.tsx";
import { Hash } from "./hash.tsx";
import { MEANINGS, PinCard } from "./pin-card.tsx";
import { sortPins, type ToolReview } from "./pin-changes.ts";
import pins from "./pins.module.css";
import styles from "./policy.module.css";

export function PinsPage(): ReactNode {
  usePageTitle("Policy: pins");
  const { data, error, refetch } = useQuery(pinsQuery());
  return (
    <section className={styles.section} aria-labelledby="pins-title">
      <h2 id="pins-title">Pins</h2>
      <p className={styles.lead}>
        An agent chooses tools by what their servers say of them. So a tool is available only while its
        definition is the one that was accepted.
      </p>
      {data ? (
        <Definitions tools={data.tools} />
      ) : error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <Loading what="the definitions" />
      )}
    </section>
  );
}

function Definitions({ tools }: { readonly tools: readonly ToolReview[] }): ReactNode {
  const { waiting, idle, pinned } = sortPins(tools);
  if (tools.length === 0)
    return (
      <Empty title="No server offers a tool">
        Once a server of the policy does, its tools&apos; definitions are pinned and listed here.
      </Empty>
    );
  return (
    <>
      <h3 id="waiting-title">Wait for a look</h3>
      {waiting.length === 0 ? (
        <p className={controls.muted}>
          None. A definition that its server changes is withheld at once, and listed here.
        </p>
      ) : (
        <ul className={pins.cards} aria-labelledby="waiting-title">
          {waiting.map((review) => (
            <li key={review.tool}>
              <PinCard review={review} />
            </li>
          ))}
        </ul>
      )}
      {idle.length > 0 && (
        <ReviewTable title="Not in use" column="Why" reviews={idle} tell={({ status }) => MEANINGS[status]} />
      )}
      {pinned.length > 0 && (
        <ReviewTable
          title="As they were accepted"
          column="Definition"
          reviews={pinned}
          tell={({ hash }) => (hash === null ? "not pinned" : <Hash hash={hash} />)}
        />
      )}
    </>
  );
}

interface ReviewTableProps {
  readonly title: string;
  /** The column's content. */
  readonly column: string;
  readonly reviews: readonly ToolReview[];
  readonly tell: (review: ToolReview) => ReactNode;
}

function ReviewTable({ title, column, reviews, tell }: ReviewTableProps): ReactNode {
  const id = useId();
  return (
    <>
      <h3 id={id}>{title}</h3>
      <table className={styles.table} aria-labelledby={id}>
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col">Server</th>
            <th scope="col">{column}</th>
          </tr>
        </thead>
        <tbody>
          {reviews.map((review) => (
            <tr key={review.tool}>
              <th scope="row">
                <code>
                  <VisibleText>{review.name}</VisibleText>
                </code>
              </th>
              <td data-label="Server">
                <VisibleText>{review.server}</VisibleText>
              </td>
              <td data-label={column}>{tell(review)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
