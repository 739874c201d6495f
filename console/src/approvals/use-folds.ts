/** The collapsed parts of a card, which of them are open, and the whole values that the list lacks. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { type Approval, approvalQuery } from "../api/queries.ts";
import { valueAt } from "../text/argument-members.ts";
import { type Fold, foldsOf } from "./folds.ts";

export type FoldState = Fold & {
  readonly state: "folded" | "loading" | "open";
  /** The whole value, if it is open. */
  readonly whole: unknown;
};

export interface Folds {
  readonly folds: readonly FoldState[];
  /** Those not shown whole yet. */
  readonly missing: readonly Fold[];
  readonly open: (key: string) => void;
  readonly openAll: () => void;
  /** Called when all of an opened one is on the page. */
  readonly onShown: (key: string) => void;
  readonly error: Error | null;
  readonly retry: () => void;
}

/** A pending call never changes, so its whole is requested once, and kept with the card. */
const wholeQuery = (id: string) =>
  queryOptions({
    ...approvalQuery(id),
    queryKey: ["whole-approval", id],
    staleTime: "static",
    gcTime: 60_000,
    structuralSharing: false,
  });

type Keys = ReadonlySet<string>;
const NO_KEYS: Keys = new Set();

export function useFolds(approval: Approval): Folds {
  const { id } = approval;
  const all = useMemo(() => foldsOf(approval), [approval]);
  const [wanted, setWanted] = useState(NO_KEYS);
  const [shown, setShown] = useState(NO_KEYS);
  const isNeeded = all.some(({ key, isCut }) => isCut && wanted.has(key));
  const { data, error, refetch } = useQuery({ ...wholeQuery(id), enabled: isNeeded });
  const whole = data !== undefined && "arguments" in data ? data : null;
  const folds = useMemo(
    () => all.map((fold): FoldState => toState(fold, wanted.has(fold.key), fold.isCut ? whole : approval)),
    [all, wanted, whole, approval],
  );
  const open = useCallback((key: string) => setWanted((before) => new Set(before).add(key)), []);
  const openAll = useCallback(() => setWanted(new Set(all.map(({ key }) => key))), [all]);
  const onShown = useCallback((key: string) => setShown((before) => new Set(before).add(key)), []);
  const isOver = data !== undefined && whole === null;
  return {
    folds,
    missing: all.filter(({ key }) => !shown.has(key)),
    open,
    openAll,
    onShown,
    error: isOver ? new Error("It waits no more, so the whole of it isn't kept.") : error,
    retry: () => void refetch(),
  };
}

function toState(fold: Fold, isWanted: boolean, whole: Approval | null): FoldState {
  if (!isWanted) return { ...fold, state: "folded", whole: null };
  if (whole === null) return { ...fold, state: "loading", whole: null };
  const value = fold.part === "diff" ? whole.diff : valueAt(whole.arguments, fold.pointer);
  return { ...fold, state: "open", whole: value };
}
