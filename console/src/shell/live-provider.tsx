/** Holds the event stream while somebody is signed in, and requests outdated data again. */
import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from "react";
import { type Connection, Live } from "../api/live.ts";
import { Refresher } from "../api/refresh.ts";

const LiveContext = createContext<Live | null>(null);

export function LiveProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const client = useQueryClient();
  const [live, setLive] = useState<Live | null>(null);
  // A stopped stream can't be restarted: in development, React runs an effect twice.
  useEffect(() => {
    const refresher = new Refresher(client);
    const next = new Live((event) => refresher.take(event));
    setLive(next);
    void next.run();
    return () => next.stop();
  }, [client]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

const UNKNOWN: Connection = { kind: "connecting" };
const NEVER = (): (() => void) => () => {};

/** Whether this page is connected to the gateway. */
export function useConnection(): Connection {
  const live = useContext(LiveContext);
  return useSyncExternalStore(live?.watch ?? NEVER, () => live?.connection ?? UNKNOWN);
}

/** Tries to connect at once. */
export function useReconnect(): () => void {
  const live = useContext(LiveContext);
  return live?.retry ?? NEVER;
}
