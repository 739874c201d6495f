/** Pending approvals, and recent decisions. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useCallback, useLayoutEffect, useRef, useState } from "react";
import { ApiError, answerOf, api } from "../api/client.ts";
import { useRight } from "../api/use-right.ts";
import { useAnnounce } from "../shell/announcer.tsx";
import { useKeys } from "../shell/keys.tsx";
import { useConnection } from "../shell/live-provider.tsx";
import { NoticeSwitch } from "../shell/notices.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import { Empty, Loading, Problem } from "../shell/states.tsx";
import controls from "../styles/controls.module.css";
import { ApprovalCard, type CardActions } from "./approval-card.tsx";
import { AppealList, DecidedList, StandingList } from "./approval-lists.tsx";
import { type ApprovalQueue, isDeparted } from "./approval-queue.ts";
import styles from "./approvals-page.module.css";
import { type QueueState, useApprovalQueue } from "./use-approval-queue.ts";

export function ApprovalsPage(): ReactNode {
  const { queue, decided, error, retry, onOutcome } = useApprovalQueue();
  const waiting = queue?.filter(({ outcome, isGone }) => outcome === null && !isGone).length ?? 0;
  usePageTitle("Approvals");
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1>Approvals</h1>
        {queue !== null && <p className={styles.count}>{waitingWords(waiting)}</p>}
        {queue?.some(isDeparted) && <DepartedButton />}
        <NoticeSwitch />
      </header>
      {queue === null ? (
        error ? (
          <Problem error={error} onRetry={retry} />
        ) : (
          <Loading what="approvals" />
        )
      ) : (
        <Queue queue={queue} onOutcome={onOutcome} />
      )}
      <StandingList />
      <AppealList />
      {decided.length > 0 && <DecidedList decided={decided} />}
    </div>
  );
}

const waitingWords = (count: number): string =>
  count === 0
    ? ""
    : count === 1
      ? "One call waits for a person"
      : `${count} calls wait for a person, oldest first`;

/** With more cards, those out of sight aren't laid out. */
const FEW = 12;

interface QueueProps {
  readonly queue: ApprovalQueue;
  readonly onOutcome: QueueState["onOutcome"];
}

function Queue({ queue, onOutcome }: QueueProps): ReactNode {
  const [chosen, setChosen] = useState<string | null>(null);
  const cards = useCards(queue, chosen);
  // Tab reaches one of the cards; keys go on from there.
  const entry = queue.some(({ approval }) => approval.id === chosen) ? chosen : queue[0]?.approval.id;
  if (queue.length === 0) return <NothingWaits />;
  return (
    <div className={queue.length > FEW ? `${styles.queue} ${styles.many}` : styles.queue}>
      {queue.map((slot) => (
        <ApprovalCard
          key={slot.approval.id}
          slot={slot}
          isEntry={slot.approval.id === entry}
          onOutcome={onOutcome}
          onFocus={setChosen}
          actions={cards.refOf(slot.approval.id)}
        />
      ))}
    </div>
  );
}

type CardRef = (actions: CardActions | null) => void;

interface Cards {
  readonly refOf: (id: string) => CardRef;
}

/** The keys' actions on cards. */
function useCards(queue: ApprovalQueue, chosen: string | null): Cards {
  const cards = useRef(new Map<string, CardActions>());
  const refs = useRef(new Map<string, CardRef>());
  /** The position of the selected card, for when it is gone. */
  const place = useRef(0);
  useLayoutEffect(() => {
    if (queue.length > 0) for (const card of cards.current.values()) card.look();
  }, [queue]);
  const at = queue.findIndex(({ approval }) => approval.id === chosen);
  if (at >= 0) place.current = at;
  const move = (step: number): void => {
    const next = nextPlace(queue, { at, last: place.current, hadOne: chosen !== null }, step);
    const id = queue[next]?.approval.id;
    if (id !== undefined) cards.current.get(id)?.choose();
  };
  const act = (run: (card: CardActions) => void) => (): void => {
    const card = chosen === null ? undefined : cards.current.get(chosen);
    if (card?.holdsFocus()) run(card);
  };
  useKeys("Approvals", [
    { keys: "j", does: "Go to the next card", run: () => move(1) },
    { keys: "k", does: "Go to the card before", run: () => move(-1) },
    { keys: "a", does: "Approve the card", run: act((card) => card.approve()) },
    { keys: "A", does: "Approve it with a reason", run: act((card) => card.ask("approve")) },
    { keys: "s", does: "Approve the card, and calls like it", run: act((card) => card.ask("standing")) },
    {
      keys: "S",
      does: "Approve the card with the calls like it that are proposed",
      run: act((card) => card.accept()),
    },
    {
      keys: "t",
      does: "Show those like the card, to answer them together",
      run: act((card) => card.together()),
    },
    { keys: "d", does: "Deny the card, with a reason or without", run: act((card) => card.ask("deny")) },
    { keys: "o", does: "Open all that is folded in it", run: act((card) => card.open()) },
  ]);
  const refOf = useCallback((id: string): CardRef => {
    const known = refs.current.get(id);
    if (known !== undefined) return known;
    const ref: CardRef = (actions) => {
      if (actions !== null) cards.current.set(id, actions);
      else cards.current.delete(id);
    };
    refs.current.set(id, ref);
    return ref;
  }, []);
  return { refOf };
}

interface Selection {
  /** -1 if the selected card is gone, or none was selected. */
  readonly at: number;
  readonly last: number;
  readonly hadOne: boolean;
}

/** The next position: the first card at first, and onwards from a card that is gone. */
function nextPlace(queue: ApprovalQueue, { at, last, hadOne }: Selection, step: number): number {
  if (!hadOne) return step > 0 ? 0 : queue.length - 1;
  const from = at >= 0 ? at : step > 0 ? last - 1 : last;
  return Math.max(0, Math.min(queue.length - 1, from + step));
}

function NothingWaits(): ReactNode {
  return (
    <Empty title="Nothing waits for a person">
      <p>
        A call waits here, and appears by itself, when the policy says <code>approval: always</code> or gives
        a condition for its tool, when a tool with <code>on_violation: ask</code> is to get what its session
        may not send there, or when a file lies where the project doesn't own it.
      </p>
      <p>
        What agents are doing now is under <Link to="/sessions">Sessions</Link>.
      </p>
    </Empty>
  );
}

/** Denies all calls whose caller has gone, including queued ones. */
function DepartedButton(): ReactNode {
  const client = useQueryClient();
  const announce = useAnnounce();
  const isLost = useConnection().kind === "lost";
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => answerOf(api.POST("/v1/approvals/deny-departed", { body: { via: "console" } })),
    onSuccess: ({ denied }) =>
      announce(`${denied.length} ${denied.length === 1 ? "call" : "calls"} denied whose caller had gone.`),
    onSettled: () => client.invalidateQueries({ queryKey: ["approvals"] }),
  });
  const may = useRight("approve");
  const isHeld = isLost || isPending;
  if (!may) return null;
  return (
    <>
      <button
        type="button"
        className={controls.button}
        aria-disabled={isHeld}
        aria-busy={isPending}
        onClick={() => !isHeld && mutate()}
      >
        {isPending ? "Denying …" : "Deny all whose caller has gone"}
      </button>
      {error !== null && (
        <p role="alert">
          {error instanceof ApiError ? `${error.message} ${error.why} ${error.fix}` : error.message}
        </p>
      )}
    </>
  );
}
