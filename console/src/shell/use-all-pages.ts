/** Loads the code of every page when there is time: pages then open even if the gateway is down. */
import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

/** The first page's own requests go first. */
const LATER_MS = 300;

export function useAllPages(): void {
  const router = useRouter();
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const route of Object.values(router.routesById)) router.loadRouteChunk(route)?.catch(() => {});
    }, LATER_MS);
    return () => clearTimeout(timer);
  }, [router]);
}
