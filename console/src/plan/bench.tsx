/** The bench itself: the gauge, the plan, and the tools to make it of. */
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useCallback, useState } from "react";
import type { Schema } from "../api/client.ts";
import { useAnnounce } from "../shell/announcer.tsx";
import { useKeys } from "../shell/keys.tsx";
import { Problem } from "../shell/states.tsx";
import { toVisibleLine } from "../text/visible-line.ts";
import { BenchGauge } from "./bench-gauge.tsx";
import styles from "./plan.module.css";
import { PlanHead } from "./plan-head.tsx";
import { PlanList } from "./plan-list.tsx";
import { PlanStart } from "./plan-start.tsx";
import { orderToTake } from "./read-check.ts";
import { arrange, moveStep, placeOf, type Step } from "./steps.ts";
import { ToolChips } from "./tool-chips.tsx";
import { usePlanCheck, useSteps } from "./use-plan.ts";
import { usePlayback } from "./use-playback.ts";
import { WaysOut } from "./ways-out.tsx";

type SessionTools = Schema<"SessionTools">;

const route = getRouteApi("/sessions/$id/plan");

export function Bench({ session }: { readonly session: SessionTools }): ReactNode {
  const { calls = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const announce = useAnnounce();
  const write = (next: string): void =>
    void navigate({ search: next === "" ? {} : { calls: next }, replace: true, resetScroll: false });
  const { steps, change } = useSteps(calls, write);
  // While a step is dragged: the order as it would be. It is checked when it is let go.
  const [preview, setPreview] = useState<readonly Step[] | null>(null);
  const shown = preview ?? steps;
  const check = usePlanCheck(session.session_id, steps);
  const { checked, isFresh } = check;
  const onEnd = useCallback(() => announce("The plan has been played."), [announce]);
  const { playback, play, stop } = usePlayback(steps.length, onEnd);
  const edit = (next: readonly Step[], told: string): void => {
    stop();
    setPreview(null);
    change(next);
    announce(told);
  };
  const move = (id: number, to: number): void => {
    const next = moveStep(steps, id, to);
    if (next !== steps) edit(next, tellPlace(next, id));
  };
  const order = checked && isFresh ? orderToTake(steps, checked.answer) : null;
  const take = (): void => {
    if (order) edit(arrange(steps, order), "The steps are in the safe order.");
  };
  const isPlayable = isFresh && preview === null;
  const start = isPlayable ? play : (): void => {};
  useKeys("Plan bench", [
    { keys: "s", does: "Take the safe order", run: take },
    { keys: "p", does: "Play the plan, or stop", run: playback ? stop : start },
  ]);
  const add = (tool: string): void => {
    const next = arrange(steps, [...steps.map((step) => step.tool), tool]);
    edit(next, `${toVisibleLine(tool)} is now step ${next.length} of ${next.length}.`);
  };
  return (
    <div className={styles.bench}>
      <BenchGauge session={session} steps={steps} checked={checked} playback={playback} />
      <section className={styles.plan} aria-labelledby="plan-title">
        <PlanHead
          check={check}
          isEmpty={steps.length === 0}
          canTake={order !== null}
          isPlaying={playback !== null}
          onTake={take}
          onPlay={start}
          onStop={stop}
          onClear={() => edit([], "The plan is empty.")}
        />
        {check.error && !isFresh && <Problem error={check.error} onRetry={check.retry} />}
        <PlanList
          steps={shown}
          checks={checked?.checks ?? null}
          current={playback?.at ?? null}
          onMove={move}
          onPreview={(id, to) => setPreview(moveStep(shown, id, to))}
          onDrop={(id, isTaken) => {
            setPreview(null);
            if (isTaken && preview) move(id, placeOf(preview, id));
          }}
          onRemove={(id) =>
            edit(
              steps.filter((step) => step.id !== id),
              `Removed; ${steps.length - 1} left.`,
            )
          }
        />
        {steps.length === 0 && (
          <PlanStart
            tools={session.tools}
            onTake={(names) => edit(arrange([], names), "The example is there.")}
          />
        )}
        {checked && isFresh && <WaysOut answer={checked.answer} />}
      </section>
      <ToolChips tools={session.tools} onAdd={add} />
    </div>
  );
}

function tellPlace(steps: readonly Step[], id: number): string {
  const place = placeOf(steps, id);
  return `${toVisibleLine(steps[place]?.tool ?? "")} is now step ${place + 1} of ${steps.length}.`;
}
