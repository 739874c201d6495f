/** What a screen reader is told without being asked: new approvals, decisions, a connection that is lost. */
import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import controls from "../styles/controls.module.css";

type Announce = (text: string) => void;

const AnnouncerContext = createContext<Announce>(() => {});

export function Announcer({ children }: { readonly children: ReactNode }): ReactNode {
  const [said, setSaid] = useState({ text: "", count: 0 });
  const announce = useCallback<Announce>((text) => setSaid(({ count }) => ({ text, count: count + 1 })), []);
  return (
    <AnnouncerContext value={announce}>
      {children}
      <div role="status" aria-label="Announcements" className={controls.hidden}>
        {/* The same words twice are news as well. */}
        <span key={said.count}>{said.text}</span>
      </div>
    </AnnouncerContext>
  );
}

/** Says something to whoever listens to the page. */
export const useAnnounce = (): Announce => useContext(AnnouncerContext);
