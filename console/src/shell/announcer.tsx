/** What screen readers announce: new approvals, decisions, a lost connection. */
import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import controls from "../styles/controls.module.css";

type Announce = (text: string) => void;

const AnnouncerContext = createContext<Announce>(() => {});

/** Texts of the same moment must all be there when a screen reader reads. */
const MAX_KEPT = 3;

export function Announcer({ children }: { readonly children: ReactNode }): ReactNode {
  const [said, setSaid] = useState<readonly { readonly text: string; readonly count: number }[]>([]);
  const announce = useCallback<Announce>(
    (text) =>
      setSaid((before) => [...before, { text, count: (before.at(-1)?.count ?? 0) + 1 }].slice(-MAX_KEPT)),
    [],
  );
  return (
    <AnnouncerContext value={announce}>
      {children}
      <div role="status" aria-label="Announcements" aria-atomic="false" className={controls.hidden}>
        {/* The same words twice are news as well. */}
        {said.map(({ text, count }) => (
          <p key={count}>{text}</p>
        ))}
      </div>
    </AnnouncerContext>
  );
}

/** Announces a text to screen readers. */
export const useAnnounce = (): Announce => useContext(AnnouncerContext);
