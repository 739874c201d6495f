/** What a screen reader is told without being asked: new approvals, decisions, a connection that is lost. */
import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import controls from "../styles/controls.module.css";

type Announce = (text: string) => void;

const AnnouncerContext = createContext<Announce>(() => {});

/** What was said in one moment must all still stand there when a screen reader looks. */
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

/** Says something to whoever listens to the page. */
export const useAnnounce = (): Announce => useContext(AnnouncerContext);
