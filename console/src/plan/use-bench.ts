/** A plan's actions, each announced and written to the address. */
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useRef, useState } from "react";
import { useAnnounce } from "../shell/announcer.tsx";
import { toVisibleLine } from "../text/visible-line.ts";
import { orderToTake } from "./read-check.ts";
import { arrange, moveStep, namesOf, placeOf, type Step } from "./steps.ts";
import { type PlanCheck, usePlanCheck, useSteps } from "./use-plan.ts";
import { type Playback, usePlayback } from "./use-playback.ts";

const route = getRouteApi("/sessions/$id/plan");

interface Bench {
  readonly steps: readonly Step[];
  /** The steps as drawn: during a drag, in the new order. */
  readonly shown: readonly Step[];
  readonly check: PlanCheck;
  readonly playback: Playback | null;
  /** Whether there is a different, safe order. */
  readonly canTake: boolean;
  readonly actions: BenchActions;
}

export interface BenchActions {
  readonly add: (tool: string) => void;
  readonly remove: (id: number) => void;
  /** To a position, from 0. */
  readonly move: (id: number, to: number) => void;
  readonly preview: (id: number, to: number) => void;
  readonly drop: (id: number, isTaken: boolean) => void;
  readonly take: () => void;
  readonly replace: (names: readonly string[], told: string) => void;
  readonly play: () => void;
  readonly stop: () => void;
}

export function useBench(session: string): Bench {
  const announce = useAnnounce();
  const { steps, change } = useAddressedSteps();
  const [preview, setPreview] = useState<readonly Step[] | null>(null);
  const check = usePlanCheck(session, steps);
  const answer = check.checked?.answer;
  const end = answer?.steps.at(-1)?.label.level;
  const onEnd = useCallback(() => announce(tellEnd(end)), [announce, end]);
  const { playback, play, stop } = usePlayback(steps.length, onEnd);
  const shown = preview ?? steps;
  const order = answer && check.isFresh ? orderToTake(steps, answer) : null;
  const edit = (next: readonly Step[], told: string, isWhole = false): void => {
    stop();
    setPreview(null);
    change(next, isWhole);
    announce(told);
  };
  const move = (id: number, to: number): void => {
    const next = moveStep(steps, id, to);
    if (next !== steps) edit(next, tellPlace(next, placeOf(next, id)));
  };
  const actions: BenchActions = {
    add: (tool) => {
      const next = arrange(steps, [...namesOf(steps), tool]);
      edit(next, tellPlace(next, next.length - 1));
    },
    remove: (id) => {
      const next = steps.filter((step) => step.id !== id);
      edit(next, `Removed; ${next.length} left.`);
    },
    move,
    preview: (id, to) => setPreview(moveStep(shown, id, to)),
    drop: (id, isTaken) => {
      setPreview(null);
      if (isTaken) move(id, placeOf(shown, id));
    },
    take: () => order && edit(arrange(steps, order), "The steps are in the safe order.", true),
    replace: (names, told) => edit(arrange([], names), told, true),
    play: () => check.isFresh && preview === null && play(),
    stop,
  };
  return { steps, shown, check, playback, canTake: order !== null, actions };
}

interface AddressedSteps {
  readonly steps: readonly Step[];
  /** With `isWhole`, the browser's Back undoes it. */
  readonly change: (next: readonly Step[], isWhole: boolean) => void;
}

function useAddressedSteps(): AddressedSteps {
  const { calls = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const isWhole = useRef(false);
  const { steps, change } = useSteps(
    calls,
    (next) =>
      void navigate({
        search: next === "" ? {} : { calls: next },
        replace: !isWhole.current,
        resetScroll: false,
      }),
  );
  return {
    steps,
    change: (next, whole) => {
      isWhole.current = whole;
      change(next);
    },
  };
}

const tellEnd = (level: string | undefined): string =>
  level === undefined ? "Played." : `Played. The session would stand at ${toVisibleLine(level)}.`;

const tellPlace = (steps: readonly Step[], place: number): string =>
  `${toVisibleLine(steps[place]?.tool ?? "")} is now step ${place + 1} of ${steps.length}.`;
