/** The bench: the gauge, the plan, and the tools to add. */
import type { ReactNode } from "react";
import type { Schema } from "../api/client.ts";
import { useKeys } from "../shell/keys.tsx";
import { useConnection } from "../shell/live-provider.tsx";
import { Problem } from "../shell/states.tsx";
import { BenchGauge } from "./bench-gauge.tsx";
import styles from "./plan.module.css";
import { PlanHead } from "./plan-head.tsx";
import { PlanList } from "./plan-list.tsx";
import { PlanStart } from "./plan-start.tsx";
import { ToolChips } from "./tool-chips.tsx";
import { useBench } from "./use-bench.ts";
import { WaysOut } from "./ways-out.tsx";

export function Bench({ session }: { readonly session: Schema<"SessionTools"> }): ReactNode {
  const { steps, shown, check, playback, canTake, actions } = useBench(session.session_id);
  const { checked, isFresh, error, retry } = check;
  const { kind } = useConnection();
  useKeys("Plan bench", [
    { keys: "s", does: "Take the safe order", run: actions.take },
    { keys: "p", does: "Play the plan, or stop", run: playback ? actions.stop : actions.play },
  ]);
  return (
    <div className={styles.bench}>
      <BenchGauge session={session} steps={steps} checked={checked} playback={playback} />
      <section className={styles.plan} aria-labelledby="plan-title">
        <PlanHead
          check={check}
          isEmpty={steps.length === 0}
          canTake={canTake}
          playback={playback}
          actions={actions}
        />
        {error && !isFresh && kind !== "lost" && <Problem error={error} onRetry={retry} />}
        <PlanList
          steps={shown}
          checks={checked?.checks ?? null}
          current={playback?.at ?? null}
          onMove={actions.move}
          onPreview={actions.preview}
          onDrop={actions.drop}
          onRemove={actions.remove}
        />
        {steps.length === 0 && (
          <PlanStart
            tools={session.tools}
            onTake={(names) => actions.replace(names, "The example is there.")}
          />
        )}
        {checked && isFresh && <WaysOut answer={checked.answer} />}
      </section>
      <ToolChips tools={session.tools} onAdd={actions.add} />
    </div>
  );
}
