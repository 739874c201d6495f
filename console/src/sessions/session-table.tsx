/** The table of sessions. A row is rendered again only if its session has changed. */
import { Link } from "@tanstack/react-router";
import {
  memo,
  type ReactNode,
  type Ref,
  type TableHTMLAttributes,
  useCallback,
  useEffect,
  useRef,
} from "react";
import { RowGauge } from "../gauge/gauge.tsx";
import controls from "../styles/controls.module.css";
import { LabelChip } from "../text/label-chip.tsx";
import { Time } from "../text/time.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./session-table.module.css";
import type { SessionRow } from "./use-rows.ts";

interface SessionTableProps {
  readonly rows: readonly SessionRow[];
  /** Somebody points at it, has focused it or has scrolled into it. */
  readonly onLook: () => void;
  /** Nobody does any more. */
  readonly onLeave: () => void;
  readonly table: Ref<HTMLTableElement>;
}

export function SessionTable({ rows, onLook, onLeave, table }: SessionTableProps): ReactNode {
  const looks = useLook(onLook, onLeave);
  return (
    <table ref={table} className={styles.table} aria-label="Sessions" {...looks}>
      <thead>
        <tr>
          <th scope="col">Principal</th>
          <th scope="col">Role</th>
          <th scope="col">Gauge</th>
          <th scope="col">Label</th>
          <th scope="col" className={styles.figure}>
            Calls
          </th>
          <th scope="col" className={styles.figure}>
            Refused
          </th>
          <th scope="col" className={styles.figure}>
            Waiting
          </th>
          <th scope="col">Last activity</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.session_id} session={row} />
        ))}
      </tbody>
    </table>
  );
}

type Looks = Pick<
  TableHTMLAttributes<HTMLTableElement>,
  "onPointerEnter" | "onPointerLeave" | "onFocus" | "onBlur"
>;

/** Scrolled this far, the list must not move. */
const SCROLLED = 300;

type Way = "pointer" | "focus" | "scroll";

/** Reports when somebody begins or stops to point at it, focus it or scroll into it. */
function useLook(onLook: () => void, onLeave: () => void): Looks {
  const ways = useRef(new Set<Way>());
  const turn = useCallback(
    (way: Way, isOn: boolean): void => {
      if (isOn === ways.current.has(way)) return;
      if (isOn) ways.current.add(way);
      else ways.current.delete(way);
      if (isOn) onLook();
      else if (ways.current.size === 0) onLeave();
    },
    [onLook, onLeave],
  );
  useEffect(() => {
    const scroll = (): void => turn("scroll", globalThis.scrollY > SCROLLED);
    scroll();
    addEventListener("scroll", scroll, { passive: true });
    return () => removeEventListener("scroll", scroll);
  }, [turn]);
  useEffect(() => onLeave, [onLeave]);
  return {
    onPointerEnter: () => turn("pointer", true),
    onPointerLeave: () => turn("pointer", false),
    onFocus: () => turn("focus", true),
    onBlur: ({ currentTarget, relatedTarget }) => {
      // If the window has lost the focus, the element still has it.
      const next = relatedTarget ?? document.activeElement;
      if (!(next instanceof Node && currentTarget.contains(next))) turn("focus", false);
    },
  };
}

const Row = memo(function Row({ session }: { readonly session: SessionRow }): ReactNode {
  const { session_id: id, principal, role, gauge, label, calls, refused, waiting, last_at: last } = session;
  return (
    <tr>
      <th scope="row" className={styles.principal}>
        <Link to="/sessions/$id" params={{ id }} preload={false}>
          <VisibleText>{principal}</VisibleText>
        </Link>
        {session.closed && <span className={styles.mark}>closed</span>}
        {session.impossible && <span className={styles.mark}>given up</span>}
      </th>
      <td className={styles.role}>
        {role === null ? <span className={controls.muted}>no role</span> : <VisibleText>{role}</VisibleText>}
      </td>
      <td className={styles.gauge}>
        <RowGauge gauge={gauge} />
      </td>
      <td className={styles.label}>
        <LabelChip label={label} />
      </td>
      <Figure count={calls} name={calls === 1 ? "call" : "calls"} />
      <Figure count={refused} name="refused" isNews />
      <Figure count={waiting} name="waiting" isNews />
      <td className={styles.last}>
        <Time at={last} />
      </td>
    </tr>
  );
});

interface FigureProps {
  readonly count: number;
  /** The count's name, shown if the table's head isn't. */
  readonly name: string;
  /** Whether a number other than zero is highlighted. */
  readonly isNews?: boolean;
}

function Figure({ count, name, isNews = false }: FigureProps): ReactNode {
  const tone = count === 0 ? styles.zero : isNews ? styles.news : "";
  return (
    <td className={`${styles.figure} ${tone}`} data-name={name}>
      {count.toLocaleString("en-GB")}
    </td>
  );
}
