/** Whether a media query matches, as it changes. */
import { useCallback, useSyncExternalStore } from "react";

export function useMedia(query: string): boolean {
  const watch = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(watch, () => matchMedia(query).matches);
}

/** Whether reduced motion is requested. */
export const isStill = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
