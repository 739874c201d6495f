/**
 * The product's central picture: a session as a channel with a water level. Levels are marks on its side; sinks are
 * gates, each at the height of its clearance. A gate under water is shut.
 */
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";
import type { Schema } from "../api/client.ts";
import { useLevels } from "../api/use-lattice.tsx";
import { hueOf } from "../text/label-chip.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { describeGauge, nameTools } from "./describe-gauge.ts";
import styles from "./gauge.module.css";
import { layOut, type Placed } from "./geometry.ts";

type GaugeData = Schema<"Gauge">;
type Gate = GaugeData["gates"][number];

const ROW = { width: 112, height: 30, margin: 0 };
const GATE = { row: 6, page: 16 };

/** Small, for a row in a list. */
export function RowGauge({ gauge }: { readonly gauge: GaugeData }): ReactNode {
  const levels = useLevels();
  return (
    <svg
      className={styles.row}
      width={ROW.width}
      height={ROW.height}
      role="img"
      aria-label={describeGauge(gauge, levels)}
    >
      <Channel gauge={gauge} levels={levels.length} size={ROW} gate={GATE.row} />
    </svg>
  );
}

interface GaugeProps {
  readonly gauge: GaugeData;
  /** Pixels; by default it fits a page. */
  readonly height?: number;
}

/** Large, with the names of levels and tools. */
export function Gauge({ gauge, height = 168 }: GaugeProps): ReactNode {
  const levels = useLevels();
  const [element, width] = useWidth();
  const isNarrow = width < 480;
  const margin = isNarrow ? 84 : 112;
  const size = { width, height, margin };
  const channel = layOut(size, levels.length, gauge.level, gauge.gates);
  return (
    <figure ref={element} className={styles.figure}>
      <svg width={width} height={height} role="img" aria-label={describeGauge(gauge, levels)}>
        <Channel gauge={gauge} levels={levels.length} size={size} gate={GATE.page} />
        {levels.map((name, at) => (
          <text key={name} className={styles.level} x={6} y={channel.marks[at]} dy="-4">
            {name.slice(0, 14)}
          </text>
        ))}
      </svg>
      <ol
        className={isNarrow ? styles.listed : styles.names}
        style={{ paddingInlineStart: isNarrow ? 0 : margin }}
        aria-hidden="true"
      >
        {gauge.gates.map((gate) => (
          <li key={keyOf(gate)} className={gate.shut ? styles.shutName : styles.openName}>
            <strong>{gate.shut ? (gate.releasable ? "shut, may be released" : "shut") : "open"}</strong>
            <span>
              <VisibleText>{nameTools(gate)}</VisibleText>
            </span>
          </li>
        ))}
      </ol>
    </figure>
  );
}

const keyOf = ({ height, shut, releasable }: Gate): string => `${height} ${shut} ${releasable}`;

interface ChannelProps {
  readonly gauge: GaugeData;
  readonly levels: number;
  readonly size: { readonly width: number; readonly height: number; readonly margin: number };
  /** The width of a gate. */
  readonly gate: number;
}

function Channel({ gauge, levels, size, gate }: ChannelProps): ReactNode {
  const { width, height, surface, marks, gates } = layOut(size, levels, gauge.level, gauge.gates);
  const hue = hueOf(gauge.level, levels);
  return (
    <>
      {marks.map((y) => (
        <line key={y} className={styles.mark} x1={0} x2={width} y1={y} y2={y} />
      ))}
      <rect
        className={`${styles.water} ${hue}`}
        width={width}
        height={height}
        style={{ transform: `translateY(${surface}px)` }}
      />
      <line
        className={`${styles.surface} ${hue}`}
        x1={0}
        x2={width}
        style={{ transform: `translateY(${surface}px)` }}
      />
      <line className={styles.bed} x1={0} x2={width} y1={height - 0.5} y2={height - 0.5} />
      {gates.map((placed) => (
        <GateSign key={keyOf(placed.gate)} placed={placed} side={gate} bed={height} />
      ))}
    </>
  );
}

interface GateSignProps {
  readonly placed: Placed<Gate>;
  readonly side: number;
  readonly bed: number;
}

/** Open: a raised plate. Shut: a lowered plate with a cross. */
function GateSign({ placed, side, bed }: GateSignProps): ReactNode {
  const { gate, x, y } = placed;
  const [left, top] = [x - side / 2, y - side / 2];
  return (
    <g className={gate.shut ? styles.shut : styles.open}>
      <line className={styles.post} x1={x} x2={x} y1={y + side / 2} y2={bed} />
      <rect x={left} y={top} width={side} height={side} rx={side > 10 ? 3 : 1.5} />
      {gate.shut && !gate.releasable && (
        <path
          d={`M${left + side * 0.28} ${top + side * 0.28}l${side * 0.44} ${side * 0.44}m0 ${-side * 0.44}l${-side * 0.44} ${side * 0.44}`}
        />
      )}
      {gate.shut && gate.releasable && <circle cx={x} cy={y} r={side * 0.16} />}
    </g>
  );
}

const UNKNOWN = 640;

/** A ref for the element, and its width in pixels. */
function useWidth(): readonly [RefObject<HTMLElement | null>, number] {
  const element = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(UNKNOWN);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = (): void => setWidth(Math.max(240, Math.floor(current.clientWidth)));
    // Elements out of sight are measured once they are laid out, since measuring them would force a layout each.
    if (current.checkVisibility({ contentVisibilityAuto: true })) measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
