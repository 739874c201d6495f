/** Links to events of a session. A link that is followed twice leads there twice. */
import { Link } from "@tanstack/react-router";
import { createContext, type ReactNode, useContext } from "react";
import { type EventAddress, toHash } from "./event-address.ts";
import type { TimelineEvent } from "./kept-events.ts";

export interface SessionEvents {
  readonly session: string;
  readonly events: readonly TimelineEvent[];
  /** Goes to the address's event again. */
  readonly again: () => void;
}

const SessionEventsContext = createContext<SessionEvents>({ session: "", events: [], again: () => {} });

export const SessionEventsProvider = SessionEventsContext.Provider;

export const useSessionEvents = (): SessionEvents => useContext(SessionEventsContext);

export interface EventLinkProps {
  readonly to: EventAddress;
  readonly className?: string | undefined;
  /** Where what it shows isn't its name. */
  readonly name?: string;
  readonly children: ReactNode;
}

export function EventLink({ to, className, name, children }: EventLinkProps): ReactNode {
  const { session, again } = useSessionEvents();
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
