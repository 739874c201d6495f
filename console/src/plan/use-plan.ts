/** The plan that a person arranges: its steps, which are in the address, and the gateway's check of them. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { Schema } from "../api/client.ts";
import { planQuery } from "../api/queries.ts";
import { useDraft } from "../shell/use-draft.ts";
import { readChecks, type StepChecks } from "./read-check.ts";
import { arrange, hasOrder, namesOf, readCalls, type Step, writeCalls } from "./steps.ts";

interface Steps {
  readonly steps: readonly Step[];
  readonly change: (next: readonly Step[]) => void;
}

/** Steps, and how to change them; `write` puts their text into the address. */
export function useSteps(calls: string, write: (calls: string) => void): Steps {
  const [draft, changeDraft] = useDraft(calls, write);
  const [known, setSteps] = useState<readonly Step[]>([]);
  const names = useMemo(() => readCalls(draft), [draft]);
  // The address has changed: steps that stay keep their id, so that they are animated.
  const steps = hasOrder(known, names) ? known : arrange(known, names);
  if (steps !== known) setSteps(steps);
  const change = (next: readonly Step[]): void => {
    setSteps(next);
    changeDraft(writeCalls(namesOf(next)));
  };
  return { steps, change };
}

export interface Checked {
  readonly answer: Schema<"PlanAnswer">;
  readonly checks: StepChecks;
}

export interface PlanCheck {
  /** The last check; null if there is none yet. */
  readonly checked: Checked | null;
  /** Whether it is for exactly these steps. */
  readonly isFresh: boolean;
  /** Whether the new answer takes so long that the earlier one should be hidden. */
  readonly isLate: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
}

/** The check of these steps, requested when they or the session change. */
export function usePlanCheck(session: string, steps: readonly Step[]): PlanCheck {
  const isEmpty = steps.length === 0;
  const { data, isPlaceholderData, error, refetch } = useQuery({
    ...planQuery(session, namesOf(steps)),
    enabled: !isEmpty,
  });
  const fresh = useMemo(
    () =>
      data === undefined || isPlaceholderData || isEmpty
        ? null
        : { answer: data, checks: readChecks(steps, data) },
    [data, isPlaceholderData, isEmpty, steps],
  );
  const [last, setLast] = useState<Checked | null>(null);
  if (fresh !== null && fresh !== last) setLast(fresh);
  const isLate = useLate(fresh === null && !isEmpty);
  return {
    checked: isEmpty || isLate ? null : (fresh ?? last),
    isFresh: fresh !== null,
    isLate,
    error: isEmpty ? null : error,
    retry: () => void refetch(),
  };
}

/** How long the last answer is shown while the next is loading. */
const LATE_MS = 400;

function useLate(isWaiting: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!isWaiting) return;
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  return isLate && isWaiting;
}
