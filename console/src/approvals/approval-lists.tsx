/** The lists under the queue: standing approvals, appeals, recent decisions. THREAT: their words quote what agents sent. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memo, type ReactNode } from "react";
import { ApiError, answerOf, api } from "../api/client.ts";
import {
  type Appeal,
  appealsQuery,
  type RecentApproval,
  type StandingApproval,
  standingQuery,
} from "../api/queries.ts";
import { useRight } from "../api/use-right.ts";
import { useAnnounce } from "../shell/announcer.tsx";
import { useConnection } from "../shell/live-provider.tsx";
import controls from "../styles/controls.module.css";
import { Time } from "../text/time.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./approvals-page.module.css";
import { OutcomeLine } from "./outcome-line.tsx";

/** Standing approvals in force, with buttons that revoke them. */
export function StandingList(): ReactNode {
  const { data: standing = [] } = useQuery(standingQuery());
  if (standing.length === 0) return null;
  return (
    <section className={styles.decided} aria-labelledby="standing">
      <h2 id="standing">Standing approvals</h2>
      <ul>
        {standing.map((one) => (
          <StandingRow key={one.id} standing={one} />
        ))}
      </ul>
    </section>
  );
}

function StandingRow({ standing }: { readonly standing: StandingApproval }): ReactNode {
  const may = useRight("approve", "administer");
  const { id, tool, words, principal, session_id: session, count, used } = standing;
  const { revoke, isBusy, error } = useRevoke(id);
  const isLost = useConnection().kind === "lost";
  return (
    <li className={styles.row}>
      <CallLine tool={tool} principal={principal} session={session} />
      <div className={styles.standing}>
        <p>
          <VisibleText>{words}</VisibleText>
        </p>
        <p className={styles.for}>
          {used} of {count} {count === 1 ? "call" : "calls"} used · given by{" "}
          <VisibleText>{standing.given_by}</VisibleText> <Time at={standing.given_at} /> · expires{" "}
          <Time at={standing.expires_at} />
        </p>
        {error !== null && <p role="alert">{error}</p>}
        {may && (
          <button
            type="button"
            className={controls.button}
            aria-disabled={isLost || isBusy}
            aria-busy={isBusy}
            onClick={() => !isLost && !isBusy && revoke()}
          >
            {isBusy ? "Revoking …" : "Revoke"}
            <span className={controls.hidden}>
              {" "}
              the standing approval of <VisibleText>{tool}</VisibleText>
            </span>
          </button>
        )}
      </div>
    </li>
  );
}

interface Revoking {
  readonly revoke: () => void;
  readonly isBusy: boolean;
  readonly error: string | null;
}

function useRevoke(standing: string): Revoking {
  const client = useQueryClient();
  const announce = useAnnounce();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      answerOf(api.DELETE("/v1/standing-approvals/{standing}", { params: { path: { standing } } })),
    onSuccess: () => announce("The standing approval is revoked."),
    // Busy until the list is new. If somebody else was faster, the new list doesn't have it either.
    onSettled: () => client.invalidateQueries({ queryKey: standingQuery().queryKey }),
  });
  const words = error instanceof ApiError ? `${error.message} ${error.why} ${error.fix}` : error?.message;
  return { revoke: () => mutate(), isBusy: isPending, error: words ?? null };
}

/** Recent appeals of agents. Their words are untrusted, and grant nothing. */
export function AppealList(): ReactNode {
  const { data: appeals = [] } = useQuery(appealsQuery());
  if (appeals.length === 0) return null;
  return (
    <section className={styles.decided} aria-labelledby="appeals">
      <h2 id="appeals">Appeals against refusals</h2>
      <ul>
        {appeals.map((appeal) => (
          <AppealRow key={appeal.call_id} appeal={appeal} />
        ))}
      </ul>
    </section>
  );
}

function AppealRow({ appeal }: { readonly appeal: Appeal }): ReactNode {
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

const MOST = 20;

/** Recent decisions, one line each, without their arguments, which are deleted. */
export function DecidedList({ decided }: { readonly decided: readonly RecentApproval[] }): ReactNode {
  return (
    <section className={styles.decided} aria-labelledby="decided">
      <h2 id="decided">Decided lately</h2>
      <ul>
        {decided.slice(0, MOST).map((approval) => (
          <DecidedRow key={approval.id} approval={approval} />
        ))}
      </ul>
    </section>
  );
}

const DecidedRow = memo(function DecidedRow({ approval }: { readonly approval: RecentApproval }): ReactNode {
  const { name, principal, session_id: session } = approval;
  return (
    <li className={styles.row}>
      <CallLine tool={name} principal={principal} session={session} />
      <OutcomeLine outcome={approval} />
    </li>
  );
});

interface CallLineProps {
  readonly tool: string;
  readonly principal: string;
  readonly session: string;
}

/** The tool and its principal: the first line of a list's rows. */
const CallLine = ({ tool, principal, session }: CallLineProps): ReactNode => (
  <p className={styles.call}>
    <span className={styles.tool}>
      <VisibleText>{tool}</VisibleText>
    </span>
    <span className={styles.for}>
      for{" "}
      <Link to="/sessions/$id" params={{ id: session }}>
        <VisibleText>{principal}</VisibleText>
      </Link>
    </span>
  </p>
);
