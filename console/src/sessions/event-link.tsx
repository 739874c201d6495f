/** Links to events of a session. A link that is followed again goes there again. */
import { Link } from "@tanstack/react-router";
import { createContext, type ReactNode, useContext } from "react";
import { type EventAddress, toHash } from "./event-address.ts";
import type { TimelineEvent } from "./kept-events.ts";

interface LinkedSession {
  readonly session: string;
  /** Goes to the address's event again. */
  readonly again: () => void;
}

const LinkedSessionContext = createContext<LinkedSession>({ session: "", again: () => {} });
const EventsContext = createContext<readonly TimelineEvent[]>([]);

interface SessionEventsProps {
  readonly linked: LinkedSession;
  readonly events: readonly TimelineEvent[];
  readonly children: ReactNode;
}

/** For links to events and their users. Links aren't rendered again if only the events change. */
export function SessionEvents({ linked, events, children }: SessionEventsProps): ReactNode {
  return (
    <LinkedSessionContext value={linked}>
      <EventsContext value={events}>{children}</EventsContext>
    </LinkedSessionContext>
  );
}

/** The events that are loaded. */
export const useSessionEvents = (): readonly TimelineEvent[] => useContext(EventsContext);

interface EventLinkProps {
  readonly to: EventAddress;
  readonly className?: string | undefined;
  /** The link's name, if its content isn't. */
  readonly name?: string;
  readonly children: ReactNode;
}

export function EventLink({ to, className, name, children }: EventLinkProps): ReactNode {
  const { session, again } = useContext(LinkedSessionContext);
  return (
    <Link
      to="/sessions/$id"
      params={{ id: session }}
      hash={toHash(to)}
      hashScrollIntoView={false}
      resetScroll={false}
      preload={false}
      className={className}
      aria-label={name}
      onClick={again}
    >
      {children}
    </Link>
  );
}
