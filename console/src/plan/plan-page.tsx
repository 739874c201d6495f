/** The plan bench of a session: tools in an order, with the check under each. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import type { Schema } from "../api/client.ts";
import { sessionQuery, sessionToolsQuery } from "../api/queries.ts";
import { useLattice } from "../api/use-lattice.tsx";
import { Gauge } from "../gauge/gauge.tsx";
import { useKeys } from "../shell/keys.tsx";
import { useConnection } from "../shell/live-provider.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import { Empty, Loading, Problem } from "../shell/states.tsx";
import controls from "../styles/controls.module.css";
import { LabelChip } from "../text/label-chip.tsx";
import { Sentence } from "../text/sentence.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { gaugeAt } from "./gauge-at.ts";
import styles from "./plan.module.css";
import { PlanHead } from "./plan-head.tsx";
import { PlanList } from "./plan-list.tsx";
import type { Step } from "./steps.ts";
import { ToolChips } from "./tool-chips.tsx";
import { useBench } from "./use-bench.ts";
import type { Checked } from "./use-plan.ts";
import type { Playback } from "./use-playback.ts";

const route = getRouteApi("/sessions/$id/plan");

export function PlanPage(): ReactNode {
  usePageTitle("Plan bench");
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery(sessionToolsQuery(id));
  return (
    <div className={styles.page}>
      <header className={styles.title}>
        <SessionLink id={id} />
        <h1>Plan bench</h1>
        <p className={controls.muted}>
          Would these calls go through from where the session stands now? This predicts and authorises
          nothing: each call is decided again when it is made.
        </p>
      </header>
      {data ? (
        <Bench key={id} session={data} />
      ) : error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <Loading what="the session's tools" />
      )}
    </div>
  );
}

function SessionLink({ id }: { readonly id: string }): ReactNode {
  const { data } = useQuery(sessionQuery(id));
  return (
    <p className={controls.small}>
      <Link to="/sessions/$id" params={{ id }} className={styles.back}>
        <span aria-hidden="true">‹</span> Session
        {data && (
          <>
            {" of "}
            <VisibleText>{data.principal}</VisibleText>
            {data.role !== null && (
              <>
                {", "}
                <VisibleText>{data.role}</VisibleText>
              </>
            )}
          </>
        )}
      </Link>
      {data?.closed && <span className={controls.muted}> It is closed: no call would go through.</span>}
    </p>
  );
}

/** The bench: the gauge, the plan, and the tools to add. */
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

export interface BenchGaugeProps {
  readonly session: Schema<"SessionTools">;
  readonly steps: readonly Step[];
  readonly checked: Checked | null;
  readonly playback: Playback | null;
}

/** The session's gauge: at present, or after the step that is being played. */
export function BenchGauge({ session, steps, checked, playback }: BenchGaugeProps): ReactNode {
  const lattice = useLattice();
  const at = playback?.at ?? -1;
  const label = checked?.answer.steps[at]?.label;
  const step = steps[at];
  const isPlayed = label !== undefined && step !== undefined && lattice.levels.length > 0;
  const gauge = isPlayed ? gaugeAt(lattice, session.tools, label) : session.gauge;
  return (
    <section className={styles.gauge} aria-label="Gauge" data-playing={playback?.isRunning === true}>
      <p className={styles.caption}>
        {isPlayed ? (
          <>
            <strong>
              After step {at + 1} of {steps.length}
            </strong>
            <span className={styles.played}>
              <VisibleText>{step.tool}</VisibleText>
            </span>
          </>
        ) : (
          <>
            <strong>Now</strong>
            <span className={controls.muted}>the session stands at</span>
          </>
        )}
        <LabelChip label={isPlayed ? label : session.label} />
      </p>
      <Gauge gauge={gauge} />
    </section>
  );
}

const EXAMPLE = ["search_email", "web_search", "github_create_pr"] as const;

export interface PlanStartProps {
  readonly tools: Schema<"SessionTools">["tools"];
  readonly onTake: (names: readonly string[]) => void;
}

/** An empty plan: instructions, and an example if the session has its tools. */
export function PlanStart({ tools, onTake }: PlanStartProps): ReactNode {
  const names = new Set(tools.map(({ name }) => name));
  const hasExample = EXAMPLE.every((name) => names.has(name));
  return (
    <Empty title="No steps yet">
      <p>
        Add tools in the order in which an agent would call them. Under each step you see whether it would go
        through, and what it would shut for those after it.
      </p>
      {hasExample && (
        <p className={styles.example}>
          <button
            type="button"
            className={controls.button}
            onClick={() => {
              onTake(EXAMPLE);
              document.getElementById("plan-title")?.focus();
            }}
          >
            Try {EXAMPLE.join(", ")}
          </button>
        </p>
      )}
    </Empty>
  );
}

/** If there is no safe order: the calls in the way, and the options. */
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
